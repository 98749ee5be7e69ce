//! Tests of images: summed-area tables, box and Gaussian blurs, thresholds, equalisation, brightness.

use crate::{Random, cases};
use upsweep::{Device, Error as Wrong};
use upsweep_apps::Error;
use upsweep_apps::image::{Area, BoxBlur, Extent, GaussianBlur, LocalVariance, SummedArea, Threshold, equalise, gamma};

cases! {
    tables_and_sums, overflow, box_blurs, wide_windows, variances, thresholds, equalised, brightened, wide_range, other_programs, the_lecture, refused
}

/// Pixels of a window, as far as they are in the image.
fn around(e: Extent, at: usize, radius: usize) -> Vec<usize> {
    let [_, h, w, c] = e.shape();
    let (ch, pixel) = (at % c, at / c);
    let (plane, y, x) = (pixel / (h * w), pixel / w % h, pixel % w);
    let rows = y.saturating_sub(radius)..(y + radius + 1).min(h);
    let columns = x.saturating_sub(radius)..(x + radius + 1).min(w);
    rows.flat_map(|y| columns.clone().map(move |x| ((plane * h + y) * w + x) * c + ch)).collect()
}

const EXTENTS: [(usize, usize, usize, usize); 6] =
    [(1, 1, 1, 1), (1, 9, 1, 1), (8, 1, 1, 3), (13, 17, 1, 1), (9, 12, 2, 3), (70, 45, 3, 1)];

fn extents() -> impl Iterator<Item = Extent> {
    EXTENTS.into_iter().map(|(h, w, planes, channels)| Extent::new(h, w).planes(planes).channels(channels))
}

fn tables_and_sums(device: &Device) {
    let mut random = Random(1);
    for extent in extents() {
        let [planes, h, w, c] = extent.shape();
        let x = random.bytes(planes * h * w * c);
        let table = SummedArea::<u64>::build(device, &device.upload(&x).unwrap(), extent).unwrap();
        let mut areas: Vec<Area> = (0..60)
            .map(|_| {
                let (a, b, c, d) = (random.below(h + 1), random.below(h + 1), random.below(w + 1), random.below(w + 1));
                Area::new(a.min(b) as u32..a.max(b) as u32, c.min(d) as u32..c.max(d) as u32)
            })
            .collect();
        areas.push(Area::new(0..h as u32, 0..w as u32));
        let mut sums = device.filled(planes * areas.len() * c, 0u64).unwrap();
        table.sums(device, &device.upload(&areas).unwrap(), &mut sums).unwrap();
        let mut sums = sums.to_vec().unwrap().into_iter();
        for (p, area) in (0..planes).flat_map(|p| areas.iter().map(move |area| (p, area))) {
            for ch in 0..c {
                let pixels = (area.top..area.bottom).flat_map(|y| (area.left..area.right).map(move |x| (y, x)));
                let at =
                    |(row, column): (u32, u32)| u64::from(x[((p * h + row as usize) * w + column as usize) * c + ch]);
                assert_eq!(sums.next(), Some(pixels.map(at).sum()), "{extent:?} {area:?}");
            }
        }
    }
}

/// An overflow of the sums' type is found beforehand, and the largest sum that fits is no error.
fn overflow(device: &Device) {
    // 4097 x 4113 x 255 is little more than 2^32; half of it is less.
    let (h, w) = (4113, 4097);
    let mut x = vec![255u8; h * w];
    let extent = Extent::new(h, w);
    let refused = SummedArea::<u32>::build(device, &device.upload(&x).unwrap(), extent).unwrap_err();
    let sum = 255 * (h * w) as u64;
    let expected = Error::Overflow { values: h * w, sum, most: u32::MAX.into(), accumulator: "u32" };
    assert_eq!(refused, expected);
    assert!(refused.to_string().contains(&sum.to_string()), "{refused}");
    x[..h * w / 2].fill(0);
    let table = SummedArea::<u32>::build(device, &device.upload(&x).unwrap(), extent).unwrap();
    let mut all = device.filled(1, 0u32).unwrap();
    let area = device.upload(&[Area::new(0..h as u32, 0..w as u32)]).unwrap();
    table.sums(device, &area, &mut all).unwrap();
    assert_eq!(u64::from(all.to_vec().unwrap()[0]), x.iter().map(|&x| u64::from(x)).sum::<u64>());
}

fn box_blurs(device: &Device) {
    let mut random = Random(2);
    for extent in extents() {
        let x = random.bytes(extent.shape().iter().product());
        let given = device.upload(&x).unwrap();
        let whole = SummedArea::<u32>::build(device, &given, extent).unwrap();
        for radius in [0usize, 1, 2, 7, 100, u32::MAX as usize] {
            let mut blurred = device.filled(x.len(), 0u8).unwrap();
            BoxBlur::new(radius as u32).run(device, &given, extent, &mut blurred).unwrap();
            let mut exact = device.filled(x.len(), 0.0f64).unwrap();
            let floats = device.upload(&x.iter().map(|&x| f64::from(x)).collect::<Vec<_>>()).unwrap();
            BoxBlur::new(radius as u32).run(device, &floats, extent, &mut exact).unwrap();
            let (blurred, exact) = (blurred.to_vec().unwrap(), exact.to_vec().unwrap());
            for at in 0..x.len() {
                let window = around(extent, at, radius);
                let (sum, n) = (window.iter().map(|&i| usize::from(x[i])).sum::<usize>(), window.len());
                assert_eq!(usize::from(blurred[at]), (2 * sum + n) / (2 * n), "{extent:?} {radius} {at}");
                assert_eq!(exact[at], sum as f64 / n as f64);
            }
        }
        // A radius for each pixel.
        let pixels = x.len() / extent.channels as usize;
        let radii: Vec<u32> = (0..pixels).map(|i| (i % 5) as u32).collect();
        let mut blurred = device.filled(x.len(), 0u8).unwrap();
        whole.box_blur_by(device, &device.upload(&radii).unwrap(), &mut blurred).unwrap();
        for (at, found) in blurred.to_vec().unwrap().into_iter().enumerate() {
            let window = around(extent, at, radii[at / extent.channels as usize] as usize);
            let (sum, n) = (window.iter().map(|&i| usize::from(x[i])).sum::<usize>(), window.len());
            assert_eq!(usize::from(found), (2 * sum + n) / (2 * n), "{extent:?} {at}");
        }
    }
}

/// Windows of more columns than a GPU block has room for, which need a table.
fn wide_windows(device: &Device) {
    let (width, radius) = (9000, 2000);
    let x: Vec<f64> = (0..2 * width).map(|i| (i * i % 251) as f64).collect();
    let (given, extent) = (device.upload(&x).unwrap(), Extent::new(2, width));
    let (mut blurred, mut variances) =
        (device.filled(x.len(), 0.0f64).unwrap(), device.filled(x.len(), 0.0f32).unwrap());
    BoxBlur::new(radius as u32).run(device, &given, extent, &mut blurred).unwrap();
    LocalVariance::new(radius as u32).run(device, &given, extent, &mut variances).unwrap();
    let (blurred, variances) = (blurred.to_vec().unwrap(), variances.to_vec().unwrap());
    for at in [0, 1, 1999, 4500, 8999, 9000, 13_777] {
        let window = around(extent, at, radius);
        let mean = |of: &dyn Fn(f64) -> f64| window.iter().map(|&i| of(x[i])).sum::<f64>() / window.len() as f64;
        assert_eq!(blurred[at], mean(&|x| x), "{at}");
        let variance = mean(&|x| x * x) - mean(&|x| x).powi(2);
        assert!((f64::from(variances[at]) - variance).abs() < 1e-3, "{at}: {} {variance}", variances[at]);
    }
}

fn variances(device: &Device) {
    let mut random = Random(3);
    for extent in extents() {
        let x = random.bytes(extent.shape().iter().product());
        let mut found = device.filled(x.len(), 0.0f32).unwrap();
        LocalVariance::new(2).run(device, &device.upload(&x).unwrap(), extent, &mut found).unwrap();
        for (at, found) in found.to_vec().unwrap().into_iter().enumerate() {
            let window = around(extent, at, 2);
            let n = window.len() as f64;
            let mean = window.iter().map(|&i| f64::from(x[i])).sum::<f64>() / n;
            let variance = window.iter().map(|&i| (f64::from(x[i]) - mean).powi(2)).sum::<f64>() / n;
            assert!((f64::from(found) - variance).abs() <= 1e-6 * variance.max(1.0), "{extent:?} {at}");
        }
    }
}

fn thresholds(device: &Device) {
    let mut random = Random(4);
    for extent in extents() {
        let x = random.bytes(extent.shape().iter().product());
        let given = device.upload(&x).unwrap();
        let (mut mean, mut sauvola) = (device.filled(x.len(), 7u8).unwrap(), device.filled(x.len(), 7u8).unwrap());
        Threshold::mean(3, 9.5).run(device, &given, extent, &mut mean).unwrap();
        Threshold::sauvola(3, 0.3, 128.0).run(device, &given, extent, &mut sauvola).unwrap();
        for (at, (mean, sauvola)) in mean.to_vec().unwrap().into_iter().zip(sauvola.to_vec().unwrap()).enumerate() {
            let window = around(extent, at, 3);
            let n = window.len() as f64;
            let m = window.iter().map(|&i| f64::from(x[i])).sum::<f64>() / n;
            let s = (window.iter().map(|&i| (f64::from(x[i]) - m).powi(2)).sum::<f64>() / n).sqrt();
            let (x, t) = (f64::from(x[at]), m * (1.0 + 0.3 * (s / 128.0 - 1.0)));
            assert_eq!(mean, if x > m - 9.5 { 255 } else { 0 }, "{extent:?} {at}");
            assert!((x - t).abs() < 1e-9 || sauvola == if x > t { 255 } else { 0 }, "{extent:?} {at}");
        }
    }
}

fn equalised(device: &Device) {
    let mut random = Random(5);
    for n in [0usize, 1, 2, 100, 5000] {
        let x: Vec<u8> = random.bytes(n).into_iter().map(|x| x / 3 + 40).collect();
        let mut found = device.filled(n, 0u8).unwrap();
        equalise(device, &device.upload(&x).unwrap(), &mut found).unwrap();
        let up_to = |v: u8| x.iter().filter(|&&x| x <= v).count();
        let first = x.iter().min().map_or(0, |&v| up_to(v));
        for (&x, found) in x.iter().zip(found.to_vec().unwrap()) {
            let share = (up_to(x) - first) as f64 * 255.0 / (n - first) as f64;
            assert_eq!(found, if n == first { x } else { (share + 0.5).floor() as u8 }, "{n}");
        }
    }
}

fn brightened(device: &Device) {
    let x: Vec<u8> = (0..=255).collect();
    let mut found = device.filled(256, 0u8).unwrap();
    gamma(device, &device.upload(&x).unwrap(), 1.0 / 2.2, &mut found).unwrap();
    let expected = |x: u8| (255.0 * (f64::from(x) / 255.0).powf(1.0 / 2.2) + 0.5).floor() as u8;
    assert_eq!(found.to_vec().unwrap(), x.iter().map(|&x| expected(x)).collect::<Vec<_>>());
    let mut found = device.filled(2, 0.0f32).unwrap();
    gamma(device, &device.upload(&[0.25f32, 1.0]).unwrap(), 0.5, &mut found).unwrap();
    assert_eq!(found.to_vec().unwrap(), [0.5, 1.0]);
}

/// Values with more digits than f32 has, or whose squares leave the range of f64.
fn wide_range(device: &Device) {
    let threshold = |x: &[f64], rule: Threshold| {
        let mut found = device.filled(x.len(), 7u8).unwrap();
        rule.run(device, &device.upload(x).unwrap(), Extent::new(1, x.len()), &mut found).unwrap();
        found.to_vec().unwrap()
    };
    let mean = Threshold::mean(1, 0.0);
    assert_eq!(threshold(&[100_000_000.5, 1e8, 1e8], mean), [255, 0, 0]);
    assert_eq!(threshold(&[1e300, 1.0, 1.0], mean), [255, 0, 0]);
    assert_eq!(threshold(&[1e-160, 1e-160, 0.0], mean), [0, 255, 0]);
    assert_eq!(threshold(&[1.7e308, 1.7e308, -1.7e308], mean), [0, 255, 0]);
    assert_eq!(threshold(&[0.1; 5], mean), [0; 5]);
    // Sauvola: m (1 + k (s / r - 1)), of (5, 5, 2) in units of the scale: m = 4 and s = sqrt 2.
    for scale in [1.0, 1e-200, 1e200, 1e-300, 1e300] {
        let x = [5.0 * scale, 5.0 * scale, 2.0 * scale];
        for (k, white) in [(0.5, true), (-0.9, false)] {
            let right = 5.0 > 4.0 * (1.0 + k * (2f64.sqrt() / 2.0 - 1.0));
            assert_eq!(right, white);
            let found = threshold(&x, Threshold::sauvola(1, k, 2.0 * scale));
            assert_eq!(found[1], if white { 255 } else { 0 }, "scale {scale}, k {k}");
        }
    }
    let variance = |x: &[f64]| {
        let mut found = device.filled(x.len(), 0.0f32).unwrap();
        let given = device.upload(x).unwrap();
        LocalVariance::new(1).run(device, &given, Extent::new(1, x.len()), &mut found).unwrap();
        found.to_vec().unwrap()
    };
    // A half among three values: 2 (1/3)^2 / 4.
    let small = variance(&[100_000_000.5, 1e8, 1e8]);
    assert!((small[1] - 1.0 / 18.0).abs() < 1e-7, "{small:?}");
    assert_eq!(variance(&[1e200, 1e200, 1e200 + 1e185])[0], 0.0);
    assert!(variance(&[1e200, 0.0])[0].is_infinite(), "f32 holds no more");
    assert_eq!(variance(&[3e-20, 1e-20]), [1e-40; 2]);
}

/// Pixel `i` of the picture of 6 rows and 7 columns that was given to other programs.
fn of_others(i: usize) -> u8 {
    ((i * i * 37 + i * 11 + 5) % 256) as u8
}

/// Results of OpenCV 5.0.0: `integral`, `equalizeHist`, `blur` by 3 x 3 and `adaptiveThreshold` by the mean of 3 x 3
/// less 7; of scikit-image 0.26.0: `threshold_sauvola(window_size=3, k=0.3, r=128)`; of SciPy 1.17.1:
/// `gaussian_filter(sigma=3, mode="mirror", truncate=8)`. Window results are compared inside the image only, since
/// these programs make up pixels beyond the borders.
fn other_programs(device: &Device) {
    const INTEGRAL: [u32; 8] = [0, 804, 1730, 2454, 3164, 4048, 5038, 5810];
    const EQUALISED: [u8; 42] = [
        12, 31, 174, 87, 112, 218, 106, 75, 155, 19, 230, 249, 50, 0, 243, 25, 187, 118, 162, 6, 180, 168, 236, 93, 44,
        81, 211, 137, 131, 199, 62, 37, 68, 205, 143, 149, 224, 100, 56, 124, 255, 193,
    ];
    const BLURRED: [u8; 20] =
        [110, 125, 156, 147, 128, 143, 134, 143, 141, 127, 160, 129, 116, 119, 140, 162, 138, 102, 140, 166];
    const MEAN: [u8; 20] = [1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1];
    const SAUVOLA: [u8; 20] = [1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1];
    const GAUSSIAN: [f64; 42] = [
        135.809, 135.861, 136.001, 136.191, 136.38, 136.516, 136.566, 136.287, 136.322, 136.424, 136.577, 136.743,
        136.874, 136.924, 137.535, 137.528, 137.533, 137.588, 137.7, 137.818, 137.868, 139.071, 139.015, 138.902,
        138.842, 138.891, 138.995, 139.048, 140.309, 140.214, 140.009, 139.86, 139.862, 139.958, 140.013, 140.781,
        140.671, 140.432, 140.25, 140.234, 140.327, 140.384,
    ];
    let x: Vec<u8> = (0..42).map(of_others).collect();
    let (given, extent) = (device.upload(&x).unwrap(), Extent::new(6, 7));
    let inside = |x: Vec<u8>| -> Vec<u8> { (1..5).flat_map(|y| x[y * 7 + 1..y * 7 + 6].to_vec()).collect() };
    let table = SummedArea::<u32>::build(device, &given, extent).unwrap();
    assert_eq!(table.table().to_vec().unwrap()[48..], INTEGRAL);
    let mut y = device.filled(42, 0u8).unwrap();
    equalise(device, &given, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), EQUALISED);
    BoxBlur::new(1).run(device, &given, extent, &mut y).unwrap();
    assert_eq!(inside(y.to_vec().unwrap()), BLURRED);
    Threshold::mean(1, 7.0).run(device, &given, extent, &mut y).unwrap();
    assert_eq!(inside(y.to_vec().unwrap()), MEAN.map(|x| 255 * x));
    Threshold::sauvola(1, 0.3, 128.0).run(device, &given, extent, &mut y).unwrap();
    assert_eq!(inside(y.to_vec().unwrap()), SAUVOLA.map(|x| 255 * x));
    // Six rows end before SciPy's mirrored ones do, so the values at the borders differ more.
    let floats: Vec<f64> = x.iter().map(|&x| x.into()).collect();
    let mut blurred = device.filled(42, 0.0f64).unwrap();
    GaussianBlur::new(3.0).run(device, &device.upload(&floats).unwrap(), extent, &mut blurred).unwrap();
    for (found, expected) in blurred.to_vec().unwrap().iter().zip(GAUSSIAN) {
        assert!((found - expected).abs() < 0.03 * 255.0, "{found} {expected}");
    }
}

/// Sum of the lecture's areas: A - B - C + D.
fn the_lecture(device: &Device) {
    let image = device.upload(&[1u8, 2, 3, 4, 5, 6]).unwrap();
    let table = SummedArea::<u32>::build(device, &image, Extent::new(2, 3)).unwrap();
    assert_eq!(table.table().to_vec().unwrap(), [0, 0, 0, 0, 0, 1, 3, 6, 0, 5, 12, 21]);
    let mut sum = device.filled(1, 0u32).unwrap();
    table.sums(device, &device.upload(&[Area::new(1..2, 1..3)]).unwrap(), &mut sum).unwrap();
    assert_eq!(sum.to_vec().unwrap(), [21 - 6 - 5 + 1]);
}

fn refused(device: &Device) {
    let (x, extent) = (device.upload(&[1u8; 6]).unwrap(), Extent::new(2, 3));
    let shape = SummedArea::<u32>::build(device, &x, Extent::new(2, 4)).unwrap_err();
    assert!(matches!(shape, Error::Library(Wrong::Shape { .. })), "{shape}");
    assert!(SummedArea::<u32>::build(device, &x, Extent::new(usize::MAX, 3).planes(9)).is_err());
    let table = SummedArea::<u32>::build(device, &x, extent).unwrap();
    for area in [Area::new(0..3, 0..1), Area::new(0..1, 2..4), Area { top: 2, left: 0, bottom: 1, right: 1 }] {
        let mut sums = device.filled(2, 0u32).unwrap();
        let areas = device.upload(&[Area::new(0..1, 0..1), area]).unwrap();
        let result = table.sums(device, &areas, &mut sums).and_then(|()| Ok(device.synchronize()?));
        assert!(matches!(result, Err(Error::Library(Wrong::Index { at: 1, .. }))), "{area:?} {result:?}");
    }
    let mut short = device.filled(5, 0u8).unwrap();
    assert!(BoxBlur::new(1).run(device, &x, extent, &mut short).is_err());
    let radii = device.upload(&[1u32; 5]).unwrap();
    let mut blurred = device.filled(6, 0u8).unwrap();
    let few = table.box_blur_by(device, &radii, &mut blurred).unwrap_err();
    assert_eq!(few, Error::Library(Wrong::Length { what: "radii", found: 5, expected: 6 }));
    for sigma in [0.0, 0.4, -1.0, f64::NAN, f64::INFINITY] {
        let wrong = GaussianBlur::new(sigma).run(device, &x, extent, &mut blurred);
        assert!(matches!(wrong, Err(Error::Number { what: "sigma", .. })), "{sigma}");
        assert!(sigma == 0.4 || gamma(device, &x, sigma, &mut blurred).is_err());
    }
    assert!(Threshold::mean(1, f64::NAN).run(device, &x, extent, &mut blurred).is_err());
    assert!(Threshold::sauvola(1, 0.3, 0.0).run(device, &x, extent, &mut blurred).is_err());
    assert!(equalise(device, &x, &mut short).is_err());
    let mut variances = device.filled(6, 0.0f32).unwrap();
    assert!(LocalVariance::new(1).run(device, &x, Extent::new(3, 3), &mut variances).is_err());
}
