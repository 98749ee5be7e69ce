//! CUDA: failures, and the device's use after them.

#![cfg(feature = "cuda")]

use upsweep::prelude::*;
use upsweep::{Error, cuda};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn still_works(device: &Device) -> Outcome {
    let x = device.upload(&vec![1u32; 1_000_000])?;
    let result = device.inclusive_scan(&x, Sum)?.to_vec()?;
    assert!(result.iter().zip(1..).all(|(&found, expected)| found == expected));
    Ok(())
}

#[test]
fn the_survey_names_what_there_is_or_the_reason() {
    let survey = cuda::survey();
    match survey.devices {
        Ok(devices) => assert!(devices.iter().all(|device| !device.name.is_empty() && device.memory > 0)),
        Err(error) => assert!(error.to_string().contains("CUDA"), "{error}"),
    }
    match survey.nvrtc {
        Ok(version) => assert!(version >= (12, 0), "{version:?}"),
        Err(reason) => assert!(reason.contains("nvidia-cuda-nvrtc") && reason.contains("UPSWEEP_NVRTC"), "{reason}"),
    }
    let last = survey.nvrtc_tried.last().unwrap();
    assert_eq!(last.ends_with(", taken"), cuda::survey().nvrtc.is_ok(), "{last}");
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn empty_arrays() -> Outcome {
    let device = Device::cuda(0)?;
    let empty = device.upload::<u64>(&[])?;
    assert!(empty.is_empty());
    assert!(empty.to_vec()?.is_empty());
    assert!(device.inclusive_scan(&empty, Sum)?.to_vec()?.is_empty());
    assert_eq!(device.reduce(&empty, Sum)?, 0);
    still_works(&device)
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn bad_offsets_are_reported_when_a_result_is_read() -> Outcome {
    let device = Device::cuda(0)?;
    let x = device.upload(&vec![1u32; 1000])?;
    for bad in [vec![0u32, 700, 300, 1000], vec![1, 1000], vec![0, 999], vec![0, 5000]] {
        let offsets = device.upload(&bad)?;
        let mut output = device.filled(1000, 0u32)?;
        Scan::new(Sum).segments(Segments::Offsets(&offsets)).run(&device, &x, &mut output)?;
        let error = output.to_vec();
        let Err(Error::Offsets { index, offset, .. }) = error else { panic!("{bad:?}: {error:?}") };
        assert_eq!(i128::from(bad[index]), offset, "{bad:?}");
        assert!(output.to_vec().is_ok(), "a fault is reported once");
    }
    still_works(&device)
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn a_fault_outlives_the_device_that_found_it() -> Outcome {
    let device = Device::cuda(0)?;
    let x = device.upload(&vec![1u32; 1000])?;
    let offsets = device.upload(&[0u32, 700, 300, 1000])?;
    let mut output = device.filled(1000, 0u32)?;
    let another = Device::cuda(0)?;
    Scan::new(Sum).segments(Segments::Offsets(&offsets)).run(&another, &x, &mut output)?;
    drop(another);
    let error = output.to_vec();
    assert!(matches!(error, Err(Error::Offsets { .. })), "{error:?}");
    still_works(&device)
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn devices_come_and_go() -> Outcome {
    for _ in 0..200 {
        let devices = [Device::cuda(0)?, Device::cuda(0)?];
        for device in &devices {
            let x = device.upload(&[1u32; 5000])?;
            assert_eq!(device.inclusive_scan(&x, Sum)?.to_vec()?[4999], 5000);
        }
    }
    Ok(())
}
