//! CUDA: a device that is lost in the middle of a stream of parts. The only test of its process, as nothing computes on
//! the GPU there any more.

#![cfg(feature = "cuda")]

use cudarc::driver::{CudaContext, LaunchConfig};
use cudarc::nvrtc::Ptx;
use std::sync::Arc;
use upsweep::prelude::*;
use upsweep::{Carry, Error, function};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Whether an element is at least a bound.
#[function]
fn at_least(#[param] bound: f64, x: f64) -> bool {
    x >= bound
}

/// A kernel that ends the context, as an access to memory that is not there does.
const ENDS_IT: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry ends_it() { trap; }\n";

/// Ends the context: from then on every call of the driver fails.
fn lose(context: &Arc<CudaContext>) -> Outcome {
    let stream = context.new_stream()?;
    let kernel = context.load_module(Ptx::from_src(ENDS_IT))?.load_function("ends_it")?;
    // SAFETY: the kernel has no parameters and uses no memory.
    unsafe { stream.launch_builder(&kernel).launch(LaunchConfig::for_num_elems(1)) }?;
    assert!(stream.synchronize().is_err(), "the kernel has ended the context");
    Ok(())
}

/// The reason that an error gives, which is the driver's.
fn reason<T: std::fmt::Debug>(result: upsweep::Result<T>, doing: &str) -> String {
    assert!(matches!(result, Err(Error::Driver { .. })), "{doing}: {result:?}");
    result.err().map_or_else(String::new, |error| error.to_string())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn a_stream_of_parts_goes_on_elsewhere_when_its_device_is_lost() -> Outcome {
    const PART: usize = 100_003;
    let x: Vec<f64> = (0..10 * PART).map(|i| (i % 1013) as f64 * 0.001).collect();
    let whole: Vec<f64> = Scan::new(Sum).run_to_vec(&Device::cpu(), &x)?;
    let total: f64 = Reduce::new(Sum).run_to_host(&Device::cpu(), &x)?;

    let context = CudaContext::new(0)?;
    let device = Device::cuda(0)?;
    let (mut sums, mut of_totals) = (Carry::new(), Carry::new());
    let (mut found, mut kept) = (Vec::new(), [Vec::new(), Vec::new()]);
    for x in x.chunks(PART).take(4) {
        let (input, mut output, mut sum) = (device.upload(x)?, device.room::<f64>(x.len())?, device.room::<f64>(1)?);
        Scan::new(Sum).run_with_carry(&device, &input, &mut output, &mut sums)?;
        Reduce::new(Sum).run_with_carry(&device, &input, &mut sum, &mut of_totals)?;
        found.extend(output.to_vec()?);
        kept = [sums.to_bytes()?, of_totals.to_bytes()?];
    }
    let (input, mut output) = (device.upload(&x[4 * PART..5 * PART])?, device.room::<f64>(PART)?);
    let streamed = device.streamed();
    let mut host = vec![f64::NAN; x.len()];
    Scan::new(Sum).run(&streamed, &x, &mut host)?;
    assert!(host == whole);
    lose(&context)?;

    // Each call says so, and none panics: enqueueing, waiting, allocating, copying, the carry's way to the host.
    let enqueued = Scan::new(Sum).run_with_carry(&device, &input, &mut output, &mut sums);
    let texts = [
        reason(enqueued.and_then(|()| output.to_vec().map(drop)), "a part"),
        reason(sums.to_bytes(), "the carry"),
        reason(output.to_vec(), "a result"),
        reason(device.upload(&x), "an upload"),
        reason(device.inclusive_scan(&input, Sum).and_then(|sums| sums.to_vec()), "a scan"),
        reason(device.reduce(&input, Sum), "a reduction"),
        reason(Sort::new().run_to_vec(&device, &input), "a sort"),
        reason(Select::new(AtLeast { bound: 0.5 }).run_to_vec(&device, &input), "a selection"),
        reason(Scan::new(Sum).run(&streamed, &x, &mut host), "a streamed scan"),
        reason(Sort::new().run(&streamed, &x, &mut host), "a streamed sort"),
        reason(device.synchronize(), "a wait"),
    ];
    for text in &texts {
        assert!(text.contains("CUDA_ERROR") || text.contains("ended the context"), "{text}");
    }
    drop((device, streamed, input, output, sums, of_totals));

    // What was kept goes on elsewhere, with the same bits.
    let cpu = Device::cpu();
    let [mut sums, mut of_totals] = [Carry::from_bytes(&kept[0])?, Carry::from_bytes(&kept[1])?];
    assert_eq!(sums.position(), 4 * PART as u64);
    let (mut rest, mut sum) = (vec![f64::NAN; 6 * PART], [f64::NAN]);
    Scan::new(Sum).run_with_carry(&cpu, &x[4 * PART..], &mut rest, &mut sums)?;
    Reduce::new(Sum).run_with_carry(&cpu, &x[4 * PART..], &mut sum, &mut of_totals)?;
    found.extend(rest);
    assert!(found == whole && sum == [total]);
    Ok(())
}
