//! Zeros of floats, which are equal whatever their signs, and keep their signs: compared with std's stable sort.

use crate::check::{check_indices, check_keys, check_pairs};
use crate::parts::{check_lines, check_segments, offsets_of};
use half::{bf16, f16};
use upsweep_testing::inputs::{Kind, SortKey, keys, lengths, long_lengths, some};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::sample::{Sample, random_values};

on_each_backend!(
    zeros_of_each_length,
    zeros_of_each_type,
    zeros_of_many,
    zeros_alone,
    zeros_of_reversed,
    zeros_of_segments,
    zeros_of_lines,
);

const KINDS: [Kind; 2] = [Kind::Zeros, Kind::FewZeros];

#[track_caller]
fn check<K: SortKey, V: Sample>(place: &Place, keys: &[K], what: &str) {
    check_keys(place, keys, (0, 1), what);
    check_pairs::<K, V>(place, keys, &random_values(keys.len()), (1, 0), what);
    check_indices::<K, u32>(place, keys, (0, 0), what);
    check_indices::<K, u64>(place, keys, (1, 0), what);
}

fn zeros_of_each_length(place: &Place) {
    for len in lengths(place.is_cuda()) {
        for kind in KINDS {
            check::<f32, u32>(place, &keys(kind, len), &format!("{kind:?}"));
            check::<f64, u64>(place, &keys(kind, len), &format!("{kind:?}"));
        }
    }
}

fn zeros_of_each_type(place: &Place) {
    fn of<K: SortKey, V: Sample>(place: &Place) {
        for kind in KINDS {
            for len in [7, 257, some(place, 21_003)] {
                check::<K, V>(place, &keys(kind, len), &format!("{kind:?}"));
            }
        }
    }
    of::<f16, u8>(place);
    of::<f16, f64>(place);
    of::<bf16, u16>(place);
    of::<f32, u16>(place);
    of::<f32, [u64; 3]>(place);
    of::<f64, f32>(place);
    of::<f64, (u8, u8, u8)>(place);
}

fn zeros_of_many(place: &Place) {
    for len in long_lengths(place.is_cuda()) {
        for kind in KINDS {
            check::<f32, u32>(place, &keys(kind, len), &format!("{kind:?}"));
            check::<f64, u64>(place, &keys(kind, len), &format!("{kind:?}"));
            check::<f16, u16>(place, &keys(kind, len), &format!("{kind:?}"));
        }
    }
}

/// Zeros only: mixed, and one sign after the other.
fn zeros_alone(place: &Place) {
    for len in [2, 100, 3000, some(place, 30_011)] {
        let zeros = |negative: &dyn Fn(usize) -> bool| -> Vec<f32> {
            (0..len).map(|i| if negative(i) { -0.0 } else { 0.0 }).collect()
        };
        check::<f32, u32>(place, &zeros(&|i| i * (i + 1) / 2 % 3 == 0), "zeros of both signs");
        check::<f32, u32>(place, &zeros(&|i| i >= len / 2), "those without a sign first");
        check::<f32, u32>(place, &zeros(&|i| i < len / 2), "those with a sign first");
        check::<f32, u32>(place, &zeros(&|_| true), "all with a sign");
    }
}

/// Descending keys, with one zero of each sign, or more of them.
fn zeros_of_reversed(place: &Place) {
    for len in [2i32, 10, 65, 2000, some(place, 80_000) as i32] {
        for zeros in [&[0.0, -0.0][..], &[-0.0, 0.0], &[-0.0], &[0.0, 0.0, -0.0, 0.0]] {
            let before = (1..len).rev().map(|x| x as f32 / 4.0);
            let down: Vec<f32> = before.clone().chain(zeros.iter().copied()).chain(before.rev().map(|x| -x)).collect();
            check::<f32, u32>(place, &down, &format!("down, with {zeros:?}"));
            let up: Vec<f32> = down.iter().map(|x| -x).collect();
            check::<f32, u32>(place, &up, &format!("up, without {zeros:?}"));
        }
    }
}

fn zeros_of_segments(place: &Place) {
    for kind in KINDS {
        let short = offsets_of((0..400).map(|i| i * 7 % 41));
        let mixed = offsets_of([3, 40, 0, 200, 300, 1200, 1, some(place, 17_000), 2, 0]);
        for offsets in [short, mixed] {
            let len = offsets[offsets.len() - 1];
            check_segments::<f32, u32>(place, &keys(kind, len), &offsets, &format!("{kind:?}"));
            check_segments::<f64, u8>(place, &keys(kind, len), &offsets, &format!("{kind:?}"));
            check_segments::<f16, u64>(place, &keys(kind, len), &offsets, &format!("{kind:?}"));
            check_segments::<bf16, u16>(place, &keys(kind, len), &offsets, &format!("{kind:?}"));
        }
    }
}

fn zeros_of_lines(place: &Place) {
    for kind in KINDS {
        for (shape, axis) in [([40, 75], 1), ([40, 75], 0), ([2, 6000], 1), ([6000, 2], 0)] {
            check_lines::<f32, u16>(place, &keys(kind, shape[0] * shape[1]), &shape, axis);
            check_lines::<f64, u64>(place, &keys(kind, shape[0] * shape[1]), &shape, axis);
            check_lines::<f16, u32>(place, &keys(kind, shape[0] * shape[1]), &shape, axis);
        }
    }
}
