//! Arrays past 2^32 elements.

#[cfg(feature = "cuda")]
mod cuda {
    use crate::support::place::Place;
    use upsweep::function;
    use upsweep::prelude::*;

    #[function]
    fn is_set(x: u8) -> bool {
        x != 0
    }

    /// Every element but some is kept, so that results lie past 2^32 too.
    #[test]
    #[ignore = "needs a CUDA GPU"]
    fn more_elements_than_32_bits_count() {
        let _no_graph_faults = crate::support::GRAPH_FAULTS.read();
        let place = Place::cuda();
        let len = (1usize << 32) + 3;
        let mut x = vec![1u8; len];
        let gaps = [0, 1, 77, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1];
        for gap in gaps {
            x[gap] = 0;
        }
        x[len - 1] = 9;
        let input = place.device.upload(&x).unwrap();
        let mut output = place.device.filled(len, 5u8).unwrap();
        let count = Select::new(IsSet).run(&place.device, &input, &mut output).unwrap();
        let kept = len - gaps.len();
        assert_eq!(count.get(), Ok(kept));
        let found = output.to_vec().unwrap();
        assert!(
            found[..kept - 1].iter().all(|&x| x == 1) && found[kept - 1] == 9 && found[kept..].iter().all(|&x| x == 5)
        );
        drop(found);
        // And the indices of what is not kept, by flags.
        let flags: Vec<bool> = x.iter().map(|&x| x == 0).collect();
        drop(x);
        let flags = place.device.upload(&flags).unwrap();
        let indices: Vec<u64> = Select::flags(&flags).indices().run_to_vec(&place.device, &input).unwrap();
        assert_eq!(indices, gaps.map(|gap| gap as u64));
        let error = Select::flags(&flags).indices().run_to_vec::<_, u32>(&place.device, &input);
        assert!(matches!(error, Err(upsweep::Error::Options { options: "indices", .. })), "{error:?}");
    }
}
