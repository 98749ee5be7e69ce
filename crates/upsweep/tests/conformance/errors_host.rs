//! Errors that only the CPU can find, and the errors of a missing GPU.

use upsweep::operator::builtin::Sum;
use upsweep::segments::Offset;
use upsweep::{Device, Error, Reduce, Scan, Segments};
use upsweep_testing::cuts;
use upsweep_testing::operators::{Concat, Text};
use upsweep_testing::oracle::Cut;

/// Checks offsets that break a rule: the error has the position and the value of the wrong one.
#[track_caller]
fn wrong_offsets<T: Offset>(offsets: &[T], len: usize, position: usize, value: i128) {
    wrong_pair(offsets, len, &[(position, value)]);
}

/// Checks offsets that break a rule where the error may name one of several: of two neighbours that descend, either
/// one.
#[track_caller]
fn wrong_pair<T: Offset>(offsets: &[T], len: usize, either: &[(usize, i128)]) {
    let x: Vec<u32> = (0..len as u32).collect();
    let mut out = vec![7u32; len];
    let scan = Scan::new(Sum).segments(Segments::Offsets(offsets)).run(&Device::cpu(), &x, &mut out);
    let mut sums = vec![7u32; offsets.len() - 1];
    let reduce = Reduce::new(Sum).segments(Segments::Offsets(offsets)).run(&Device::cpu(), &x, &mut sums);
    for (what, result) in [("scan", scan), ("reduce", reduce)] {
        match result {
            Err(Error::Offsets { index, offset, rule }) => {
                assert!(either.contains(&(index, offset)), "{what} must name one of {either:?}: {offset} at {index}");
                assert!(!rule.is_empty());
            }
            other => panic!("{what} must name one of {either:?}: {other:?}"),
        }
    }
    assert!(out.iter().chain(&sums).all(|&x| x == 7), "the output was touched");
}

#[test]
fn error_offsets_rules() {
    wrong_offsets(&[1u32, 10], 10, 0, 1);
    wrong_offsets(&[0u32, 5, 4, 10], 10, 2, 4);
    wrong_offsets(&[0i64, -1, 10], 10, 1, -1);
    wrong_offsets(&[i32::MIN, 10], 10, 0, i128::from(i32::MIN));
    wrong_offsets(&[0usize, 5, 9], 10, 2, 9);
    wrong_offsets(&[0u64, 5, 11], 10, 2, 11);
    wrong_pair(&[0u64, u64::MAX, 10], 10, &[(1, i128::from(u64::MAX)), (2, 10)]);
    wrong_offsets(&[0u32, 1], 0, 1, 1);
    wrong_offsets(&[3u32], 10, 0, 3);
}

/// One wrong offset among very many: each core must look, and the first one counts.
#[test]
fn error_offsets_deep_inside() {
    let len = 300_000;
    let mut offsets = cuts::offsets(len, 100_000);
    let (early, late) = (70_001, 90_001);
    offsets[late] = u64::MAX;
    offsets[early] = 0;
    wrong_offsets(&offsets, len, early, 0);
}

#[test]
fn error_offsets_that_miss_the_end() {
    wrong_offsets(&[0u32], 10, 0, 0);
}

#[test]
fn reduce_error_more_segments_than_room() {
    let x = [1u32; 100];
    let Cut::HeadFlags(flags) = cuts::head_flags(100, 3) else { unreachable!() };
    let expected = Cut::HeadFlags(flags.clone()).lines(100).len();
    for found in [1, expected - 1] {
        let mut out = vec![0u32; found];
        let result = Reduce::new(Sum).segments(Segments::HeadFlags(&flags)).run(&Device::cpu(), &x, &mut out);
        assert_eq!(result, Err(Error::Length { what: "output", found, expected }));
    }
    let mut out = vec![0u32; expected];
    assert_eq!(Reduce::new(Sum).segments(Segments::HeadFlags(&flags)).run(&Device::cpu(), &x, &mut out), Ok(()));
}

/// Each message names the values, on one line.
#[test]
fn error_messages_have_the_values() {
    let device = Device::cpu();
    let x = [1u32; 6];
    let mut out = [0u32; 6];
    let texts = [Text { len: 1, power: 3, hash: 5 }];
    let (short, offsets) = ([true; 5], [0u32, 7]);
    let errors = [
        (Scan::new(Sum).run(&device, &x, &mut [0u32; 7]), &["output", "7", "6"][..]),
        (Scan::new(Sum).axis(&[2, 4], 0).run(&device, &x, &mut out), &["[2, 4]", "6"]),
        (Scan::new(Sum).axis(&[2, 3], 2).run(&device, &x, &mut out), &["axis 2", "axes 0 to 1"]),
        (Scan::new(Sum).segments(Segments::HeadFlags(&short)).run(&device, &x, &mut out), &["flags", "5", "6"]),
        (Scan::new(Sum).segments(Segments::Offsets(&offsets)).run(&device, &x, &mut out), &["7", "position 1"]),
        (Scan::new(Concat).exclusive().run(&device, &texts, &mut texts.clone()), &["Concat", "init"]),
    ];
    for (result, words) in errors {
        let message = result.unwrap_err().to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{words:?} in: {message}");
        assert!(!message.contains('\n'), "{message}");
    }
}

/// There is no GPU 4096 anywhere, and no driver at all on most machines: either is an error that says so.
#[cfg(feature = "cuda")]
#[test]
fn error_device_that_is_not_there() {
    match Device::cuda(4096) {
        Err(Error::Device { reason }) => assert!(!reason.is_empty()),
        other => panic!("GPU 4096: {other:?}"),
    }
}

#[test]
fn device_best_computes_something() {
    let device = Device::best().unwrap();
    let x = device.upload(&[3u32, 1, 7, 0, 4, 1, 6, 3]).unwrap();
    assert_eq!(device.inclusive_scan(&x, Sum).unwrap().to_vec().unwrap(), [3, 4, 11, 11, 15, 16, 22, 25]);
}
