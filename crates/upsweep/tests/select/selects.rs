//! Cases of selections, of every length and element size.

use crate::support::place::Place;
use crate::support::sample::{Sample, random_values};
use crate::support::sizes;
use crate::support::{
    Below, Odd, SPREADS, Spread, chosen, expect_beginning, kept, lengths, on_each_backend, with_low_bit,
};
use upsweep::function;
use upsweep::prelude::*;

on_each_backend! {
    the_seeds_compactions,
    by_predicate,
    by_predicate_of_each_size,
    by_flags,
    indices,
    in_place,
    misaligned,
    values_of_a_predicate,
    to_arrays,
    nan_payloads_stay,
    past_caches,
}

/// Compactions of the lectures: CS 121 selects the live elements of a list; Lensch and Strzodka, the elements above a
/// bound.
fn the_seeds_compactions(place: &Place) {
    let x = [3u32, 1, 7, 0, 4, 1, 6, 3];
    let keep = [true, false, true, false, false, true, true, false];
    let (input, flags) = (place.upload(&x, 1), place.upload(&keep, 3));
    let selected = |result: upsweep::Result<Vec<u32>>| result.unwrap();
    assert_eq!(selected(Select::flags(&flags).run_to_vec(&place.device, &input)), [3, 7, 1, 6]);
    assert_eq!(selected(Select::new(Odd).run_to_vec(&place.device, &input)), [3, 1, 7, 1, 3]);
    assert_eq!(selected(Select::new(Odd).indices().run_to_vec(&place.device, &input)), [0, 1, 2, 5, 7]);
    assert_eq!(selected(Select::new(Below { bound: 4 }).run_to_vec(&place.device, &input)), [3, 1, 0, 1, 3]);
}

fn by_predicate(place: &Place) {
    for len in lengths(4) {
        for spread in SPREADS {
            let keep = kept(spread, len);
            let x = with_low_bit(&keep);
            let (input, mut output) = (place.upload(&x, 0), place.poisoned(len, 0));
            let count = Select::new(Odd).run(&place.device, &input, &mut output).unwrap();
            let (expected, case) = (chosen(&x, &keep), format!("{spread:?} of {len}"));
            assert_eq!(count.get(), Ok(expected.len()), "{case}");
            expect_beginning(&output, &expected, &case);
        }
    }
}

#[function]
fn first_is_even(x: (u8, u8, u8)) -> bool {
    x.0 % 2 == 0
}
#[function]
fn byte_is_even(x: u8) -> bool {
    x % 2 == 0
}
#[function]
fn half_is_positive(x: i16) -> bool {
    x > 0
}
#[function]
fn word_is_even(x: u64) -> bool {
    x % 2 == 0
}
#[function]
fn wide_is_even(x: u128) -> bool {
    x % 2 == 0
}
#[function]
fn sum_is_even(x: [u32; 3]) -> bool {
    (x[0] + x[1] + x[2]) % 2 == 0
}
#[function]
fn padded_is_even(x: (u64, u8)) -> bool {
    x.0 % 2 == 0
}
#[function]
fn large_is_even(x: [u64; 8]) -> bool {
    x[7] % 2 == 0
}

fn by_predicate_of_each_size(place: &Place) {
    macro_rules! check {
        ($($ty:ty, $predicate:expr, $holds:expr;)*) => { $(
            for len in sizes::few().into_iter().chain(sizes::large(size_of::<$ty>()).into_iter().step_by(3)) {
                let x = random_values::<$ty>(len);
                let (input, mut output) = (place.upload(&x, len % 3), place.poisoned(len, len % 2));
                let count = Select::new($predicate).run(&place.device, &input, &mut output).unwrap();
                let holds: fn(&$ty) -> bool = $holds;
                let expected: Vec<$ty> = x.iter().copied().filter(holds).collect();
                let case = format!("{len} of {}", stringify!($ty));
                assert_eq!(count.get(), Ok(expected.len()), "{case}");
                expect_beginning(&output, &expected, &case);
            }
        )* };
    }
    check! {
        u8, ByteIsEven, |x| x % 2 == 0;
        i16, HalfIsPositive, |x| *x > 0;
        (u8, u8, u8), FirstIsEven, |x| x.0 % 2 == 0;
        u64, WordIsEven, |x| x % 2 == 0;
        [u32; 3], SumIsEven, |x| x.iter().fold(0u32, |a, b| a.wrapping_add(*b)) % 2 == 0;
        u128, WideIsEven, |x| x % 2 == 0;
        (u64, u8), PaddedIsEven, |x| x.0 % 2 == 0;
        [u64; 8], LargeIsEven, |x| x[7] % 2 == 0;
    }
}

fn by_flags(place: &Place) {
    fn check<T: Sample>(place: &Place, len: usize, spread: Spread, offset: usize) {
        let (x, keep) = (random_values::<T>(len), kept(spread, len));
        let input = place.upload(&x, 1);
        let expected = chosen(&x, &keep);
        let case = format!("{spread:?} of {len} {}", std::any::type_name::<T>());
        let mut output = place.poisoned(len, 0);
        let flags = place.upload(&keep, offset);
        let count = Select::flags(&flags).run(&place.device, &input, &mut output).unwrap();
        assert_eq!(count.get(), Ok(expected.len()), "{case}");
        expect_beginning(&output, &expected, &case);
        // Bytes: every value but 0 is set.
        let bytes: Vec<u8> =
            keep.iter().enumerate().map(|(i, &keep)| if keep { 1 + (i % 255) as u8 } else { 0 }).collect();
        let (flags, mut output) = (place.upload(&bytes, offset), place.poisoned(len, 0));
        let count = Select::flags(&flags).run(&place.device, &input, &mut output).unwrap();
        assert_eq!(count.get(), Ok(expected.len()), "{case}");
        expect_beginning(&output, &expected, &case);
    }
    for (i, len) in lengths(4).into_iter().enumerate() {
        let spread = SPREADS[i % SPREADS.len()];
        check::<u32>(place, len, spread, i % 3 * 8);
        check::<u8>(place, len, Spread::Half, i % 17);
    }
    for len in sizes::large(8).into_iter().step_by(4) {
        check::<u64>(place, len, Spread::Half, len % 5);
        check::<i16>(place, len, Spread::Sixteenth, 0);
        check::<(u8, u8, u8)>(place, len, Spread::Half, 0);
    }
}

fn indices(place: &Place) {
    for len in sizes::few().into_iter().chain(sizes::large(4).into_iter().step_by(2)) {
        let keep = kept(Spread::Half, len);
        let (input, flags) = (place.upload(&with_low_bit(&keep), 0), place.upload(&keep, 1));
        let expected: Vec<usize> = (0..len).filter(|&i| keep[i]).collect();
        macro_rules! check {
            ($($ty:ty)*) => { $({
                let expected: Vec<$ty> = expected.iter().map(|&i| i as $ty).collect();
                let mut output = place.poisoned::<$ty>(len, 1);
                let count = Select::new(Odd).indices().run(&place.device, &input, &mut output).unwrap();
                assert_eq!(count.get(), Ok(expected.len()));
                expect_beginning(&output, &expected, &format!("{} of {len}", stringify!($ty)));
                let mut output = place.poisoned::<$ty>(len, 0);
                Select::flags(&flags).indices().run(&place.device, &input, &mut output).unwrap();
                expect_beginning(&output, &expected, &format!("{} of {len} by flags", stringify!($ty)));
            })* };
        }
        check! { u32 u64 usize i32 i64 }
    }
}

fn in_place(place: &Place) {
    let sizes = sizes::few().into_iter().chain(sizes::large(4)).chain(sizes::past_caches(4));
    for (i, len) in sizes.enumerate() {
        for spread in [SPREADS[i % SPREADS.len()], Spread::Half] {
            let keep = kept(spread, len);
            let x = with_low_bit(&keep);
            let mut data = place.upload(&x, i % 5);
            let count = Select::new(Odd).run_in_place(&place.device, &mut data).unwrap();
            let expected = chosen(&x, &keep);
            assert_eq!(count.get(), Ok(expected.len()), "{spread:?} of {len}");
            assert!(data.check_guards()[..expected.len()] == expected, "{spread:?} of {len}");
        }
    }
    let keep = kept(Spread::Half, 100_003);
    let x: Vec<u8> = random_values(100_003);
    let (mut data, flags) = (place.upload(&x, 3), place.upload(&keep, 0));
    let count = Select::flags(&flags).run_in_place(&place.device, &mut data).unwrap().get().unwrap();
    assert_eq!(data.check_guards()[..count], chosen(&x, &keep));
}

fn misaligned(place: &Place) {
    for len in [1, 1000, 12_289, 40_000] {
        let keep = kept(Spread::Half, len);
        let x = with_low_bit(&keep);
        let expected = chosen(&x, &keep);
        for (from, to) in [(0, 1), (1, 0), (2, 3), (3, 2), (1, 1)] {
            let (input, mut output) = (place.upload(&x, from), place.poisoned(expected.len(), to));
            Select::new(Odd).run(&place.device, &input, &mut output).unwrap();
            expect_beginning(&output, &expected, &format!("{len} from {from} to {to}"));
        }
        let bytes: Vec<u8> = keep.iter().map(|&keep| u8::from(keep) * 2 + 1).collect();
        let expected: Vec<u8> = vec![3; expected.len()];
        for (from, to) in [(0, 1), (1, 0), (7, 15), (15, 6), (8, 8)] {
            let (input, flags) = (place.upload(&bytes, from), place.upload(&keep, to));
            let mut output = place.poisoned(expected.len(), to);
            Select::flags(&flags).run(&place.device, &input, &mut output).unwrap();
            expect_beginning(&output, &expected, &format!("{len} bytes from {from} to {to}"));
        }
    }
}

/// Other captured values run the same kernel.
fn values_of_a_predicate(place: &Place) {
    let x: Vec<u32> = random_values(20_011);
    let input = place.upload(&x, 0);
    for bound in [0, 1, 1 << 20, 1 << 31, u32::MAX] {
        let mut output = place.poisoned(x.len(), 0);
        let count = Select::new(Below { bound }).run(&place.device, &input, &mut output).unwrap();
        let expected: Vec<u32> = x.iter().copied().filter(|&x| x < bound).collect();
        assert_eq!(count.get(), Ok(expected.len()));
        expect_beginning(&output, &expected, &format!("below {bound}"));
    }
}

fn to_arrays(place: &Place) {
    for len in sizes::few().into_iter().chain([300_000]) {
        for spread in SPREADS {
            let keep = kept(spread, len);
            let x = with_low_bit(&keep);
            let input = place.upload(&x, 0);
            let array: Array<u32> = Select::new(Odd).run_to_array(&place.device, &input).unwrap();
            let expected = chosen(&x, &keep);
            assert_eq!(array.len(), expected.len(), "{spread:?} of {len}");
            assert_eq!(array.to_vec().unwrap(), expected);
        }
    }
}

#[function]
fn is_nan(x: f32) -> bool {
    x != x
}

fn nan_payloads_stay(place: &Place) {
    let bits = [0x7fc0_0000u32, 0x7fc0_1234, 0xffc0_0001, 0x7f80_0001, 0x3f80_0000, 0xff80_0002];
    let x: Vec<f32> = (0..10_000).map(|i| f32::from_bits(bits[i % bits.len()])).collect();
    let found: Vec<f32> = Select::new(IsNan).run_to_vec(&place.device, &place.upload(&x, 0)).unwrap();
    let expected: Vec<u32> = x.iter().filter(|x| x.is_nan()).map(|x| x.to_bits()).collect();
    assert_eq!(found.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), expected);
}

fn past_caches(place: &Place) {
    for len in sizes::past_caches(4) {
        for spread in [Spread::All, Spread::Sixteenth, Spread::Runs] {
            let keep = kept(spread, len);
            let x = with_low_bit(&keep);
            let expected = chosen(&x, &keep);
            let (input, mut output) = (place.upload(&x, 1), place.poisoned(expected.len() + 5, 3));
            Select::new(Odd).run(&place.device, &input, &mut output).unwrap();
            expect_beginning(&output, &expected, &format!("{spread:?} of {len}"));
        }
    }
}
