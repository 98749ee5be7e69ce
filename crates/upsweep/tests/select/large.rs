//! Arrays past 2^32 elements, and arrays with many tiles for each block.

#[cfg(feature = "cuda")]
mod cuda {
    use crate::support::place::Place;
    use upsweep::function;
    use upsweep::prelude::*;

    #[function]
    fn is_set(x: u8) -> bool {
        x != 0
    }

    #[function]
    fn at_most(#[param] bound: u32, x: u32) -> bool {
        x <= bound
    }

    #[function]
    fn is_between(x: u64) -> bool {
        x % 1024 != 0
    }

    /// Returns 1 if result `k`, a number that is no multiple of 1,024, is wrong, or if an element past all results is
    /// no longer 5.
    #[function]
    fn is_wrong(#[param] kept: u64, x: u64, k: u64) -> u64 {
        let wanted = if k < kept { k + k / 1023 + 1 } else { 5 };
        if x == wanted { 0 } else { 1 }
    }

    /// Blocks that stage and store tile after tile: few and many results, each compared.
    #[test]
    #[ignore = "needs a CUDA GPU"]
    fn many_tiles_a_block() {
        let _no_graph_faults = crate::support::GRAPH_FAULTS.read();
        let place = Place::cuda();
        let len = 1usize << 26;
        let x: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(15) ^ i >> 7).collect();
        let input = place.device.upload(&x).unwrap();
        let mut output = place.device.filled(len, 5u32).unwrap();
        for bound in [1 << 20, 1 << 26, 1 << 28, 1 << 31] {
            let kept = Select::new(AtMost { bound }).run(&place.device, &input, &mut output).unwrap().get().unwrap();
            let expected: Vec<u32> = x.iter().copied().filter(|&x| x <= bound).collect();
            assert!(output.to_vec().unwrap()[..kept] == expected, "up to {bound}");
        }
        // Runs, and each of them again.
        for mean in [4, 64, 4096] {
            let mut last = 0;
            let y: Vec<u32> = x
                .iter()
                .map(|&x| {
                    last += u32::from(x < u32::MAX / mean);
                    last
                })
                .collect();
            let input = place.device.upload(&y).unwrap();
            let mut lengths = place.device.filled(len, 0u32).unwrap();
            let runs = Runs::new().run(&place.device, &input, (&mut output, &mut lengths)).unwrap();
            let number = runs.get().unwrap();
            let mut distinct = y.clone();
            distinct.dedup();
            assert!(output.to_vec().unwrap()[..number] == distinct, "runs of {mean}");
            let mut again = place.device.filled(len, 0u32).unwrap();
            let total = Expand::values(&output).run(&place.device, &runs.of(&lengths), &mut again).unwrap();
            assert_eq!(total.get(), Ok(len));
            assert!(again.to_vec().unwrap() == y, "runs of {mean}, again");
        }
    }

    /// One count larger than 32 bits hold; its results are encoded to three runs again.
    #[test]
    #[ignore = "needs a CUDA GPU"]
    fn more_results_than_32_bits_count() {
        let _no_graph_faults = crate::support::GRAPH_FAULTS.read();
        let place = Place::cuda();
        let wanted = [3, (1u64 << 32) + 7, 0, 2];
        let (counts, values) = (place.device.upload(&wanted).unwrap(), place.device.upload(&[1u8, 2, 9, 4]).unwrap());
        let total = wanted.iter().sum::<u64>() as usize;
        let mut output = place.device.filled(total + 1, 5u8).unwrap();
        let results = Expand::values(&values).run(&place.device, &counts, &mut output).unwrap();
        assert_eq!(results.get(), Ok(total));
        let (values, lengths) = Runs::new().run_to_vecs::<_, u64>(&place.device, &output).unwrap();
        assert_eq!((values, lengths), (vec![1, 2, 4, 5], vec![3, wanted[1], 2, 1]));
    }

    /// Selection of nearly every element, so that results lie past 2^32 too.
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

    /// Selection of more than 2^33 bytes. All of them are compared in place.
    #[test]
    #[ignore = "needs a CUDA GPU with 18 GiB of memory"]
    fn more_bytes_than_33_bits_count() {
        let _no_graph_faults = crate::support::GRAPH_FAULTS.read();
        let device = &Place::cuda().device;
        let multiples = (1u64 << 20) + 1027;
        let (len, kept) = (multiples * 1024, multiples * 1023);
        assert!(kept * 8 > 1 << 33);
        let numbers: Array<u64> = Transform::copy().run_to_array(device, 0..len).unwrap();
        let mut output = device.filled(kept as usize + 1, 5u64).unwrap();
        let count = Select::new(IsBetween).run(device, &numbers, &mut output).unwrap();
        assert_eq!(count.get(), Ok(kept as usize));
        let wrong = Reduce::new(Sum).map(IsWrong { kept }).run_to_host(device, (&output, 0..kept + 1));
        assert_eq!(wrong, Ok(0));
    }
}
