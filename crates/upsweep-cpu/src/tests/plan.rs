//! Plans: they describe what runs, and print it.

use super::*;
use crate::engine::chain::ran;
use upsweep_core::call::Direction;
use upsweep_core::operator::Same;
use upsweep_core::operator::builtin::Sum;
use upsweep_core::segments::CpuSegments;
use upsweep_core::segments::{HeadFlags, Offsets, Whole};
use upsweep_core::steps::Parts;
use upsweep_plan::cpu::{CpuJob, CpuKind, CpuPlan, Cut};

/// Runs a job of ones, and checks that what ran is the plan.
fn check(threads: usize, kind: CpuKind, shape: Shape, offsets: Option<&[usize]>, flags: bool, limits: Limits) {
    let len = shape.outer * shape.len * shape.inner;
    let x = vec![1i64; len];
    let results = match (kind, offsets) {
        (CpuKind::Scan, _) => len,
        (_, Some(offsets)) => offsets.len() - 1,
        _ if flags => len,
        _ => shape.lines(),
    };
    let steps = Parts::<i64, i64, _, _, _>::new(Sum, Same, Same);
    let heads = vec![false; len];
    with_threads(threads, || {
        let mut out = vec![0i64; results];
        let to = (out.as_mut_ptr(), results);
        macro_rules! run {
            ($job:expr) => {
                match kind {
                    CpuKind::Scan => crate::scan::run_within($job, Direction::default(), None, limits),
                    CpuKind::Reduction => crate::reduce::run_within($job, None, limits),
                }
                .unwrap()
            };
        }
        match offsets {
            _ if flags => {
                let segments = SegmentKind::HeadFlags(View::Host(&heads));
                run!(job::<_, _, _, HeadFlags<'_, Vec<bool>>>(steps, Some(&x), to, shape, segments, None));
            }
            Some(offsets) => {
                let segments = SegmentKind::Offsets(View::Host(offsets));
                run!(job::<_, _, _, Offsets<'_, Vec<usize>>>(steps, Some(&x), to, shape, segments, None));
            }
            None => run!(job::<_, _, _, Whole>(steps, Some(&x), to, shape, SegmentKind::Whole, None)),
        }
        let segments = match offsets {
            _ if flags => CpuSegments::Heads,
            Some(offsets) => CpuSegments::Offsets(offsets.len() - 1),
            None => CpuSegments::None,
        };
        let plan = CpuPlan::within(
            CpuJob { kind, shape, segments, bytes: [8; 3], tile: 1, in_place: false, pitch: None },
            limits,
        );
        let tickets = match plan.cut {
            Cut::Blocks(blocks) => blocks.count(),
            Cut::Strips(strips) => strips.tickets(),
        };
        assert_eq!(ran::LAST.get(), (tickets, plan.threads), "{plan}");
    });
}

#[test]
fn is_what_runs() {
    let shapes = [
        shape_of(1),
        shape_of(5000),
        Shape { outer: 30, len: 40, inner: 1 },
        Shape { outer: 3, len: 700, inner: 1 },
        Shape { outer: 1, len: 900, inner: 3 },
        Shape { outer: 2, len: 9, inner: 1200 },
        Shape { outer: 70, len: 5, inner: 2 },
    ];
    for threads in [1, 3] {
        for kind in [CpuKind::Scan, CpuKind::Reduction] {
            for parallel_from in [0, usize::MAX] {
                let limits = Limits { block: 200, tiles: 1, parallel_from, non_temporal_from: usize::MAX };
                for shape in shapes {
                    check(threads, kind, shape, None, false, limits);
                }
                check(threads, kind, shape_of(5000), Some(&[0, 10, 10, 4000, 5000]), false, limits);
                check(threads, kind, shape_of(5000), None, true, limits);
            }
        }
    }
}

#[test]
fn prints_what_it_does() {
    let job = CpuJob {
        kind: CpuKind::Scan,
        shape: shape_of(1 << 25),
        segments: CpuSegments::None,
        bytes: [4; 3],
        tile: 1,
        in_place: false,
        pitch: None,
    };
    let text = |job| with_threads(2, || CpuPlan::new(job).to_string());
    let stores = if cfg!(target_arch = "x86_64") { "non-temporal" } else { "plain" };
    assert_eq!(
        text(job),
        format!(
            "scan in one pass over memory\n  \
               elements      33554432 of 4 bytes\n  \
               blocks        1024 of 32768 elements, each reduced, then scanned from the cache\n  \
               threads       2 of the pool\n  \
               stores        {stores}"
        )
    );
    let in_place = CpuJob { in_place: true, shape: shape_of(1000), ..job };
    assert_eq!(
        text(in_place),
        "scan in one pass over memory\n  \
           elements      1000 of 4 bytes\n  \
           blocks        1 of 1000 elements, each scanned after the one before\n  \
           threads       the calling one\n  \
           stores        plain"
    );
    let reduction = CpuJob { kind: CpuKind::Reduction, bytes: [2, 4, 2], ..job };
    assert_eq!(
        text(reduction),
        "reduction in one pass over memory\n  \
           elements      33554432 of 2 bytes, combined as 4, stored as 2\n  \
           blocks        512 of 65536 elements, each reduced\n  \
           threads       2 of the pool"
    );
    let columns = Shape { outer: 2, len: 100_000, inner: 2000 };
    assert_eq!(
        text(CpuJob { shape: columns, ..job }),
        format!(
            "scan of interleaved lines in one pass over memory\n  \
               elements      400000000 of 4 bytes\n  \
               lines         4000 of 100000 elements\n  \
               strips        2 of 1024 columns, in 2 matrices\n  \
               blocks        12500 of 32 rows of a strip, each reduced, then scanned from the cache\n  \
               threads       2 of the pool\n  \
               stores        {stores}"
        )
    );
    let by_offsets = CpuJob { segments: CpuSegments::Offsets(7), shape: shape_of(1 << 20), ..reduction };
    assert_eq!(
        text(by_offsets),
        "reduction of 7 segments in one pass over memory\n  \
           elements      1048576 of 2 bytes, combined as 4, stored as 2\n  \
           blocks        17 of 65536 elements and ends of segments, each reduced\n  \
           threads       2 of the pool"
    );
}
