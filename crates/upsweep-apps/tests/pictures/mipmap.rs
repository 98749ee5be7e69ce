//! Tests of mipmaps: levels, their arrangement in one picture, lookups between them.

use crate::{Random, cases};
use upsweep::Device;
use upsweep_apps::Error;
use upsweep_apps::image::{Extent, Mipmap, Point, Wrap};

cases! { levels, many_even_levels, light, arrangement, lookups, refused }

/// Share of source pixel `i` of `n` that lies in pixel `k` of `m`, both axes from 0 to 1: the true footprint.
fn share(i: usize, n: usize, k: usize, m: usize) -> f64 {
    let (low, high) = ((i * m).max(k * n), ((i + 1) * m).min((k + 1) * n));
    high.saturating_sub(low) as f64 / n as f64
}

/// Reference for the level after `x`: each pixel is the mean of its footprint.
fn halved(x: &[f64], e: Extent) -> (Vec<f64>, Extent) {
    let [planes, h, w, c] = e.shape();
    let (hh, hw) = ((h / 2).max(1), (w / 2).max(1));
    let mut out = Vec::new();
    for p in 0..planes {
        for (y, x0) in (0..hh).flat_map(|y| (0..hw).map(move |x| (y, x))) {
            for ch in 0..c {
                let mut sum = 0.0;
                for (i, j) in (0..h).flat_map(|i| (0..w).map(move |j| (i, j))) {
                    let weight = share(i, h, y, hh) * share(j, w, x0, hw);
                    if weight > 0.0 {
                        sum += weight * x[((p * h + i) * w + j) * c + ch];
                    }
                }
                out.push(sum);
            }
        }
    }
    (out, Extent { height: hh as u64, width: hw as u64, ..e })
}

fn levels(device: &Device) {
    let mut random = Random(1);
    for (h, w, planes, channels) in [
        (1, 1, 1, 1),
        (2, 2, 1, 1),
        (5, 3, 1, 1),
        (1, 7, 1, 1),
        (9, 1, 1, 2),
        (16, 16, 1, 3),
        (13, 22, 3, 1),
        (31, 33, 2, 4),
    ] {
        let extent = Extent::new(h, w).planes(planes).channels(channels);
        let x = random.bytes(extent.shape().iter().product());
        let mipmap = Mipmap::build(device, &device.upload(&x).unwrap(), extent).unwrap();
        assert_eq!(mipmap.levels(), h.max(w).ilog2() as usize + 1);
        assert_eq!(mipmap.level(device, 0).unwrap(), x);
        // Each level is computed from the level before as it is stored.
        for k in 1..mipmap.levels() {
            let above: Vec<f64> = mipmap.level(device, k - 1).unwrap().iter().map(|&x| x.into()).collect();
            let (expected, size) = halved(&above, mipmap.extent(k - 1));
            assert_eq!(size, mipmap.extent(k));
            for (i, (found, exact)) in mipmap.level(device, k).unwrap().iter().zip(expected).enumerate() {
                // The oracle's sum has rounding errors, so a value near a half may be rounded either way there.
                let off = (f64::from(*found) - exact).abs();
                assert!(off <= 0.5 + 1e-9, "{extent:?} level {k} value {i}: {found}, exactly {exact}");
            }
        }
        // Levels of floats.
        let x: Vec<f32> = x.iter().map(|&x| f32::from(x) / 3.0).collect();
        let mipmap = Mipmap::build(device, &device.upload(&x).unwrap(), extent).unwrap();
        let mut above: Vec<f64> = x.iter().map(|&x| x.into()).collect();
        for k in 1..mipmap.levels() {
            above = halved(&above, mipmap.extent(k - 1)).0;
            for (found, exact) in mipmap.level(device, k).unwrap().iter().zip(&above) {
                assert!((f64::from(*found) - exact).abs() <= k as f64 * 6e-8 * exact, "{extent:?} level {k}");
            }
        }
    }
    // Halves are rounded up.
    let mipmap = Mipmap::build(device, &device.upload(&[1u8, 2, 1, 2]).unwrap(), Extent::new(2, 2)).unwrap();
    assert_eq!(mipmap.level(device, 1).unwrap(), [2]);
}

/// Next level of sizes that are even or 1, by the mean of 2 x 2 values.
fn halved_by<X: Copy>(x: &[X], e: Extent, mean: impl Fn([X; 4]) -> X) -> Vec<X> {
    let [planes, h, w, c] = e.shape();
    let (hh, hw) = ((h / 2).max(1), (w / 2).max(1));
    let mut out = Vec::new();
    for (p, y) in (0..planes).flat_map(|p| (0..hh).map(move |y| (p, 2 * y))) {
        for (x0, ch) in (0..hw).flat_map(|x0| (0..c).map(move |ch| (2 * x0, ch))) {
            let at = |y: usize, x0: usize| x[((p * h + y.min(h - 1)) * w + x0.min(w - 1)) * c + ch];
            out.push(mean([at(y, x0), at(y, x0 + 1), at(y + 1, x0), at(y + 1, x0 + 1)]));
        }
    }
    out
}

/// More levels than one launch makes. Some end at an odd size, and the next launch goes on there.
fn many_even_levels(device: &Device) {
    let mut random = Random(7);
    for (h, w, planes, channels) in
        [(256, 512, 1, 4), (192, 320, 2, 4), (128, 128, 1, 3), (1, 1024, 1, 2), (640, 8, 1, 1), (36, 52, 1, 5)]
    {
        let extent = Extent::new(h, w).planes(planes).channels(channels);
        let bytes = random.bytes(extent.shape().iter().product());
        let wide: Vec<u16> = bytes.iter().map(|&x| u16::from(x) * 257 - u16::from(x) / 7).collect();
        let of_bytes = Mipmap::build(device, &device.upload(&bytes).unwrap(), extent).unwrap();
        let of_wide = Mipmap::build(device, &device.upload(&wide).unwrap(), extent).unwrap();
        let of_light = Mipmap::build_srgb(device, &device.upload(&bytes).unwrap(), extent).unwrap();
        let floats: Vec<f32> = bytes.iter().map(|&x| f32::from(x) - 99.0).collect();
        let of_floats = Mipmap::build(device, &device.upload(&floats).unwrap(), extent).unwrap();
        assert_eq!(of_bytes.levels(), h.max(w).ilog2() as usize + 1);
        assert_eq!(of_light.level(device, 0).unwrap(), bytes);
        for k in 1..of_bytes.levels() {
            let above = of_bytes.extent(k - 1);
            if [above.height, above.width].iter().any(|&n| n != 1 && n % 2 == 1) {
                continue;
            }
            let rounded = |four: [u64; 4]| (four.iter().sum::<u64>() + 2) / 4;
            let expected = halved_by(&level_of(device, &of_bytes, k - 1), above, rounded);
            assert_eq!(level_of(device, &of_bytes, k), expected, "{extent:?} level {k}");
            let level = |k| -> Vec<u64> { of_wide.level(device, k).unwrap().iter().map(|&x| u64::from(x)).collect() };
            assert_eq!(level(k), halved_by(&level(k - 1), above, rounded), "{extent:?} level {k} of u16");
            let level = |k| of_floats.level(device, k).unwrap();
            let mean = |four: [f32; 4]| (four.map(f64::from).iter().sum::<f64>() / 4.0) as f32;
            assert_eq!(level(k), halved_by(&level(k - 1), above, mean), "{extent:?} level {k} of f32");
            let linear = |s: u64| {
                let s = s as f64 / 255.0;
                if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
            };
            let lights: Vec<f64> = level_of(device, &of_light, k - 1).into_iter().map(linear).collect();
            let lights = halved_by(&lights, above, |four| four.iter().sum::<f64>() / 4.0);
            for (found, light) in level_of(device, &of_light, k).into_iter().zip(lights) {
                let s = if light <= 0.0031308 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
                assert!((found as f64 - 255.0 * s).abs() <= 0.5 + 1e-9, "{extent:?} level {k} of light");
            }
        }
    }
}

fn level_of(device: &Device, mipmap: &Mipmap<u8>, k: usize) -> Vec<u64> {
    mipmap.level(device, k).unwrap().iter().map(|&x| u64::from(x)).collect()
}

/// Black and white average to the grey of half the light, which is 188 in sRGB.
fn light(device: &Device) {
    let x = device.upload(&[0u8, 255, 255, 0]).unwrap();
    let mipmap = Mipmap::build_srgb(device, &x, Extent::new(2, 2)).unwrap();
    assert_eq!(mipmap.level(device, 1).unwrap(), [188]);
    for value in 0..=255u8 {
        let same = device.upload(&[value; 15]).unwrap();
        let mipmap = Mipmap::build_srgb(device, &same, Extent::new(3, 5)).unwrap();
        assert_eq!(mipmap.level(device, 1).unwrap(), [value; 2], "one colour stays itself");
        if value % 16 == 0 {
            assert_eq!(mipmap.level(device, 2).unwrap(), [value]);
        }
    }
}

fn arrangement(device: &Device) {
    // 2 x 2 pixels: red 1 2 3 4, green 11.., blue 21..; the next level is 3, 13, 23 (2.5 and so on, rounded up).
    let planar: Vec<u8> = [1, 11, 21].iter().flat_map(|&c| c..c + 4).collect();
    let interleaved: Vec<u8> = (0..4).flat_map(|i| [1 + i, 11 + i, 21 + i]).collect();
    let expected = [
        0, 3, 1, 2, //
        13, 23, 3, 4, //
        11, 12, 21, 22, //
        13, 14, 23, 24,
    ];
    for (x, extent) in [(planar, Extent::new(2, 2).planes(3)), (interleaved, Extent::new(2, 2).channels(3))] {
        let mipmap = Mipmap::build(device, &device.upload(&x).unwrap(), extent).unwrap();
        let (picture, size) = mipmap.arrangement(device).unwrap();
        assert_eq!(size, Extent::new(4, 4));
        assert_eq!(picture.to_vec().unwrap(), expected);
    }
    let grey = Mipmap::build(device, &device.upload(&[1u8; 4]).unwrap(), Extent::new(2, 2)).unwrap();
    assert!(matches!(grey.arrangement(device), Err(Error::Number { value: 1.0, .. })));
}

fn lookups(device: &Device) {
    let mut random = Random(5);
    let (h, w, channels) = (11, 6, 2);
    let extent = Extent::new(h, w).channels(channels);
    let x = random.bytes(h * w * channels);
    let mipmap = Mipmap::build(device, &device.upload(&x).unwrap(), extent).unwrap();
    let levels: Vec<Vec<u8>> = (0..mipmap.levels()).map(|k| mipmap.level(device, k).unwrap()).collect();
    let pick = |k: usize, y: i64, x: i64, c: usize, wrap: Wrap| {
        let [_, h, w, _] = mipmap.extent(k).shape();
        let at = |i: i64, n: usize| match wrap {
            Wrap::Clamp => i.clamp(0, n as i64 - 1) as usize,
            Wrap::Repeat => i.rem_euclid(n as i64) as usize,
        };
        f64::from(levels[k][(at(y, h) * w + at(x, w)) * channels + c])
    };
    let bilinear = |k: usize, point: Point, c: usize, wrap: Wrap| {
        let [_, lh, lw, _] = mipmap.extent(k).shape();
        let (x, y) = (f64::from(point.u) * lw as f64 / w as f64 - 0.5, f64::from(point.v) * lh as f64 / h as f64 - 0.5);
        let (x0, y0) = (x.floor() as i64, y.floor() as i64);
        let (fx, fy) = (x - x.floor(), y - y.floor());
        let row = |y| pick(k, y, x0, c, wrap) * (1.0 - fx) + pick(k, y, x0 + 1, c, wrap) * fx;
        row(y0) * (1.0 - fy) + row(y0 + 1) * fy
    };
    let mut points: Vec<Point> = (0..500)
        .map(|_| Point {
            u: random.below(900) as f32 / 100.0 - 1.5,
            v: random.below(1500) as f32 / 100.0 - 2.0,
            level: random.below(600) as f32 / 100.0 - 1.0,
        })
        .collect();
    // The centre of each pixel is the pixel.
    points.extend((0..h * w).map(|i| Point { u: (i % w) as f32 + 0.5, v: (i / w) as f32 + 0.5, level: 0.0 }));
    let given = device.upload(&points).unwrap();
    for wrap in [Wrap::Clamp, Wrap::Repeat] {
        let mut seen = device.filled(points.len() * channels, 0.0f32).unwrap();
        mipmap.lookup(device, &given, wrap, &mut seen).unwrap();
        let seen = seen.to_vec().unwrap();
        for (i, &point) in points.iter().enumerate() {
            let level = f64::from(point.level).clamp(0.0, (levels.len() - 1) as f64);
            let (k, f) = (level.floor() as usize, level - level.floor());
            for c in 0..channels {
                let next = bilinear((k + 1).min(levels.len() - 1), point, c, wrap);
                let expected = bilinear(k, point, c, wrap) * (1.0 - f) + next * f;
                let found = f64::from(seen[i * channels + c]);
                assert!((found - expected).abs() < 1e-3, "{point:?} {wrap:?}: {found}, not {expected}");
            }
        }
        let centres: Vec<f32> = x.iter().map(|&x| f32::from(x)).collect();
        assert_eq!(seen[500 * channels..], centres);
    }
    assert_eq!([0.5, 1.0, 2.0, 8.0].map(Mipmap::<u8>::level_of), [0.0, 0.0, 1.0, 3.0]);
}

fn refused(device: &Device) {
    let x = device.upload(&[1u8; 6]).unwrap();
    assert!(Mipmap::build(device, &x, Extent::new(2, 2)).is_err());
    let none = device.upload(&Vec::<u8>::new()).unwrap();
    assert!(Mipmap::build(device, &none, Extent::new(0, 2)).is_err());
    let mipmap = Mipmap::build(device, &x, Extent::new(2, 3)).unwrap();
    assert!(mipmap.level(device, 2).is_err());
    let points = device.upload(&[Point { u: f32::NAN, v: f32::INFINITY, level: f32::NAN }; 3]).unwrap();
    let mut seen = device.filled(2, 0.0f32).unwrap();
    assert!(mipmap.lookup(device, &points, Wrap::Clamp, &mut seen).is_err());
    // A coordinate that is NaN reads some pixel, and no memory outside.
    let mut seen = device.filled(3, 0.0f32).unwrap();
    mipmap.lookup(device, &points, Wrap::Repeat, &mut seen).unwrap();
}
