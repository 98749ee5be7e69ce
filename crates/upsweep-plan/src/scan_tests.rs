//! Tests of the plans of scans.

use super::super::tile::{DRIVER_RESERVED, LARGE, SEGMENTS};
use super::super::tuning::TUNING;
use super::super::wave::{MOST_PARTS, MOST_TILES, SHARED_RESERVED};
use super::*;
use upsweep_core::inputs::Streams;
use upsweep_core::tree::row_len;

#[test]
fn every_size_fits_every_row() {
    for row in TUNING {
        for input in 1..=64 {
            for state in [1, 2, 4, 8, 12, 16, 24, 40, 64, 72, 80] {
                for (output, tree) in [1, 4, 8, 16, 64].into_iter().flat_map(|output| [(output, false), (output, true)])
                {
                    // The states of float sums, with and without the flag of a head.
                    let tree = tree && [4, 8, 12, 16].contains(&state);
                    let row_len = if tree { row_len(input, output) } else { 0 };
                    let marks = [Marks::None, Marks::Vectors, Marks::Offsets][(input + state) % 3];
                    let kept = if marks != Marks::None && state <= 8 && !tree { 4 } else { 0 };
                    let plain = Sizes::plain(input, state, output);
                    let sizes = Sizes { place: input.max(output), kept, marks, row: row_len, ..plain };
                    for len in [1, 1 << 16, 1 << 20, 1 << 24] {
                        let plan = ScanPlan::new(len, sizes, row.capability);
                        if let Schedule::Wave(wave) = plan.schedule {
                            let shared = plan.shared_bytes() + SHARED_RESERVED;
                            assert!(shared <= row.shared_bytes.max(96 << 10), "{plan:?}");
                            assert!(wave.part <= MOST_TILES && wave.grid() <= MOST_PARTS, "{plan:?}");
                            assert!(wave.grid() * wave.part * wave.shape.elements() >= len, "{plan:?}");
                        }
                    }
                    let plan = ScanPlan::of_segments(1 << 33, Sizes { row: 0, ..sizes }, row.capability);
                    let Schedule::Segments(pipeline) = plan.schedule else { panic!("{plan:?}") };
                    let shapes = [SEGMENTS, LARGE].map(|size| TileShape::new(Sizes { row: 0, ..sizes }, size));
                    assert!(shapes.contains(&pipeline.shape), "{plan:?}");
                    let block = plan.shared_bytes() + Pipeline::beside_segments(sizes, pipeline.shape) + 512;
                    assert!(pipeline.ahead >= 1 && block <= row.shared_bytes, "{block}: {plan:?}");
                    assert!(
                        2 + 2 * (pipeline.ring + pipeline.offsets_warps) <= 16,
                        "a block has 16 barriers: {plan:?}"
                    );
                    let plan = ScanPlan::new(1 << 33, sizes, row.capability);
                    let Schedule::Scan(pipeline) = plan.schedule else { panic!("{plan:?}") };
                    let Pipeline { shape, ahead, lag, blocks, ring, offsets_warps, .. } = pipeline;
                    let block = plan.shared_bytes() + pipeline.beside_scan(sizes) + DRIVER_RESERVED;
                    assert!(lag == 1 || block * blocks <= row.shared_bytes + DRIVER_RESERVED, "{plan:?}");
                    assert!(block - DRIVER_RESERVED <= row.shared_bytes, "{plan:?}");
                    assert!(shape.vector.is_power_of_two() && shape.vector <= 16 && lag >= 1, "{plan:?}");
                    assert!(2 + 2 * (ring + offsets_warps) <= 16, "a block has 16 barriers: {plan:?}");
                    assert!(pipeline.look_back_warps <= ahead + 1, "{plan:?}");
                    assert!(shape.elements() * pipeline.tiles >= 1 << 33);
                    assert!(u32::try_from(pipeline.tiles + (1 << 16)).is_ok(), "tickets have 32 bits");
                }
            }
        }
    }
}

#[test]
fn several_inputs_fit_every_row() {
    for row in TUNING {
        for streams in 2..=4 {
            for sizes in 0..6usize.pow(streams) {
                let all = (0..streams).fold(Streams::NONE, |all, i| {
                    all.and(Streams::of_size([1, 2, 4, 8, 3, 16][sizes / 6usize.pow(i) % 6]))
                });
                for (state, marks) in [(4, Marks::None), (12, Marks::Vectors), (16, Marks::Offsets)] {
                    let kept = if marks == Marks::None { 0 } else { 8 };
                    let first = all.sizes()[0];
                    let row_len = if marks == Marks::Offsets { 0 } else { row_len(all.bytes(), 8) };
                    let kept = if row_len > 0 { 0 } else { kept };
                    let sizes = Sizes {
                        row: row_len,
                        streams: Some(all),
                        place: first.max(8),
                        kept,
                        marks,
                        ..Sizes::plain(all.bytes(), state, 8)
                    };
                    for len in [1, 1 << 16, 1 << 20] {
                        let plan = ScanPlan::new(len, sizes, row.capability);
                        if let Schedule::Wave(wave) = plan.schedule {
                            let shared = plan.shared_bytes() + Wave::reserved(sizes, wave.shape);
                            assert!(shared <= row.shared_bytes, "{:?}: {plan:?}", all.sizes());
                        }
                    }
                    let plan = ScanPlan::new(1 << 33, sizes, row.capability);
                    let Schedule::Scan(pipeline) = plan.schedule else { panic!("{plan:?}") };
                    let block = plan.shared_bytes() + pipeline.beside_scan(sizes) + DRIVER_RESERVED;
                    let blocks = if pipeline.lag == 1 { 1 } else { pipeline.blocks };
                    assert!(block * blocks <= row.shared_bytes + DRIVER_RESERVED, "{:?}: {plan:?}", all.sizes());
                }
            }
        }
    }
}

#[test]
fn the_tile_does_not_depend_on_the_gpu() {
    let plain = Sizes::plain(4, 4, 4);
    let tree = Sizes { row: 16, ..plain };
    for (len, expected, sizes) in
        [(1000, 2048, plain), (1 << 30, 3072, plain), (1000, 3072, tree), (1 << 30, 3072, tree)]
    {
        let tiles = TUNING.iter().map(|row| ScanPlan::new(len, sizes, row.capability).shape().elements());
        assert!(tiles.clone().all(|tile| tile == expected), "{:?}", tiles.collect::<Vec<_>>());
    }
}
