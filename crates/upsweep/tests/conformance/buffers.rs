//! The forms of input and output that a call accepts, and the device's own short calls.

use upsweep::operator::builtin::{Max, Sum};
use upsweep::{Array, Device, Reduce, Scan, Segments};
use upsweep_testing::on_each_backend;
use upsweep_testing::operators::{Concat, Text};
use upsweep_testing::place::Place;

on_each_backend!(device_upload_and_download, device_short_calls, device_arrays_as_every_buffer, scan_reused_options);

const X: [i64; 5] = [3, -1, 4, 1, -5];

fn device_upload_and_download(place: &Place) {
    let device = &place.device;
    let x = device.upload(&X).unwrap();
    assert_eq!((x.len(), x.is_empty(), x.to_vec().unwrap()), (5, false, X.to_vec()));
    let none = device.upload::<Text>(&[]).unwrap();
    assert_eq!((none.len(), none.is_empty(), none.to_vec().unwrap()), (0, true, vec![]));
    let filled = device.filled(1000, (7u8, 9u32)).unwrap();
    assert!(filled.len() == 1000 && filled.to_vec().unwrap().iter().all(|&x| x == (7, 9)));
}

fn device_short_calls(place: &Place) {
    let device = &place.device;
    let x = device.upload(&X).unwrap();
    assert_eq!(device.inclusive_scan(&x, Sum).unwrap().to_vec().unwrap(), [3, 2, 6, 7, 2]);
    assert_eq!(device.exclusive_scan(&x, Sum).unwrap().to_vec().unwrap(), [0, 3, 2, 6, 7]);
    assert_eq!(device.exclusive_scan(&x, Max).unwrap().to_vec().unwrap(), [i64::MIN, 3, 3, 4, 4]);
    assert_eq!(device.reduce(&x, Sum), Ok(2));
    let texts = device.upload(&[Text { len: 1, power: 3, hash: 1 }; 2]).unwrap();
    assert_eq!(device.reduce(&texts, Concat), Ok(Text { len: 2, power: 9, hash: 4 }));
    let none = device.upload::<i64>(&[]).unwrap();
    assert!(device.inclusive_scan(&none, Sum).unwrap().is_empty());
    assert_eq!(device.reduce(&none, Sum), Ok(0));
}

fn device_arrays_as_every_buffer(place: &Place) {
    let device = &place.device;
    let x = device.upload(&X).unwrap();
    let (flags, init) =
        (device.upload(&[false, false, true, false, false]).unwrap(), device.upload(&[100i64]).unwrap());
    let mut out = device.filled(5, 0i64).unwrap();
    Scan::new(Sum).segments(Segments::HeadFlags(&flags)).init_from(&init).run(device, &x, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [103, 102, 104, 105, 100]);
    let again: Array<i64> = Scan::new(Sum).reverse().run_to_array(device, &out).unwrap();
    assert_eq!(again.to_vec().unwrap(), [514, 411, 309, 205, 100]);
    let mut count = device.filled(1, 0u64).unwrap();
    Reduce::new(Max).segments(Segments::HeadFlags(&flags)).run_counted(device, &x, &mut out, &mut count).unwrap();
    assert_eq!((out.to_vec().unwrap(), count.to_vec().unwrap()), (vec![3, 4, 104, 105, 100], vec![2]));
}

/// One scan run again and again, on arrays of other lengths.
fn scan_reused_options(place: &Place) {
    let scan = Scan::new(Sum).exclusive().init(5u32);
    for len in [3, 40_000, 0, 1, 1025, 40_000] {
        let ones = place.upload(&vec![1u32; len], 0);
        let mut out = place.poisoned(len, 0);
        scan.run(&place.device, &ones, &mut out).unwrap();
        assert!(out.check_guards().iter().enumerate().all(|(i, &x)| x == i as u32 + 5), "{len} elements");
    }
}

#[test]
fn host_slices_vectors_boxes_and_arrays() {
    let device = Device::cpu();
    let expected = [3, 2, 6, 7, 2];
    let mut out = [0i64; 5];
    Scan::new(Sum).run(&device, &X, &mut out).unwrap();
    assert_eq!(out, expected);
    let mut out = vec![0i64; 5];
    Scan::new(Sum).run(&device, &X[..], &mut out).unwrap();
    assert_eq!(out, expected);
    let mut out = vec![0i64; 5].into_boxed_slice();
    Scan::new(Sum).run(&device, &X.to_vec(), &mut out).unwrap();
    assert_eq!(*out, expected);
    let mut out = [0i64; 7];
    Scan::new(Sum).run(&device, &X.to_vec().into_boxed_slice(), &mut out[1..6]).unwrap();
    assert_eq!(out, [0, 3, 2, 6, 7, 2, 0]);
    Scan::new(Sum).run_in_place(&device, &mut out[..]).unwrap();
    assert_eq!(out, [0, 3, 5, 11, 18, 20, 20]);
}
