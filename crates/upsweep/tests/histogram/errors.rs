//! Errors of histograms, and their messages.

use super::support::on_each_backend;
use super::support::place::Place;
use upsweep::Error;
use upsweep::histogram::MAX_BINS;
use upsweep::operator::Same;
use upsweep::prelude::*;

on_each_backend!(wrong_options, wrong_ranges, wrong_edges, the_device_is_usable_afterwards);

fn wrong_options(place: &Place) {
    let device = &place.device;
    let input = place.upload(&[1u8, 2, 3, 4, 5], 0);
    let mut output = place.poisoned::<u32>(4, 0);
    let run = |bins, output: &mut _| Histogram::by(Same, bins).run(device, &input, output);
    assert_eq!(run(0, &mut output), Err(Error::Bins { bins: 0, most: MAX_BINS }));
    assert_eq!(run(MAX_BINS + 1, &mut output), Err(Error::Bins { bins: MAX_BINS + 1, most: MAX_BINS }));
    assert_eq!(run(5, &mut output), Err(Error::Length { what: "output", found: 4, expected: 5 }));
    let channels =
        |of, counted, output: &mut _| Histogram::by(Same, 4).channels(of, counted).run(device, &input, output);
    assert_eq!(channels(2, 1, &mut output), Err(Error::Pixels { len: 5, channels: 2 }));
    for (channels_of, counted) in [(0, 0), (5, 0), (1, 2), (65, 1)] {
        let error = Error::Channels { channels: channels_of, counted, most: 64 };
        assert_eq!(channels(channels_of, counted, &mut output), Err(error));
    }
    let weights = place.upload(&[1u32; 4], 0);
    let found = Histogram::by(Same, 4).weights(&weights).run(device, &input, &mut output);
    assert_eq!(found, Err(Error::Length { what: "weights", found: 4, expected: 5 }));
    // Nothing was written.
    assert_eq!(output.check_guards(), [0xABAB_ABAB; 4]);
}

#[cfg(target_pointer_width = "64")]
#[test]
fn more_elements_than_u32_counts() {
    // Zeros that nobody has asked for take no memory.
    let input = vec![0u8; (1 << 32) + 1];
    let found = Histogram::by(Same, 1).run(&Device::cpu(), &input, &mut [0u32]);
    assert!(matches!(found, Err(Error::Options { options: "a histogram of u32", .. })), "{found:?}");
}

fn wrong_ranges(place: &Place) {
    let input = place.upload(&[1.0f32], 0);
    let mut output = place.poisoned::<u32>(4, 0);
    let mut words = |low: f64, high: f64| {
        Histogram::even(low..=high, 4).run(&place.device, &input, &mut output).unwrap_err().to_string()
    };
    assert_eq!(words(1.0, 0.5), "the range from 1.0 to 0.5 in 4 bins must not end before it begins");
    assert_eq!(words(0.0, f64::NAN), "the range from 0.0 to NaN in 4 bins must be finite");
    assert_eq!(words(f64::NEG_INFINITY, 0.0), "the range from -inf to 0.0 in 4 bins must be finite");
    let together = "is too narrow or too wide for so many bins: edges fall together";
    assert_eq!(words(1.0, 1.0 + 1e-7), format!("the range from 1.0 to 1.0000001 in 4 bins {together}"));
    assert!(words(0.0, 1e39).ends_with(together));
    assert!(words(-1e308, 1.7e308).ends_with(together));
}

/// Wrong edges: on CUDA the next call that waits returns the error.
fn wrong_edges(place: &Place) {
    let input = place.upload(&[1.0f32; 100], 0);
    for (edges, index) in
        [(vec![0.0, 2.0, 1.0, 3.0], 2), (vec![0.0, 1.0, 2.0, f32::NAN], 3), (vec![f32::NAN, 1.0, 2.0, 3.0], 0)]
    {
        let edges = place.upload(&edges, 0);
        let mut output = place.poisoned::<u32>(3, 1);
        let histogram = Histogram::edges(&edges);
        let found = histogram.run(&place.device, &input, &mut output).and_then(|()| place.device.synchronize());
        if place.is_cuda() && index == 0 {
            // The next edge is wrong, too, and either may be found first.
            assert!(matches!(found, Err(Error::Edges { index: 0 | 1 })), "{found:?}");
        } else {
            assert_eq!(found, Err(Error::Edges { index }));
        }
        output.check_guards();
    }
    for len in [0, 1] {
        let edges = place.upload(&vec![0.0f32; len], 0);
        let mut output = place.poisoned::<u32>(1, 0);
        let found = Histogram::edges(&edges).run(&place.device, &input, &mut output);
        assert_eq!(found, Err(Error::TooFew { what: "edges", found: len, least: 2 }));
    }
}

fn the_device_is_usable_afterwards(place: &Place) {
    wrong_edges(place);
    let input = place.upload(&[1.0f32, 2.5, 3.0], 0);
    let edges = place.upload(&[0.0f32, 2.0, 3.0], 0);
    let mut output = place.poisoned::<u32>(2, 0);
    Histogram::edges(&edges).run(&place.device, &input, &mut output).unwrap();
    place.device.synchronize().unwrap();
    assert_eq!(output.check_guards(), [1, 2]);
}

#[cfg(feature = "cuda")]
mod on_cuda {
    use super::*;

    #[test]
    #[ignore = "needs a CUDA GPU"]
    fn buffers_must_be_there_and_apart() {
        let place = Place::cuda();
        let (device, host) = (&place.device, [1u32, 2]);
        let input = place.upload(&host, 0);
        let mut output = place.poisoned::<u32>(2, 0);
        let run = |input: &[u32], output: &mut _| Histogram::by(Same, 2).run(device, input, output);
        assert_eq!(run(&host, &mut output), Err(Error::Place { what: "input", found: "host", expected: "CUDA" }));
        let weights = [1u32, 2];
        let found = Histogram::by(Same, 2).weights(&weights).run(device, &input, &mut output);
        assert_eq!(found, Err(Error::Place { what: "weights", found: "host", expected: "CUDA" }));
        let found = Histogram::by(Same, 2).run(device, &input, &mut [0u32; 2]);
        assert_eq!(found, Err(Error::Place { what: "output", found: "host", expected: "CUDA" }));
    }
}
