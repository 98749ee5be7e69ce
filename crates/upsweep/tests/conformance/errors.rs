//! Every documented precondition of scan and reduce: the exact error, and an unchanged output.

use upsweep::operator::builtin::Sum;
use upsweep::{Error, Reduce, Scan, Segments};
use upsweep_testing::on_each_backend;
use upsweep_testing::operators::{Concat, Text};
use upsweep_testing::place::{Buffer, Place};
use upsweep_testing::sample::Sample;

on_each_backend!(
    scan_error_output_length,
    scan_error_segment_lengths,
    scan_error_shape,
    scan_error_axis,
    scan_error_no_identity,
    scan_error_segments_with_axis,
    scan_error_portable_columns,
    scan_error_empty_init_buffer,
    reduce_error_output_length,
    reduce_error_segment_lengths,
    reduce_error_shape_and_axis,
    reduce_error_no_identity,
    reduce_error_segments_with_axis,
    reduce_error_empty_buffers,
);

const X: [u32; 6] = [1, 2, 3, 4, 5, 6];

fn length(what: &'static str, found: usize, expected: usize) -> Error {
    Error::Length { what, found, expected }
}

/// Gives `call` an output of `len` elements, and expects `error` and an unchanged output.
#[track_caller]
fn fails(
    place: &Place,
    len: usize,
    error: &Error,
    call: impl FnOnce(&Buffer<u32>, &mut Buffer<u32>) -> upsweep::Result<()>,
) {
    let (input, mut output) = (place.upload(&X, 1), place.poisoned::<u32>(len, 2));
    assert_eq!(call(&input, &mut output).as_ref(), Err(error));
    assert!(output.check_guards().iter().all(|x| x.same(&u32::poison())), "the output was touched before {error}");
    assert_eq!(input.check_guards(), X);
}

fn scan_error_output_length(place: &Place) {
    for len in [0, 5, 7] {
        let error = length("output", len, 6);
        fails(place, len, &error, |x, out| Scan::new(Sum).run(&place.device, x, out));
        fails(place, len, &error, |x, out| Scan::new(Sum).axis(&[2, 3], 0).run(&place.device, x, out));
    }
}

fn scan_error_segment_lengths(place: &Place) {
    for found in [0, 5, 7] {
        let (flags, keys) = (place.upload(&vec![true; found], 0), place.upload(&vec![1u8; found], 0));
        fails(place, 6, &length("head flags", found, 6), |x, out| {
            Scan::new(Sum).segments(Segments::HeadFlags(&flags)).run(&place.device, x, out)
        });
        fails(place, 6, &length("keys", found, 6), |x, out| {
            Scan::new(Sum).segments(Segments::Keys(&keys)).run(&place.device, x, out)
        });
    }
    let offsets = place.upload::<u32>(&[], 0);
    fails(place, 6, &Error::TooFew { what: "offsets", found: 0, least: 1 }, |x, out| {
        Scan::new(Sum).segments(Segments::Offsets(&offsets)).run(&place.device, x, out)
    });
}

/// Shapes of another number of elements, also where the product overflows or one axis is 0.
const WRONG_SHAPES: [&[usize]; 7] =
    [&[5], &[7], &[2, 2], &[2, 0, 3], &[usize::MAX, 2], &[1 << 33, 1 << 33], &[3, usize::MAX, usize::MAX, 2]];

fn scan_error_shape(place: &Place) {
    for shape in WRONG_SHAPES {
        let error = Error::Shape { shape: shape.to_vec(), len: 6 };
        fails(place, 6, &error, |x, out| Scan::new(Sum).axis(shape, 0).run(&place.device, x, out));
        fails(place, 6, &error, |_, out| Scan::new(Sum).axis(shape, 0).run_in_place(&place.device, out));
        fails(place, 6, &error, |x, out| Scan::new(Sum).axis(shape, shape.len() - 1).run(&place.device, x, out));
    }
}

fn scan_error_axis(place: &Place) {
    for (shape, axis) in [(&[2usize, 3][..], 2), (&[2, 3], 3), (&[6], 1), (&[], 0), (&[2, 3], usize::MAX)] {
        let error = Error::Axis { axis, axes: shape.len() };
        fails(place, 6, &error, |x, out| Scan::new(Sum).axis(shape, axis).run(&place.device, x, out));
        fails(place, 6, &error, |_, out| Scan::new(Sum).axis(shape, axis).run_in_place(&place.device, out));
    }
}

/// Three texts, and an output for `len`.
fn texts(place: &Place, len: usize) -> (Buffer<Text>, Buffer<Text>) {
    (place.upload(&[Text { len: 1, power: 3, hash: 5 }; 3], 0), place.poisoned(len, 0))
}

/// Expects an error about the missing identity of [`Concat`] and an unchanged output.
#[track_caller]
fn no_identity(result: upsweep::Result<()>, output: &Buffer<Text>) {
    match result {
        Err(Error::NoIdentity { operator, needed_by }) => {
            assert_eq!(operator, std::any::type_name::<Concat>());
            assert!(!needed_by.is_empty());
        }
        other => panic!("must be NoIdentity: {other:?}"),
    }
    assert!(output.check_guards().iter().all(|x| x.same(&Text::poison())), "the output was touched");
}

fn scan_error_no_identity(place: &Place) {
    let (x, mut out) = texts(place, 3);
    let scan = Scan::new(Concat).exclusive();
    no_identity(scan.run(&place.device, &x, &mut out), &out);
    no_identity(scan.reverse().run(&place.device, &x, &mut out), &out);
    no_identity(scan.axis(&[3, 1], 1).run(&place.device, &x, &mut out), &out);
    no_identity(scan.run_in_place(&place.device, &mut out), &out);
    let offsets = place.upload(&[0u32, 3], 0);
    no_identity(scan.segments(Segments::Offsets(&offsets)).run(&place.device, &x, &mut out), &out);
    assert!(matches!(place.device.exclusive_scan(&x, Concat), Err(Error::NoIdentity { .. })));
    // Neither an inclusive scan nor one with an initial value needs an identity.
    assert_eq!(Scan::new(Concat).run(&place.device, &x, &mut out), Ok(()));
    assert_eq!(scan.init(Text { len: 0, power: 1, hash: 0 }).run(&place.device, &x, &mut out), Ok(()));
}

/// The error for an axis together with segments.
macro_rules! with_axis {
    ($place:ident, $call:expr) => {
        let (flags, keys) = ($place.upload(&[true; 6], 0), $place.upload(&[1u8; 6], 0));
        let offsets = $place.upload(&[0u64, 6], 0);
        let mut out = $place.poisoned::<u32>(6, 0);
        let x = $place.upload(&X, 0);
        let results = [
            $call.segments(Segments::HeadFlags(&flags)).run(&$place.device, &x, &mut out),
            $call.segments(Segments::Keys(&keys)).run(&$place.device, &x, &mut out),
            $call.segments(Segments::Offsets(&offsets)).run(&$place.device, &x, &mut out),
        ];
        for result in results {
            assert!(matches!(result, Err(Error::Options { .. })), "{result:?}");
        }
        assert!(out.check_guards().iter().all(|x| x.same(&u32::poison())), "the output was touched");
    };
}

fn scan_error_segments_with_axis(place: &Place) {
    with_axis!(place, Scan::new(Sum).axis(&[2, 3], 1));
}

/// A portable scan of floats along another axis than the last is refused; what the error advises is not.
fn scan_error_portable_columns(place: &Place) {
    let x = place.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], 0);
    let mut out = place.poisoned::<f32>(6, 0);
    let scan = Scan::new(Sum).axis(&[2, 3], 0);
    let refused = scan.portable().run(&place.device, &x, &mut out);
    let Err(Error::Options { options, reason }) = refused else { panic!("{refused:?}") };
    assert!(options.contains("another axis") && reason.contains("move the axis to the end"), "{options}: {reason}");
    assert!(out.check_guards().iter().all(|x| x.same(&f32::poison())), "the output was touched");
    assert_eq!(scan.run(&place.device, &x, &mut out), Ok(()));
    assert_eq!(out.check_guards(), [1.0, 2.0, 3.0, 5.0, 7.0, 9.0]);
    assert_eq!(Scan::new(Sum).axis(&[2, 3], 1).portable().run(&place.device, &x, &mut out), Ok(()));
    assert_eq!(out.check_guards(), [1.0, 3.0, 6.0, 4.0, 9.0, 15.0]);
    // Results that are exact are the same on every device.
    let x = place.upload(&X, 0);
    let mut out = place.poisoned::<u32>(6, 0);
    assert_eq!(Scan::new(Sum).axis(&[2, 3], 0).portable().run(&place.device, &x, &mut out), Ok(()));
}

fn reduce_error_segments_with_axis(place: &Place) {
    with_axis!(place, Reduce::new(Sum).axis(&[2, 3], 1));
}

fn scan_error_empty_init_buffer(place: &Place) {
    let empty = place.upload::<u32>(&[], 0);
    let error = length("initial value", 0, 1);
    fails(place, 6, &error, |x, out| Scan::new(Sum).init_from(&empty).run(&place.device, x, out));
    fails(place, 6, &error, |x, out| Scan::new(Sum).exclusive().init_from(&empty).run(&place.device, x, out));
}

fn reduce_error_output_length(place: &Place) {
    for len in [0, 2, 6] {
        fails(place, len, &length("output", len, 1), |x, out| Reduce::new(Sum).run(&place.device, x, out));
    }
    for len in [0, 1, 3, 6] {
        let error = length("output", len, 2);
        fails(place, len, &error, |x, out| Reduce::new(Sum).axis(&[2, 3], 1).run(&place.device, x, out));
        let offsets = place.upload(&[0u32, 4, 6], 0);
        fails(place, len, &error, |x, out| {
            Reduce::new(Sum).segments(Segments::Offsets(&offsets)).run(&place.device, x, out)
        });
    }
    let x = place.upload(&X, 0);
    // One value is the result of one line, whichever axis that is along; of side-by-side lines it is no result.
    for (shape, axis, lines) in [([2, 3], 1, 2), ([2, 3], 0, 3), ([1, 6], 0, 6), ([6, 1], 1, 6)] {
        let several = Reduce::new(Sum).axis(&shape, axis).run_to_host::<_, u32>(&place.device, &x);
        assert_eq!(several, Err(length("output", 1, lines)));
    }
    for (shape, axis) in [([6, 1], 0), ([1, 6], 1)] {
        let one = Reduce::new(Sum).axis(&shape, axis).run_to_host(&place.device, &x);
        assert_eq!(one, Ok(X.iter().sum::<u32>()));
    }
}

fn reduce_error_segment_lengths(place: &Place) {
    for found in [0, 5, 7] {
        let (flags, keys) = (place.upload(&vec![true; found], 0), place.upload(&vec![1u8; found], 0));
        fails(place, 6, &length("head flags", found, 6), |x, out| {
            Reduce::new(Sum).segments(Segments::HeadFlags(&flags)).run(&place.device, x, out)
        });
        fails(place, 6, &length("keys", found, 6), |x, out| {
            Reduce::new(Sum).segments(Segments::Keys(&keys)).run(&place.device, x, out)
        });
    }
    let offsets = place.upload::<i64>(&[], 0);
    fails(place, 0, &Error::TooFew { what: "offsets", found: 0, least: 1 }, |x, out| {
        Reduce::new(Sum).segments(Segments::Offsets(&offsets)).run(&place.device, x, out)
    });
}

fn reduce_error_shape_and_axis(place: &Place) {
    for shape in WRONG_SHAPES {
        let error = Error::Shape { shape: shape.to_vec(), len: 6 };
        fails(place, 1, &error, |x, out| Reduce::new(Sum).axis(shape, 0).run(&place.device, x, out));
    }
    let error = Error::Axis { axis: 2, axes: 2 };
    fails(place, 2, &error, |x, out| Reduce::new(Sum).axis(&[2, 3], 2).run(&place.device, x, out));
    let error = Error::Axis { axis: 0, axes: 0 };
    fails(place, 1, &error, |x, out| Reduce::new(Sum).axis(&[], 0).run(&place.device, x, out));
}

fn reduce_error_no_identity(place: &Place) {
    let nothing = place.upload::<Text>(&[], 0);
    let mut out = place.poisoned::<Text>(1, 0);
    no_identity(Reduce::new(Concat).run(&place.device, &nothing, &mut out), &out);
    assert!(matches!(place.device.reduce(&nothing, Concat), Err(Error::NoIdentity { .. })));
    let mut out = place.poisoned::<Text>(4, 0);
    no_identity(Reduce::new(Concat).axis(&[4, 0], 1).run(&place.device, &nothing, &mut out), &out);
    // Without lines nothing is empty.
    let mut none = place.poisoned::<Text>(0, 0);
    assert_eq!(Reduce::new(Concat).axis(&[4, 0], 0).run(&place.device, &nothing, &mut none), Ok(()));
    // A segment by offsets may be empty, whether or not one is.
    let (x, mut out) = texts(place, 1);
    let offsets = place.upload(&[0u32, 3], 0);
    let reduce = Reduce::new(Concat).segments(Segments::Offsets(&offsets));
    no_identity(reduce.run(&place.device, &x, &mut out), &out);
    assert_eq!(reduce.init(Text { len: 0, power: 1, hash: 0 }).run(&place.device, &x, &mut out), Ok(()));
}

fn reduce_error_empty_buffers(place: &Place) {
    let empty = place.upload::<u32>(&[], 0);
    fails(place, 1, &length("initial value", 0, 1), |x, out| {
        Reduce::new(Sum).init_from(&empty).run(&place.device, x, out)
    });
    let mut count = place.upload::<u64>(&[], 0);
    fails(place, 1, &length("count", 0, 1), |x, out| Reduce::new(Sum).run_counted(&place.device, x, out, &mut count));
}
