//! Tests of means of values whose sums leave f64.

use crate::cases;
use upsweep::Device;
use upsweep_apps::image::{BoxBlur, Extent, Mipmap};

cases! { box_blurs, mipmaps }

/// The largest power of two, whose multiples need no rounding.
const LARGE: f64 = f64::from_bits(2046 << 52);

fn box_blurs(device: &Device) {
    let blurred = |x: &[f64], extent: Extent, radius| {
        let mut blurred = device.filled(x.len(), 0.0f64).unwrap();
        BoxBlur::new(radius).run(device, &device.upload(x).unwrap(), extent, &mut blurred).unwrap();
        blurred.to_vec().unwrap()
    };
    for radius in [0, 1, 2, 40, u32::MAX] {
        assert_eq!(blurred(&[LARGE; 35], Extent::new(5, 7), radius), [LARGE; 35], "{radius}");
    }
    let row = Extent::new(1, 4);
    assert_eq!(blurred(&[1.5e308, 1.5e308, -1.5e308, -1.5e308], row, 5), [0.0; 4]);
    assert_eq!(blurred(&[1e308, 1e308, f64::INFINITY, 2.0], row, 1)[..3], [1e308, f64::INFINITY, f64::INFINITY]);
    // Other values keep their bits: those of the sum in order, divided once.
    let x = [0.1, 1.0 / 3.0, 7e-20, 1e16];
    assert_eq!(blurred(&x, row, 5)[0], (0.1 + 1.0 / 3.0 + 7e-20 + 1e16) / 4.0);
}

/// Mipmaps of even and of odd sizes.
fn mipmaps(device: &Device) {
    for (height, width) in [(4, 4), (3, 5), (6, 10), (1, 7), (9, 2)] {
        let x = vec![LARGE; height * width];
        let mipmap = Mipmap::build(device, &device.upload(&x).unwrap(), Extent::new(height, width)).unwrap();
        for level in 1..mipmap.levels() {
            let values = mipmap.level(device, level).unwrap();
            assert!(values.iter().all(|&value| value == LARGE), "{height} x {width}, level {level}: {values:?}");
        }
    }
}
