//! Tests of terrain: viewsheds, lines of sight, horizons, profiles, hill shade.

use crate::{Random, cases};
use upsweep::Device;
use upsweep_apps::Error;
use upsweep_apps::terrain::{HillShade, LineOfSight, Profile, Raster, Viewshed};

cases! { rays_as_a_loop, viewsheds, of_mountains, flat_and_small, horizons, profiles, one_rule_of_sight, shades, steep_shades, refused }

const EARTH: f64 = 6_378_137.0;

/// Terrain by midpoint displacement, rough on all scales.
fn fractal(size: u32, roughness: f64, seed: u64) -> (usize, Vec<f32>) {
    let n = (1usize << size) + 1;
    let (mut z, mut random) = (vec![0.0f64; n * n], Random(seed));
    let (mut step, mut height) = (n - 1, 100.0);
    let mut noise = move |height: f64| (random.below(2001) as f64 / 1000.0 - 1.0) * height;
    while step > 1 {
        let half = step / 2;
        for y in (0..n).step_by(half) {
            for x in (0..n).step_by(half) {
                let (oy, ox) = (y % step, x % step);
                if oy == 0 && ox == 0 {
                    continue;
                }
                let corners: Vec<(usize, usize)> =
                    [(y - oy, x - ox), (y - oy, x + ox), (y + oy, x - ox), (y + oy, x + ox)].to_vec();
                let mean = corners.iter().map(|&(y, x)| z[y * n + x]).sum::<f64>() / 4.0;
                z[y * n + x] = mean + noise(height);
            }
        }
        (step, height) = (half, height * roughness);
    }
    (n, z.into_iter().map(|z| z as f32).collect())
}

fn rays_as_a_loop(device: &Device) {
    let mut random = Random(1);
    for n in [0usize, 1, 2, 3, 50, 5000] {
        let mut z: Vec<f32> = (0..n).map(|_| random.below(2000) as f32 / 10.0).collect();
        if n > 10 {
            z[7] = f32::NAN;
        }
        for (observer, target, curvature) in
            [(0.0, 0.0, 0.0), (300.0, 2.0, 0.0), (20.0, 0.5, 0.85714), (150.0, 0.0, 1.0)]
        {
            let (d, drop) = (30.0, curvature / (2.0 * EARTH));
            let mut steepest = f64::NEG_INFINITY;
            let slope = |i: usize, rise: f64| {
                let d = i as f64 * d;
                ((f64::from(z[i]) - f64::from(z[0])) + rise - drop * d * d) / d
            };
            let expected: Vec<bool> = (0..n)
                .map(|i| {
                    let seen = i == 0 || slope(i, target - observer) > steepest;
                    if i > 0 && !slope(i, -observer).is_nan() {
                        steepest = steepest.max(slope(i, -observer));
                    }
                    seen
                })
                .collect();
            let sight = LineOfSight::new().spacing(d).observer(observer).target(target).curvature(curvature);
            let (given, mut seen) = (device.upload(&z).unwrap(), device.filled(n, false).unwrap());
            sight.run(device, &given, &mut seen).unwrap();
            assert_eq!(seen.to_vec().unwrap(), expected, "{n} {observer} {target} {curvature}");
        }
    }
}

/// Exact viewshed (R3): a ray of its own to each cell.
fn exact(
    z: &[f32],
    (rows, columns): (usize, usize),
    from: (usize, usize),
    heights: (f64, f64),
    drop: f64,
) -> Vec<bool> {
    let at = |y: usize, x: usize| f64::from(z[y * columns + x]);
    let eye = at(from.0, from.1) + heights.0;
    let cell = |i: usize| {
        let (y, x) = (i / columns, i % columns);
        let (dy, dx) = (y as i64 - from.0 as i64, x as i64 - from.1 as i64);
        let steps = dy.abs().max(dx.abs());
        let length = ((dy * dy + dx * dx) as f64).sqrt();
        let slope = |z: f64, k: i64| {
            let d = length * k as f64 / steps as f64;
            (z - drop * d * d - eye) / d
        };
        let hidden = (1..steps).any(|k| {
            let place = |from: usize, d: i64| from as i64 * steps + d * k;
            let (py, px) = (place(from.0, dy), place(from.1, dx));
            let (y0, x0) = (py.div_euclid(steps) as usize, px.div_euclid(steps) as usize);
            let f = (py.rem_euclid(steps) + px.rem_euclid(steps)) as f64 / steps as f64;
            let second = (y0 + usize::from(py % steps > 0), x0 + usize::from(px % steps > 0));
            let z = at(y0, x0) * (1.0 - f) + at(second.0, second.1) * f;
            slope(z, k) >= slope(at(y, x) + heights.1, steps)
        });
        !hidden
    };
    (0..rows * columns).map(cell).collect()
}

fn viewsheds(device: &Device) {
    let (mut worst, mut all) = (0.0f64, (0, 0));
    for (seed, roughness) in [(1, 0.5), (2, 0.5), (3, 0.55), (4, 0.45)] {
        let (n, z) = fractal(6, roughness, seed);
        let given = device.upload(&z).unwrap();
        for (row, column, observer, target, curvature) in
            [(32, 32, 1.7, 0.0, 0.0), (0, 0, 10.0, 0.0, 0.0), (5, 50, 1.7, 1.7, 1.0), (64, 20, 30.0, 5.0, 0.0)]
        {
            let viewshed = Viewshed::new(row, column).observer(observer).target(target).curvature(curvature);
            let (raster, mut seen) = (Raster::new(n, n), device.filled(z.len(), false).unwrap());
            viewshed.run(device, &given, raster, &mut seen).unwrap();
            let (seen, drop) = (seen.to_vec().unwrap(), curvature / (2.0 * EARTH));
            let expected = exact(&z, (n, n), (row, column), (observer, target), drop);
            let different = seen.iter().zip(&expected).filter(|(a, b)| a != b).count();
            let share = different as f64 / z.len() as f64;
            worst = worst.max(share);
            assert!(share <= 0.02, "{seed} {row} {column}: {different} of {}", z.len());
            all.0 += seen.iter().filter(|x| **x).count();
            all.1 += seen.len();

            // Heights are 0 where the ground is seen, and positive elsewhere.
            let mut heights = device.filled(z.len(), 0.0f32).unwrap();
            let ground = Viewshed::new(row, column).observer(observer).curvature(curvature);
            ground.heights(device, &given, raster, &mut heights).unwrap();
            let mut seen = device.filled(z.len(), false).unwrap();
            ground.run(device, &given, raster, &mut seen).unwrap();
            for (seen, height) in seen.to_vec().unwrap().iter().zip(heights.to_vec().unwrap()) {
                assert!(if *seen { height == 0.0 } else { height >= 0.0 }, "{seen} {height}");
            }
        }
    }
    // Many cells must be seen and many not: else the test proves nothing.
    let (seen, cells) = all;
    assert!((cells / 10..cells * 2 / 3).contains(&seen), "{seen} of {cells} are seen");
    println!("at most {worst} of the cells differ; {seen} of {cells} are seen");
}

/// Mountains of examples/data, from a peak and from two valleys.
fn of_mountains(device: &Device) {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/jacksboro.npy")).unwrap();
    let (rows, columns) = (240, 280);
    let words = &bytes[bytes.len() - 2 * rows * columns..];
    let z: Vec<f32> = words.chunks_exact(2).map(|x| i16::from_le_bytes([x[0], x[1]]).into()).collect();
    let given = device.upload(&z).unwrap();
    // The exact viewshed has distances of 1 and one spacing; a spacing of both axes scales with it.
    let raster = Raster::new(rows, columns).spacing(80.0, 80.0);
    let scaled: Vec<f32> = z.iter().map(|z| z / 80.0).collect();
    for (row, column) in [(237, 139), (100, 100), (30, 250)] {
        let mut seen = device.filled(z.len(), false).unwrap();
        Viewshed::new(row, column).observer(20.0).run(device, &given, raster, &mut seen).unwrap();
        let expected = exact(&scaled, (rows, columns), (row, column), (0.25, 0.0), 0.0);
        let seen = seen.to_vec().unwrap();
        let different = seen.iter().zip(&expected).filter(|(a, b)| a != b).count();
        let visible = expected.iter().filter(|x| **x).count();
        println!("{row} {column}: {visible} are seen, {different} of {} differ", z.len());
        assert!(different * 50 <= z.len() && visible > 1000, "{row} {column}: {different}, {visible}");
    }
}

/// Flat land is seen from above, not from its level. In rasters of one row or column, every cell is on a ray of its
/// own.
fn flat_and_small(device: &Device) {
    let mut random = Random(9);
    for (rows, columns) in [(1, 1), (1, 9), (9, 1), (2, 2), (2, 7), (3, 3), (7, 20), (40, 3)] {
        let raster = Raster::new(rows, columns);
        let flat = device.filled(rows * columns, 5.0f32).unwrap();
        for at in 0..rows * columns {
            let mut seen = device.filled(rows * columns, false).unwrap();
            let from = Viewshed::new(at / columns, at % columns);
            from.observer(3.0).run(device, &flat, raster, &mut seen).unwrap();
            assert!(seen.to_vec().unwrap().iter().all(|&x| x), "{rows} {columns} {at}");
        }
        if rows == 1 || columns == 1 {
            let z: Vec<f32> = (0..rows * columns).map(|_| random.below(50) as f32).collect();
            for at in 0..z.len() {
                let mut seen = device.filled(z.len(), false).unwrap();
                let viewshed = Viewshed::new(at / columns, at % columns).observer(0.3);
                viewshed.run(device, &device.upload(&z).unwrap(), raster, &mut seen).unwrap();
                let expected = exact(&z, (rows, columns), (at / columns, at % columns), (0.3, 0.0), 0.0);
                assert_eq!(seen.to_vec().unwrap(), expected, "{z:?} {at}");
            }
        }
    }
    let unknown = [0.0, f32::NAN, 0.0, 0.0];
    let mut seen = device.filled(4, false).unwrap();
    let given = device.upload(&unknown).unwrap();
    Viewshed::new(0, 0).observer(1.0).run(device, &given, Raster::new(1, 4), &mut seen).unwrap();
    assert_eq!(seen.to_vec().unwrap(), [true, false, true, true]);
}

fn horizons(device: &Device) {
    // A wall of 10 all around a cell that is 5 below, cells of 2 x 3.
    let (n, mut z) = (7usize, vec![-5.0f32; 49]);
    for i in (0..n * n).filter(|i| [0, n - 1].contains(&(i / n)) || [0, n - 1].contains(&(i % n))) {
        z[i] = 10.0;
    }
    let raster = Raster::new(n, n).spacing(2.0, 3.0);
    let horizon = Viewshed::new(3, 3).observer(5.0).horizon(device, &device.upload(&z).unwrap(), raster).unwrap();
    let (azimuths, angles) = (horizon.azimuths.to_vec().unwrap(), horizon.angles.to_vec().unwrap());
    assert_eq!(azimuths.len(), 4 * (n - 1));
    for (&azimuth, &angle) in azimuths.iter().zip(&angles) {
        let radians = f64::from(azimuth).to_radians();
        // Distance of the wall in that direction.
        let d = (6.0 / radians.sin().abs()).min(9.0 / radians.cos().abs());
        assert!((f64::from(angle) - (10.0 / d).atan().to_degrees()).abs() < 1e-3, "{azimuth} {angle}");
    }
    // The first goes to the upper left, the fourth straight up, the next side's fourth to the right.
    assert!((azimuths[3], azimuths[9]) == (0.0, 90.0) && azimuths[0] < 0.0, "{azimuths:?}");
}

fn profiles(device: &Device) {
    // On a slope of 10 a row and 1 a column every interpolated value is exact.
    let z: Vec<f32> = (0..12 * 9).map(|i| (i / 9 * 10 + i % 9) as f32).collect();
    let (given, raster) = (device.upload(&z).unwrap(), Raster::new(12, 9).spacing(3.0, 4.0));
    for (from, to) in [((0, 0), (11, 8)), ((5, 8), (7, 1)), ((3, 3), (3, 3)), ((9, 2), (0, 2)), ((11, 8), (0, 3))] {
        let profile = Profile::new(from, to);
        let found = profile.run(device, &given, raster).unwrap().to_vec().unwrap();
        let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1));
        assert_eq!(found.len(), steps + 1);
        let (first, last) = (z[from.0 * 9 + from.1], z[to.0 * 9 + to.1]);
        for (k, z) in found.iter().enumerate() {
            let expected = first + (last - first) * k as f32 / steps.max(1) as f32;
            assert!((z - expected).abs() < 1e-4, "{from:?} {to:?} {k}: {z}, not {expected}");
        }
    }
    assert_eq!(Profile::new((0, 0), (4, 2)).spacing(raster), 16f64.hypot(6.0) / 4.0);
}

/// A cell on a ray to the border has the same visibility in the viewshed as along the line of sight to it, to the last
/// bit. This includes planes, where all slopes are the same, and nearly flat ground, whose slopes are one f32.
fn one_rule_of_sight(device: &Device) {
    let mut random = Random(7);
    let (h, w) = (23usize, 17usize);
    let gcd = |mut a: i64, mut b: i64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a.abs()
    };
    for (kind, observer, target, curvature) in [
        (0, 0.0, 0.0, 0.0),
        (1, 0.0, 0.0, 0.0),
        (2, 1.7, 0.0, 0.85),
        (3, 0.0, 0.1, 0.0),
        (2, 0.3, 0.7, 0.0),
        (4, 2.0, 0.0, 1.0),
    ] {
        let (row, column) = (random.below(h), random.below(w));
        let altitude = |y: usize, x: usize, random: &mut Random| match kind {
            0 => 0.1 * y as f32 + 0.3 * x as f32,
            1 => 1e5 * (y as f32 + x as f32) + (random.below(3) as f32) * 0.01,
            2 => random.below(8) as f32 / 7.0,
            3 => 0.0,
            _ => (y * y) as f32 * 0.37 + random.below(2) as f32,
        };
        let z: Vec<f32> = (0..h * w).map(|at| altitude(at / w, at % w, &mut random)).collect();
        let (terrain, raster) = (device.upload(&z).unwrap(), Raster::new(h, w).spacing(30.1, 24.7));
        let mut seen = device.filled(h * w, false).unwrap();
        let looking = Viewshed::new(row, column).observer(observer).target(target).curvature(curvature);
        looking.run(device, &terrain, raster, &mut seen).unwrap();
        let seen = seen.to_vec().unwrap();
        let mut compared = 0;
        for (at, &seen) in seen.iter().enumerate() {
            let (down, right) = ((at / w) as i64 - row as i64, (at % w) as i64 - column as i64);
            let of = gcd(down, right).max(1);
            let (down, right) = (down / of, right / of);
            // The last cell in this direction is at the border.
            let inside = |k: i64| {
                (0..h as i64).contains(&(row as i64 + k * down)) && (0..w as i64).contains(&(column as i64 + k * right))
            };
            let last = (1..60).take_while(|&k| inside(k)).last().unwrap_or(0);
            let (y, x) = (row as i64 + last * down, column as i64 + last * right);
            let at_border = y == 0 || x == 0 || y == h as i64 - 1 || x == w as i64 - 1;
            if (down, right) == (0, 0) || !at_border {
                continue;
            }
            let profile = Profile::new((row, column), (at / w, at % w));
            let line = profile.run(device, &terrain, raster).unwrap();
            let mut along = device.filled(line.len(), false).unwrap();
            let sight = LineOfSight::new().spacing(profile.spacing(raster)).observer(observer);
            sight.target(target).curvature(curvature).run(device, &line, &mut along).unwrap();
            let along = along.to_vec().unwrap();
            assert_eq!(seen, *along.last().unwrap(), "kind {kind}: ({}, {}) from ({row}, {column})", at / w, at % w);
            compared += 1;
        }
        assert!(compared > 40, "{compared} cells on rays");
    }
}

/// However steep, a slope has the light of its direction, and flat ground keeps its own.
fn steep_shades(device: &Device) {
    let z = [0.0f32, 1.0, 2.0].repeat(3);
    let shade = |exaggeration: f64| {
        let mut found = device.filled(9, 7u8).unwrap();
        let shade = HillShade::new().sun(270.0, 45.0).exaggerated(exaggeration);
        shade.run(device, &device.upload(&z).unwrap(), Raster::new(3, 3), &mut found).map(|()| found.to_vec().unwrap())
    };
    // It rises to the east, so that the sun in the west shines on it: 1 + 254 cos 45 degrees.
    for exaggeration in [1e9, 1e99, 1e101, 1e200, 1e255] {
        assert_eq!(shade(exaggeration).unwrap()[4], 181, "{exaggeration}");
    }
    assert!(matches!(shade(1e300), Err(Error::Number { .. })));
}

fn shades(device: &Device) {
    // Every inner cell of a plane has one shade: the cosine between the sun and the normal.
    let plane = |east: f32, north: f32| -> Vec<f32> {
        (0..30).map(|i| (i % 6) as f32 * 2.0 * east - (i / 6) as f32 * 3.0 * north).collect()
    };
    let raster = Raster::new(5, 6).spacing(2.0, 3.0);
    for (east, north) in [(0.0f32, 0.0f32), (0.5, 0.0), (-0.5, 0.25), (0.0, -2.0), (4.0, -4.0)] {
        let (z, mut shade) = (device.upload(&plane(east, north)).unwrap(), device.filled(30, 0u8).unwrap());
        HillShade::new().run(device, &z, raster, &mut shade).unwrap();
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let (e, n) = (f64::from(east), f64::from(north));
        let light = (half - half * (-e * half + n * half)) / (1.0 + e * e + n * n).sqrt();
        let expected = (1.5 + 254.0 * light.max(0.0)).floor() as u8;
        let shade = shade.to_vec().unwrap();
        for i in [7, 8, 16, 22] {
            assert!(shade[i].abs_diff(expected) <= 1, "{east} {north}: {shade:?}, not {expected}");
        }
    }
    let (mut z, mut shade) = (plane(0.0, 0.0), device.filled(30, 9u8).unwrap());
    z[14] = f32::NAN;
    HillShade::new().run(device, &device.upload(&z).unwrap(), raster, &mut shade).unwrap();
    let unknown: Vec<usize> =
        shade.to_vec().unwrap().iter().enumerate().filter(|(_, s)| **s == 0).map(|(i, _)| i).collect();
    assert_eq!(unknown, [7, 8, 9, 13, 14, 15, 19, 20, 21]);
}

fn refused(device: &Device) {
    let z = device.upload(&[1.0f32; 6]).unwrap();
    let mut seen = device.filled(6, false).unwrap();
    let mut run = |viewshed: Viewshed, raster| viewshed.run(device, &z, raster, &mut seen).unwrap_err();
    let raster = Raster::new(2, 3);
    let outside = run(Viewshed::new(2, 0), raster);
    assert_eq!(outside, Error::Outside { row: 2, column: 0, rows: 2, columns: 3 });
    assert!(outside.to_string().contains("row 2, column 0"), "{outside}");
    assert!(matches!(run(Viewshed::new(0, 0), Raster::new(2, 2)), Error::Library(upsweep::Error::Shape { .. })));
    assert!(matches!(run(Viewshed::new(0, 0), raster.spacing(0.0, 1.0)), Error::Number { value: 0.0, .. }));
    assert!(matches!(run(Viewshed::new(0, 0).observer(f64::NAN), raster), Error::Number { .. }));
    assert!(matches!(run(Viewshed::new(0, 0).curvature(f64::INFINITY), raster), Error::Number { .. }));
    let mut seen = device.filled(5, false).unwrap();
    assert!(LineOfSight::new().run(device, &z, &mut seen).is_err());
    assert!(LineOfSight::new().spacing(-1.0).run(device, &z, &mut seen).is_err());
    assert!(Profile::new((0, 0), (0, 3)).run(device, &z, raster).is_err());
    let mut shade = device.filled(6, 0u8).unwrap();
    assert!(HillShade::new().exaggerated(f64::NAN).run(device, &z, raster, &mut shade).is_err());
}
