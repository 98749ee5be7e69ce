//! Elements of the standard library and of other crates, and sums in the size of a pointer.

use std::num::Wrapping;
use upsweep::prelude::*;
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::sample::random_values;
use upsweep_testing::sizes;

on_each_backend! { wrapping_integers, sizes_of_pointers, complex_numbers }

fn lens() -> Vec<usize> {
    [sizes::few(), vec![4_096, 100_003]].concat()
}

fn wrapping_integers(place: &Place) {
    let device = &place.device;
    for len in lens() {
        macro_rules! types {
            ($($t:ident)*) => { $(
                let x: Vec<Wrapping<$t>> = random_values::<$t>(len).into_iter().map(Wrapping).collect();
                let on = device.upload(&x).unwrap();
                let sums: Vec<Wrapping<$t>> = x.iter().scan(Wrapping(0), |sum, x| Some({ *sum += *x; *sum })).collect();
                assert_eq!(Scan::new(Sum).run_to_vec(device, &on), Ok(sums.clone()), "{len} {}", stringify!($t));
                let total = sums.last().copied().unwrap_or_default();
                assert_eq!(device.reduce(&on, Sum), Ok(total), "{len} {}", stringify!($t));
                let highest = x.iter().copied().max().unwrap_or(Wrapping($t::MIN));
                assert_eq!(device.reduce(&on, Max), Ok(highest), "{len} {}", stringify!($t));
                let product: Wrapping<$t> = x.iter().map(|x| *x | Wrapping(1)).product();
                let on = device.upload(&x.iter().map(|x| *x | Wrapping(1)).collect::<Vec<_>>()).unwrap();
                assert_eq!(device.reduce(&on, Product), Ok(product), "{len} {}", stringify!($t));
            )* };
        }
        types! { u8 i16 u32 i64 u128 usize }
    }
}

fn sizes_of_pointers(place: &Place) {
    let x = vec![u32::MAX; 5_003];
    let on = place.upload(&x, 1);
    let offsets: Vec<usize> = (1..=x.len()).map(|i| i * u32::MAX as usize).collect();
    assert_eq!(Scan::new(Sum).accumulate::<usize>().run_to_vec(&place.device, &on), Ok(offsets));
    let on = place.upload(&[i32::MIN; 3], 1);
    let sum = Reduce::new(Sum).accumulate::<isize>();
    assert_eq!(sum.run_to_host(&place.device, &on), Ok(3 * i32::MIN as isize));
}

#[cfg(not(feature = "num-complex"))]
fn complex_numbers(_: &Place) {}

#[cfg(feature = "num-complex")]
fn complex_numbers(place: &Place) {
    use upsweep::num_complex::Complex;
    let device = &place.device;
    for len in lens() {
        // Small whole numbers, whose sums are exact, and powers of i, whose products are.
        let x: Vec<Complex<f64>> = (0..len).map(|i| Complex::new((i % 97) as f64, (i % 31) as f64 - 9.0)).collect();
        let on = device.upload(&x).unwrap();
        let sums: Vec<Complex<f64>> = x
            .iter()
            .scan(Complex::default(), |sum, x| {
                Some({
                    *sum += x;
                    *sum
                })
            })
            .collect();
        assert_eq!(Scan::new(Sum).run_to_vec(device, &on), Ok(sums.clone()), "{len}");
        assert_eq!(device.reduce(&on, Sum), Ok(sums.last().copied().unwrap_or_default()), "{len}");
        let rows = len / 3;
        let along: Vec<Complex<f64>> = (0..3 * rows).map(|i| x[i / 3 * 3..=i].iter().sum()).collect();
        let (on_rows, shape) = (device.upload(&x[..3 * rows]).unwrap(), [rows, 3]);
        assert_eq!(Scan::new(Sum).axis(&shape, 1).run_to_vec(device, &on_rows), Ok(along), "{len}");
        let turns: Vec<Complex<f32>> = (0..len).map(|i| Complex::i().powu((i % 7) as u32)).collect();
        let product: Complex<f32> = turns.iter().product();
        let on = device.upload(&turns).unwrap();
        assert_eq!(device.reduce(&on, Product), Ok(product), "{len}");
    }
}
