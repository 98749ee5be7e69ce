//! Top-k of rows.

use crate::whole::{check, many};
use upsweep_testing::inputs::{Kind, keys};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::sizes::reduced;

on_each_backend!(topk_rows, topk_of_many_rows, topk_of_few_long_rows);

fn topk_rows(place: &Place) {
    for [rows, len] in [[2usize, 1], [3, 2], [7, 33], [5, 1000], [4, 4097], [3, 16_385]] {
        for k in [1, 2, 16, len / 2, len] {
            if k > 0 && k <= len {
                check::<f32, u32>(place, &keys(Kind::Special, rows * len), Some([rows, len]), k, 0, "special");
                check::<u64, u64>(place, &keys(Kind::Zipf, rows * len), Some([rows, len]), k, 0, "Zipf");
            }
        }
    }
}

fn topk_of_many_rows(place: &Place) {
    // With 16 bytes an element, more than 2 MiB, which threads share on the CPU.
    let rows = if reduced() { 40 } else { 1400 };
    check::<f32, u32>(place, &keys(Kind::Random, rows * 100), Some([rows, 100]), 16, 0, "random");
    check::<u128, u32>(place, &keys(Kind::Random, rows * 100), Some([rows, 100]), 16, 0, "random");
    check::<u8, u32>(place, &keys(Kind::Random, rows * 33), Some([rows, 33]), 3, 1, "random");
}

/// Rows that are too long for a block.
fn topk_of_few_long_rows(place: &Place) {
    let len = if reduced() { 17_000 } else { many(place) + 3 };
    check::<f32, u32>(place, &keys(Kind::Random, 2 * len), Some([2, len]), 100, 0, "random");
}
