//! Tuning.
#![allow(warnings)]
#![allow(missing_docs)]
use cudarc::driver::*;
use cudarc::driver::sys::CUevent_flags;
use upsweep::prelude::*;
type R<T = ()> = Result<T, Box<dyn std::error::Error>>;
fn hash(i: usize) -> u64 {
    let x = (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^ (x >> 27)
}
fn main() {
    for row in std::env::args().skip(1) {
        let parts: Vec<&str> = row.split(':').collect();
        let (side, what) = (parts[1].parse::<usize>().unwrap(), parts[0]);
        let configs: Vec<&str> = parts[2].split('/').collect();
        let done = match what {
            "f32" => table::<f32, f32>(side, &configs, what, |i| (hash(i) >> 61) as f32, |x| x as f64, |x| x as f64),
            "u8" => table::<u8, u32>(side, &configs, what, |i| hash(i) as u8, |x| x as f64, |x| x as f64),
            _ => table::<f32, f64>(side, &configs, what, |i| (hash(i) >> 61) as f32, |x| x as f64, |x| x),
        };
        if let Err(error) = done { println!("{what} {side}: {error}"); }
    }
}
fn table<I: Element + DeviceRepr, A: Element + DeviceRepr + upsweep::operator::WidenFrom<I>>(side: usize, configs: &[&str], what: &str, value: fn(usize) -> I, of: fn(I) -> f64, to: fn(A) -> f64) -> R
where Sum: upsweep::operator::Operator<A>
{
    let n = side * side;
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let device = Device::on_stream(&stream)?;
    let period = 1 << 20;
    let host: Vec<I> = (0..period).map(value).collect();
    let mut x = unsafe { stream.alloc::<I>(n) }?;
    for at in (0..n).step_by(period) { stream.memcpy_htod(&host, &mut x.slice_mut(at..at + period))?; }
    let mut out = unsafe { stream.alloc::<A>(n) }?;
    let mut flush = stream.alloc_zeros::<u8>(256 << 20)?;
    let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
    let (a, b) = (context.new_event(timed)?, context.new_event(timed)?);
    let bytes = n * (size_of::<I>() + size_of::<A>());
    let mut median = |call: &mut dyn FnMut() -> R, calls: usize| -> R<f64> {
        for _ in 0..3 { call()?; }
        let mut times = vec![];
        for _ in 0..calls {
            stream.memset_zeros(&mut flush)?;
            a.record(&stream)?; call()?; b.record(&stream)?; b.synchronize()?;
            times.push(a.elapsed_ms(&b)? as f64 * 1e3);
        }
        times.sort_by(f64::total_cmp);
        Ok(times[times.len() / 2])
    };
    let mut copy = unsafe { stream.alloc::<u8>(bytes / 2) }?;
    let from = unsafe { stream.alloc::<u8>(bytes / 2) }?;
    let copied = median(&mut || Ok(stream.memcpy_dtod(&from, &mut copy)?), 11)?;
    drop((copy, from));
    println!("{what} {side}: copy {copied:.1} us, {:.0} GB/s", bytes as f64 / copied / 1e3);
    for config in configs {
        unsafe { std::env::set_var("UPSWEEP_AXES", config) };
        let shape = [side, side];
        let micros = median(&mut || Ok(Scan::new(Sum).accumulate::<A>().axes(&shape, &[1, 0]).run(&device, &x, &mut out)?), 11);
        let micros = match micros { Ok(m) => m, Err(e) => { println!("  {config}: {e}"); continue } };
        // rows: differences
        let mut wrong = 0;
        for row in (0..12).map(|i| i * (side - 1) / 11) {
            let found = stream.clone_dtoh(&out.slice(row * side..(row + 1) * side))?;
            let above = if row > 0 { stream.clone_dtoh(&out.slice((row - 1) * side..row * side))? } else { vec![] };
            let mut left = 0.0;
            for c in 0..side {
                left += of(host[(row * side + c) % period]);
                let expected = left + above.get(c).map_or(0.0, |&x| to(x));
                if (to(found[c]) - expected).abs() > 1e-4 * expected.abs() + 1.0 && wrong < 3 { wrong += 1; println!("  {config} ({row},{c}) {} not {expected}", to(found[c])); }
            }
        }
        println!("  {config}: {micros:.1} us {:.3}", copied / micros);
    }
    Ok(())
}
