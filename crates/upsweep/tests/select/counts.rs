//! Counts: numbers of elements that calls pass on to each other.

use crate::support::place::Place;
use crate::support::sizes;
use crate::support::{Below, Odd, Spread, chosen, expect_beginning, kept, on_each_backend, with_low_bit};
use upsweep::prelude::*;

on_each_backend! { a_count_begins_at_zero, a_count_is_the_next_length, a_count_may_be_used_again }

fn a_count_begins_at_zero(place: &Place) {
    assert_eq!(Count::new(&place.device).unwrap().get(), Ok(0));
    // As the number of elements, too: nothing is selected.
    let (count, input) = (Count::new(&place.device).unwrap(), place.upload(&[1u32; 5000], 0));
    let mut output = place.poisoned::<u32>(5000, 0);
    let kept = Select::new(Odd).run(&place.device, &count.of(&input), &mut output).unwrap();
    assert_eq!(kept.get(), Ok(0));
    expect_beginning(&output, &[], "no elements");
}

fn a_count_is_the_next_length(place: &Place) {
    for len in sizes::few().into_iter().chain([12_288, 50_000, 300_007]) {
        for spread in [Spread::All, Spread::None, Spread::Half, Spread::Sixteenth] {
            let keep = kept(spread, len);
            let x = with_low_bit(&keep);
            let input = place.upload(&x, 0);
            let (mut some, mut few) = (place.poisoned(len, 0), place.poisoned(len, 1));
            let count = Select::new(Odd).run(&place.device, &input, &mut some).unwrap();
            let again = Select::new(Below { bound: 1 << 30 }).run(&place.device, &count.of(&some), &mut few).unwrap();
            let expected: Vec<u32> = chosen(&x, &keep).into_iter().filter(|&x| x < 1 << 30).collect();
            assert_eq!(again.get(), Ok(expected.len()), "{spread:?} of {len}");
            expect_beginning(&few, &expected, &format!("{spread:?} of {len}"));
            let array: Array<u32> =
                Select::new(Below { bound: 1 << 30 }).run_to_array(&place.device, &count.of(&some)).unwrap();
            assert_eq!(array.to_vec().unwrap(), expected);
        }
    }
}

fn a_count_may_be_used_again(place: &Place) {
    let mut count = Count::new(&place.device).unwrap();
    for len in [10_000, 0, 3, 70_000] {
        let keep = kept(Spread::Half, len);
        let (input, mut output) = (place.upload(&with_low_bit(&keep), 0), place.poisoned(len, 0));
        Select::new(Odd).run_counted(&place.device, &input, &mut output, &mut count).unwrap();
        assert_eq!(count.get(), Ok(keep.iter().filter(|keep| **keep).count()), "{len}");
    }
}
