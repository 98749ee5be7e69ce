//! Errors of calls, with their values.

use crate::support::on_each_backend;
use crate::support::place::Place;
use upsweep::Error;
use upsweep::prelude::*;

on_each_backend! { coefficients, lengths, places }

fn told(place: &Place, b: &[f64], a: &[f64]) -> String {
    let (input, mut output) = (place.upload(&[1.0f64; 3], 0), place.poisoned::<f64>(3, 0));
    let error = Recurrence::new(b, a).run(&place.device, &input, &mut output).unwrap_err();
    assert!(matches!(error, Error::Coefficients { .. }), "{error:?}");
    assert!(output.check_guards().iter().all(|y| y.to_bits() == 0xABAB_ABAB_ABAB_ABAB), "something is written");
    error.to_string()
}

fn coefficients(place: &Place) {
    let of_none = "is 0: a recurrence has at least b[0] and a[0]";
    assert_eq!(told(place, &[], &[1.0]), format!("the number of coefficients b {of_none}"));
    assert_eq!(told(place, &[1.0], &[]), format!("the number of coefficients a {of_none}"));
    let of_many = "is 18: the order is at most 16: cut a filter of a higher one into a cascade of sections";
    assert_eq!(told(place, &[1.0; 18], &[1.0]), format!("the number of coefficients b {of_many}"));
    assert_eq!(told(place, &[1.0], &[1.0; 18]), format!("the number of coefficients a {of_many}"));
    let of_zero = "all coefficients are divided by it, so it must be another number than 0";
    assert_eq!(told(place, &[1.0], &[0.0, 1.0]), format!("a[0] is 0: {of_zero}"));
    assert_eq!(told(place, &[1.0], &[-0.0]), format!("a[0] is -0: {of_zero}"));
    assert_eq!(told(place, &[1.0], &[f64::NAN]), "a[0] is NaN: coefficients are finite numbers");
    assert_eq!(told(place, &[1.0, f64::NAN], &[1.0]), "b[1] is NaN: coefficients are finite numbers");
    assert_eq!(told(place, &[1.0], &[1.0, 2.0, f64::INFINITY]), "a[2] is inf: coefficients are finite numbers");
    assert_eq!(told(place, &[1e300], &[1e-300])[..10], *"b[0] is 10");

    let (input, mut output) = (place.upload(&[1u32; 3], 0), place.poisoned::<u32>(3, 0));
    let error = Recurrence::new(&[1], &[2]).run(&place.device, &input, &mut output).unwrap_err();
    let expected = "a[0] is 2: all coefficients are divided by it, and integers have no quotients: it must be 1";
    assert_eq!(error.to_string(), expected);
    for sections in [0, 9] {
        let sos = vec![[1u32; 6]; sections];
        let error = Recurrence::sections(&sos).run(&place.device, &input, &mut output).unwrap_err();
        let rule = "a cascade has 1 to 8 sections: run a longer one in several calls";
        assert_eq!(error.to_string(), format!("the number of sections is {sections}: {rule}"));
    }
    let error = Recurrence::sections(&[[1u32; 6], [1, 1, 1, 0, 1, 1]]).run(&place.device, &input, &mut output);
    let expected = format!("a[0] of section 1 is 0: {of_zero}");
    assert_eq!(error.unwrap_err().to_string(), expected);
}

fn lengths(place: &Place) {
    let input = place.upload(&[1.0f32; 12], 0);
    let (mut short, mut output) = (place.poisoned::<f32>(11, 0), place.poisoned::<f32>(12, 0));
    let recurrence = Recurrence::new(&[1.0f32], &[1.0, 0.5, 0.25]);
    let error = recurrence.run(&place.device, &input, &mut short);
    assert_eq!(error, Err(Error::Length { what: "output", found: 11, expected: 12 }));
    let error = recurrence.axis(&[3, 5], 0).run(&place.device, &input, &mut output);
    assert_eq!(error, Err(Error::Shape { shape: vec![3, 5], len: 12 }));
    let error = recurrence.axis(&[3, 4], 2).run(&place.device, &input, &mut output);
    assert_eq!(error, Err(Error::Axis { axis: 2, axes: 2 }));
    for found in [0, 5, 7] {
        let mut states = place.poisoned::<f32>(found, 0);
        let lines = recurrence.axis(&[3, 4], 1);
        let error = lines.state(&states).run(&place.device, &input, &mut output);
        assert_eq!(error, Err(Error::Length { what: "initial states", found, expected: 6 }));
        let error = lines.run_with_state(&place.device, &input, &mut output, &mut states);
        assert_eq!(error, Err(Error::Length { what: "final states", found, expected: 6 }));
    }
}

fn places(place: &Place) {
    if !place.is_cuda() {
        return;
    }
    let (input, mut output) = (place.upload(&[1.0f32; 4], 0), place.poisoned::<f32>(4, 0));
    let recurrence = Recurrence::new(&[1.0f32], &[1.0, 0.5]);
    let wrong = |what| Err(Error::Place { what, found: "host", expected: "CUDA" });
    assert_eq!(recurrence.run(&place.device, &[1.0f32; 4], &mut output), wrong("input"));
    assert_eq!(recurrence.run(&place.device, &input, &mut [0.0f32; 4]), wrong("output"));
    assert_eq!(recurrence.state(&[1.0f32]).run(&place.device, &input, &mut output), wrong("initial states"));
    let error = recurrence.run_with_state(&place.device, &input, &mut output, &mut [0.0f32]);
    assert_eq!(error, wrong("final states"));
}
