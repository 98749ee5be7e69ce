//! Elements of the standard library and of other crates, and sums in the size of a pointer.

use std::num::Wrapping;
use upsweep::prelude::*;
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;
use upsweep_testing::sample::random_values;
use upsweep_testing::sizes;

on_each_backend! { wrapping_integers, sizes_of_pointers, tuples_of_operators, complex_numbers, recurrences_of_wrapping_integers }

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

fn recurrences_of_wrapping_integers(place: &Place) {
    let device = &place.device;
    for len in lens() {
        macro_rules! types {
            ($($t:ident)*) => { $(
                let case = format!("{len} {}", stringify!($t));
                let x: Vec<Wrapping<$t>> = random_values::<$t>(len).into_iter().map(Wrapping).collect();
                let on = device.upload(&x).unwrap();
                let (b, a) = ([Wrapping(3), Wrapping(7)], [Wrapping(1), Wrapping($t::MAX - 4), Wrapping(9)]);
                let filtered = |x: &[Wrapping<$t>]| {
                    let (mut before, mut y, mut y_before) = (Wrapping(0), Wrapping(0), Wrapping(0));
                    x.iter().map(|&x| {
                        let next = b[0] * x + b[1] * before - a[1] * y - a[2] * y_before;
                        (before, y_before, y) = (x, y, next);
                        y
                    }).collect::<Vec<Wrapping<$t>>>()
                };
                let recurrence = Recurrence::new(&b, &a);
                assert_eq!(recurrence.run_to_vec(device, &on), Ok(filtered(&x)), "{case}");
                // The same bits as those of plain integers.
                let (plain_b, plain_a) = (b.map(|b| b.0), a.map(|a| a.0));
                let plain: Vec<$t> = x.iter().map(|x| x.0).collect();
                let on_plain = place.upload(&plain, 0);
                let found = Recurrence::new(&plain_b, &plain_a).run_to_vec(device, &on_plain).unwrap();
                assert_eq!(found, filtered(&x).iter().map(|y| y.0).collect::<Vec<$t>>(), "{case}");
                let (rows, shape) = (&x[..len / 5 * 5], [len / 5, 5]);
                let mut on_rows = device.upload(rows).unwrap();
                recurrence.axis(&shape, 1).run_in_place(device, &mut on_rows).unwrap();
                let along: Vec<Wrapping<$t>> = rows.chunks(5).flat_map(filtered).collect();
                assert_eq!(on_rows.to_vec(), Ok(along), "{case}, along rows");
            )* };
        }
        types! { u32 i32 u64 i64 }
    }
    let wrong = Recurrence::new(&[Wrapping(1u32)], &[Wrapping(3)]).run_to_vec(device, &[Wrapping(0u32); 0]);
    assert!(matches!(wrong, Err(upsweep::Error::Coefficients { .. })), "{wrong:?}");
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

/// Scans and reductions of columns side by side, each by an operator of its own.
fn tuples_of_operators(place: &Place) {
    let device = &place.device;
    for len in lens() {
        let (x, y, z) = (random_values::<u32>(len), random_values::<i32>(len), random_values::<u32>(len));
        let (on_x, on_y, on_z) = (place.upload(&x, 1), place.upload(&y, 0), place.upload(&z, 1));
        let mut running = (0u32, i32::MIN, 0u32);
        let mut next = |i: usize| {
            running = (running.0.wrapping_add(x[i]), running.1.max(y[i]), running.2 ^ z[i]);
            running
        };
        let expected: Vec<(u32, i32, u32)> = (0..len).map(&mut next).collect();
        let scan = Scan::new((Sum, Max, Xor));
        assert_eq!(scan.run_to_vec(device, (&on_x, &on_y, &on_z)), Ok(expected.clone()), "{len}");
        let (mut sums, mut highest) = (place.poisoned::<u32>(len, 1), place.poisoned::<i32>(len, 1));
        Scan::new((Sum, Max)).exclusive().run(device, (&on_x, &on_y), (&mut sums, &mut highest)).unwrap();
        let before = |i: usize| if i == 0 { (0, i32::MIN, 0) } else { expected[i - 1] };
        assert_eq!(sums.check_guards(), (0..len).map(|i| before(i).0).collect::<Vec<u32>>(), "{len}");
        assert_eq!(highest.check_guards(), (0..len).map(|i| before(i).1).collect::<Vec<i32>>(), "{len}");
        let total = expected.last().copied().unwrap_or((0, i32::MIN, 0));
        assert_eq!(Reduce::new((Sum, Max, Xor)).run_to_host(device, (&on_x, &on_y, &on_z)), Ok(total), "{len}");
    }
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
