//! Tests of the plans of scans.

use super::super::tuning::TUNING;
use super::*;

#[test]
fn every_size_fits_every_row() {
    for row in TUNING {
        for input in 1..=64 {
            for state in [1, 2, 4, 8, 12, 16, 24, 40, 64, 72, 80] {
                for output in [1, 4, 8, 16, 64] {
                    let marks = [Marks::None, Marks::Vectors, Marks::Offsets][(input + state) % 3];
                    let kept = if marks != Marks::None && state <= 8 { 4 } else { 0 };
                    let sizes = Sizes { place: input.max(output), kept, marks, ..Sizes::plain(input, state, output) };
                    for len in [1, 1 << 16, 1 << 20, 1 << 24] {
                        let plan = ScanPlan::new(len, sizes, row.capability);
                        if let Schedule::Wave { part } = plan.schedule {
                            assert!(plan.shared_bytes + RESERVED <= row.shared_bytes.max(96 << 10), "{plan:?}");
                            assert!(part <= MOST_TILES && plan.grid(1) <= MOST_PARTS, "{plan:?}");
                            assert!(plan.grid(1) * part * plan.tile >= len, "{plan:?}");
                        }
                    }
                    let plan = ScanPlan::of_segments(1 << 33, sizes, row.capability);
                    let shape = [SEGMENTS, LARGE].map(|size| Shape::new(sizes, size)).into_iter();
                    let Some(shape) = shape.into_iter().find(|shape| shape.tile == plan.tile) else {
                        panic!("{plan:?}")
                    };
                    let block = plan.shared_bytes + ScanPlan::beside_one_pass(sizes, shape) + FEW;
                    assert!(plan.ahead >= 1 && block <= row.shared_bytes, "{block}: {plan:?}");
                    let plan = ScanPlan::new(1 << 33, sizes, row.capability);
                    assert_eq!(plan.schedule, Schedule::Pipeline);
                    let stages = plan.ahead + plan.lag + 1;
                    let shape = Shape::new(sizes, LARGE);
                    let beside = stages * shape.beside(sizes) + MARK_SLOTS * shape.found(sizes, 0) + FEW;
                    let block = plan.shared_bytes + beside + PER_BLOCK;
                    assert!(plan.lag == 1 || block * plan.blocks <= row.shared_bytes + PER_BLOCK, "{plan:?}");
                    assert!(block - PER_BLOCK <= row.shared_bytes, "{plan:?}");
                    assert!(plan.vector.is_power_of_two() && plan.vector <= 16 && plan.lag >= 1, "{plan:?}");
                    assert!(2 + 2 * (plan.ahead + plan.lag + 1) < 16, "a block has 16 barriers: {plan:?}");
                    assert!(plan.tuning.lookers <= plan.ahead + 1, "{plan:?}");
                    assert!(plan.tile * plan.tiles >= 1 << 33);
                    assert!(u32::try_from(plan.tiles + (1 << 16)).is_ok(), "tickets have 32 bits");
                }
            }
        }
    }
}

#[test]
fn the_tile_does_not_depend_on_the_gpu() {
    let sizes = Sizes::plain(4, 4, 4);
    for (len, expected) in [(1000, 2048), (1 << 30, 3072)] {
        let tiles = TUNING.iter().map(|row| ScanPlan::new(len, sizes, row.capability).tile);
        assert!(tiles.clone().all(|tile| tile == expected), "{:?}", tiles.collect::<Vec<_>>());
    }
}
