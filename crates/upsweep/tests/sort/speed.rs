//! TEMPORARY: how fast kernels are.
use cudarc::driver::CudaContext;
use upsweep::prelude::*;

/// Of a call in a graph, and of calls in a row.
fn time(device: &Device, mut f: impl FnMut()) -> (f64, f64, f64) {
    f();
    device.synchronize().unwrap();
    let stream = device.as_cuda().unwrap().stream().clone();
    let flags = Some(cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT);
    let of = |f: &mut dyn FnMut()| {
        let mut all = Vec::new();
        for _ in 0..5 {
            f();
            let a = stream.record_event(flags).unwrap();
            f();
            f();
            f();
            f();
            let b = stream.record_event(flags).unwrap();
            all.push(f64::from(a.elapsed_ms(&b).unwrap()) * 250.0);
        }
        all.sort_by(f64::total_cmp);
        all[2]
    };
    let calls = of(&mut f);
    // As the benches do it: one call at a time, behind a memset.
    let mut flush = stream.alloc_zeros::<u8>(256 << 20).unwrap();
    let mut single = Vec::new();
    for _ in 0..9 {
        stream.memset_zeros(&mut flush).unwrap();
        let a = stream.record_event(flags).unwrap();
        f();
        let b = stream.record_event(flags).unwrap();
        b.synchronize().unwrap();
        single.push(f64::from(a.elapsed_ms(&b).unwrap()) * 1000.0);
    }
    single.sort_by(f64::total_cmp);
    stream.begin_capture(cudarc::driver::sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    f();
    let graph = stream.end_capture(cudarc::driver::sys::CUgraphInstantiate_flags(0)).unwrap().unwrap();
    let graphs = of(&mut || graph.launch().unwrap());
    device.synchronize().unwrap();
    (graphs, calls, single[4])
}

fn random(n: usize) -> Vec<u32> {
    let mut s = 1u64;
    (0..n)
        .map(|_| {
            s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (s >> 32) as u32
        })
        .collect()
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn speed() {
    let context = CudaContext::new(0).unwrap();
    let stream = context.new_stream().unwrap();
    let device = Device::on_stream(&stream).unwrap();
    let what = std::env::var("SPEED").unwrap_or_default();
    let sizes: Vec<u32> =
        std::env::var("SIZES").unwrap_or("28".into()).split(',').map(|x| x.parse().unwrap()).collect();
    for bits in sizes {
        let n = 1usize << bits;
        let host = random(n);
        let say = |name: &str, us: (f64, f64, f64)| {
            println!(
                "{} 2^{bits} {name:16} graph {:9.1} calls {:9.1} single {:9.1} us",
                std::env::var("UPSWEEP_SORT_TUNE").unwrap_or_default(),
                us.0,
                us.1,
                us.2
            )
        };
        let x = device.upload(&host).unwrap();
        let mut out = device.filled(n, 0u32).unwrap();
        let tunes = std::env::var("TUNES").unwrap_or_default();
        for tune in tunes.split(';') {
            if !tunes.is_empty() {
                // SAFETY: one thread.
                unsafe { std::env::set_var("UPSWEEP_SORT_TUNE", tune) };
            }
            if what.contains('k') {
                say("u32 random", time(&device, || Sort::new().run(&device, &x, &mut out).unwrap()));
                assert!(out.to_vec().unwrap().is_sorted());
            }
            if what.contains('q') {
                let v = device.upload(&host).unwrap();
                let mut o = device.filled(n, 0u32).unwrap();
                say(
                    "pairs u32 u32",
                    time(&device, || Sort::pairs().run(&device, (&x, &v), (&mut out, &mut o)).unwrap()),
                );
            }
        }
        if what.contains('d') {
            for (name, f) in [
                ("four values", (|_, x| x % 4 * 0x01010101) as fn(u32, u32) -> u32),
                ("two values", |_, x| x % 2 * 0xffff_ffff),
                ("organ pipe", |i, _| if i < 1 << 27 { i } else { (1 << 28) - i }),
                ("zipf", |_, x| 1 << (x % 32 * (x >> 8) % 32 % 32)),
                ("sorted", |i, _| i),
                ("reversed", |i, _| !i),
                ("all equal", |_, _| 7),
            ] {
                let y: Vec<u32> = host.iter().enumerate().map(|(i, x)| f(i as u32, *x)).collect();
                let y = device.upload(&y).unwrap();
                say(name, time(&device, || Sort::new().run(&device, &y, &mut out).unwrap()));
            }
        }
        if what.contains('f') {
            let y: Vec<f32> = host.iter().map(|x| f32::from_bits(*x)).collect();
            let y = device.upload(&y).unwrap();
            let mut o = device.filled(n, 0f32).unwrap();
            say("f32 random", time(&device, || Sort::new().run(&device, &y, &mut o).unwrap()));
        }
        if what.contains('p') {
            let v = device.upload(&host).unwrap();
            let mut o = device.filled(n, 0u32).unwrap();
            say("pairs u32 u32", time(&device, || Sort::pairs().run(&device, (&x, &v), (&mut out, &mut o)).unwrap()));
        }
        if what.contains('i') {
            say("positions u32", time(&device, || Sort::new().indices().run(&device, &x, &mut out).unwrap()));
        }
        if what.contains('w') {
            let y: Vec<u64> = host
                .iter()
                .enumerate()
                .map(|(i, x)| u64::from(*x) << 32 | u64::from(x.wrapping_mul(i as u32 | 1)))
                .collect();
            let y = device.upload(&y).unwrap();
            let mut o = device.filled(n, 0u64).unwrap();
            say("u64 random", time(&device, || Sort::new().run(&device, &y, &mut o).unwrap()));
        }
        if what.contains('b') {
            let y: Vec<u8> = host.iter().map(|x| *x as u8).collect();
            let y = device.upload(&y).unwrap();
            let mut o = device.filled(n, 0u8).unwrap();
            say("u8 random", time(&device, || Sort::new().run(&device, &y, &mut o).unwrap()));
            let y: Vec<u16> = host.iter().map(|x| *x as u16).collect();
            let y = device.upload(&y).unwrap();
            let mut o = device.filled(n, 0u16).unwrap();
            say("u16 random", time(&device, || Sort::new().run(&device, &y, &mut o).unwrap()));
        }
    }
}
