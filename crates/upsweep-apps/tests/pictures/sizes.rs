//! Tests of sizes whose products no integer type has: the same errors, whatever the compiler checks.

use upsweep::{Array, Device, Error};
use upsweep_apps::image::{Area, BoxBlur, Extent, GaussianBlur, Mipmap, SummedArea};

const MOST: usize = usize::MAX;

fn sizes(planes: usize, height: usize, width: usize, channels: usize) -> Extent {
    Extent::new(height, width).planes(planes).channels(channels)
}

#[test]
fn sizes_that_no_number_holds() {
    let (device, none) = (&Device::cpu(), &[] as &[f64]);
    for extent in [sizes(1, MOST, 2, 1), sizes(1 << 32, 1 << 32, 1, 1), sizes(3, MOST / 3 + 1, 1, 1)] {
        let expected = Error::Shape { shape: extent.shape().to_vec(), len: 0 }.to_string();
        assert_eq!(SummedArea::<f64>::build(device, none, extent).unwrap_err().to_string(), expected);
        assert_eq!(Mipmap::<f64>::build(device, none, extent).unwrap_err().to_string(), expected);
        let blurred = BoxBlur::new(1).run(device, none, extent, &mut [0.0; 0]);
        assert_eq!(blurred.unwrap_err().to_string(), expected);
        let blurred = GaussianBlur::new(2.0).run(device, none, extent, &mut [0.0; 0]);
        assert_eq!(blurred.unwrap_err().to_string(), expected);
    }
    for extent in [sizes(0, MOST, MOST, MOST), sizes(MOST, 0, MOST, MOST), sizes(MOST, MOST, MOST, 0)] {
        BoxBlur::new(u32::MAX).run(device, none, extent, &mut [0.0; 0]).unwrap();
        GaussianBlur::new(2.0).run(device, none, extent, &mut [0.0; 0]).unwrap();
    }
    // A border is counted, too.
    let bordered = SummedArea::<f64>::build(device, none, sizes(1, MOST, 0, 1)).unwrap_err();
    assert_eq!(bordered.to_string(), Error::OutOfMemory { bytes: MOST }.to_string());
    for (extent, radii) in [(sizes(0, 7, MOST - 1, MOST), 0), (sizes(MOST, 7, 7, 0), MOST)] {
        let table = SummedArea::<f64>::build(device, none, extent).unwrap();
        let mut sums: Array<f64> = device.filled(0, 0.0).unwrap();
        table.sums(device, &[Area::new(0..1, 0..1); 2], &mut sums).unwrap();
        let found = table.box_blur_by(device, &[1; 2], &mut [0.0f64; 0]).unwrap_err();
        assert_eq!(found.to_string(), Error::Length { what: "radii", found: 2, expected: radii }.to_string());
    }
}
