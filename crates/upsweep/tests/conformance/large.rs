//! Arrays past 2^31 and 2^32 elements, every element checked by a closed formula of its position.

use upsweep::Device;
use upsweep::operator::builtin::Sum;
use upsweep::{Reduce, Scan};

/// Period of the pattern, which no tile's length is a multiple of.
const PERIOD: u64 = 251;

/// Element `i` of the byte pattern.
fn byte(i: u64) -> u8 {
    (i % PERIOD) as u8
}

/// The sum of the elements before `i`, modulo 256.
fn bytes_before(i: u64) -> u8 {
    let (periods, rest) = (i / PERIOD, i % PERIOD);
    (periods.wrapping_mul(PERIOD * (PERIOD - 1) / 2).wrapping_add(rest * rest.saturating_sub(1) / 2)) as u8
}

#[test]
fn bytes_before_is_the_sum() {
    let mut sum = 0u8;
    for i in 0..2000 {
        assert_eq!(bytes_before(i), sum, "{i}");
        sum = sum.wrapping_add(byte(i));
    }
}

/// Calls `check` with each chunk of `data` and the position it begins at, on every core.
fn each_chunk<T: Sync>(data: &[T], first: u64, check: impl Fn(u64, &T) -> bool + Sync) {
    use rayon::prelude::*;
    const CHUNK: usize = 1 << 20;
    let wrong = data.par_chunks(CHUNK).enumerate().find_map_first(|(k, chunk)| {
        let start = first + (k * CHUNK) as u64;
        chunk.iter().zip(start..).find(|(value, i)| !check(*i, value)).map(|(_, i)| i)
    });
    assert_eq!(wrong, None, "the first wrong element");
}

#[test]
#[ignore = "needs 5 GiB of memory and a minute"]
fn cpu_scan_and_reduce_past_2_pow_32() {
    use rayon::prelude::*;
    let device = Device::cpu();
    let len = (1u64 << 32) + 7;
    let mut data = vec![0u8; len as usize];
    let refill = |data: &mut [u8]| data.par_iter_mut().enumerate().for_each(|(i, x)| *x = byte(i as u64));
    refill(&mut data);
    assert_eq!(device.reduce(&data, Sum), Ok(bytes_before(len)));
    let wide = Reduce::new(Sum).accumulate::<u64>().run_to_host(&device, &data);
    let (periods, rest) = (len / PERIOD, len % PERIOD);
    assert_eq!(wide, Ok(periods * (PERIOD * (PERIOD - 1) / 2) + rest * (rest - 1) / 2));
    Scan::new(Sum).run_in_place(&device, &mut data).unwrap();
    each_chunk(&data, 0, |i, &x| x == bytes_before(i + 1));
    refill(&mut data);
    Scan::new(Sum).exclusive().reverse().init(9).run_in_place(&device, &mut data).unwrap();
    each_chunk(&data, 0, |i, &x| x == bytes_before(len).wrapping_sub(bytes_before(i + 1)).wrapping_add(9));
}

#[cfg(feature = "cuda")]
mod cuda {
    use super::*;
    use cudarc::driver::{CudaSlice, CudaStream, DeviceRepr};
    use rayon::prelude::*;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use upsweep::Segments;
    use upsweep::operator::builtin::{ArgMax, Max};
    use upsweep_testing::place::Place;

    /// Elements copied between host and device at once.
    const CHUNK: usize = 1 << 26;

    /// Exclusive use of a GPU and of as much of its memory as a test wants: these tests take turns.
    struct Gpu {
        device: Device,
        stream: Arc<CudaStream>,
        _turn: MutexGuard<'static, ()>,
    }

    impl Gpu {
        fn new() -> Self {
            static TURN: Mutex<()> = Mutex::new(());
            // A test that failed has left nothing behind that matters to the next.
            let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
            let place = Place::cuda();
            Self { device: place.device, stream: place.stream.unwrap(), _turn: turn }
        }

        /// Makes `len` elements, each computed from its position.
        fn filled<T: DeviceRepr + Send + Sync + Copy>(
            &self,
            len: u64,
            value: impl Fn(u64) -> T + Sync,
        ) -> CudaSlice<T> {
            let mut memory = self.output::<T>(len);
            for start in (0..len).step_by(CHUNK) {
                let end = len.min(start + CHUNK as u64);
                let chunk: Vec<T> = (start..end).into_par_iter().map(&value).collect();
                let mut target = memory.slice_mut(start as usize..end as usize);
                self.stream.memcpy_htod(&chunk, &mut target).unwrap();
                self.stream.synchronize().unwrap();
            }
            memory
        }

        fn output<T: DeviceRepr>(&self, len: u64) -> CudaSlice<T> {
            // SAFETY: it is written before it is read.
            unsafe { self.stream.alloc(len as usize) }.expect("enough GPU memory")
        }

        /// Compares every element with `right`.
        #[track_caller]
        fn check<T: DeviceRepr + Sync + Default + Clone>(
            &self,
            memory: &CudaSlice<T>,
            right: impl Fn(u64, &T) -> bool + Sync,
        ) {
            let mut chunk = vec![T::default(); CHUNK];
            for start in (0..memory.len()).step_by(CHUNK) {
                let end = memory.len().min(start + CHUNK);
                let chunk = &mut chunk[..end - start];
                self.stream.memcpy_dtoh(&memory.slice(start..end), chunk).unwrap();
                self.stream.synchronize().unwrap();
                each_chunk(chunk, start as u64, &right);
            }
        }
    }

    #[test]
    #[ignore = "needs a CUDA GPU with 20 GiB"]
    fn scan_2_pow_33_bytes() {
        let gpu = Gpu::new();
        let len = 1u64 << 33;
        let x = gpu.filled(len, byte);
        let mut out = gpu.output::<u8>(len);
        Scan::new(Sum).run(&gpu.device, &x, &mut out).unwrap();
        gpu.check(&out, |i, &x| x == bytes_before(i + 1));
        Scan::new(Sum).exclusive().reverse().init(9).run(&gpu.device, &x, &mut out).unwrap();
        gpu.check(&out, |i, &x| x == bytes_before(len).wrapping_sub(bytes_before(i + 1)).wrapping_add(9));
        assert_eq!(gpu.device.reduce(&x, Sum), Ok(bytes_before(len)));
        let wide = Reduce::new(Sum).accumulate::<u64>().run_to_host(&gpu.device, &x);
        let (periods, rest) = (len / PERIOD, len % PERIOD);
        assert_eq!(wide, Ok(periods * (PERIOD * (PERIOD - 1) / 2) + rest * rest.saturating_sub(1) / 2));
    }

    /// Scan in place, at an odd element and past 4 GiB.
    #[test]
    #[ignore = "needs a CUDA GPU with 20 GiB"]
    fn scan_2_pow_33_bytes_in_place_misaligned() {
        let gpu = Gpu::new();
        let len = (1u64 << 33) + 5;
        let mut x = gpu.filled(len + 3, |i| if i < 3 { 77 } else { byte(i - 3) });
        Scan::new(Sum).run_in_place(&gpu.device, &mut x.slice_mut(3..)).unwrap();
        gpu.check(&x, |i, &x| x == if i < 3 { 77 } else { bytes_before(i - 2) });
    }

    /// Running sums that are whole numbers below 1009: exact in f32 in every grouping.
    #[test]
    #[ignore = "needs a CUDA GPU with 40 GiB"]
    fn scan_2_pow_32_floats() {
        let gpu = Gpu::new();
        let len = (1u64 << 32) + 7;
        let height = |i: u64| (i * 37 % 1009) as f32;
        let x = gpu.filled(len, |i| height(i + 1) - height(i));
        let mut out = gpu.output::<f32>(len);
        Scan::new(Sum).run(&gpu.device, &x, &mut out).unwrap();
        gpu.check(&out, |i, &x| x == height(i + 1));
        Scan::new(Sum).exclusive().reverse().run(&gpu.device, &x, &mut out).unwrap();
        gpu.check(&out, |i, &x| x == height(len) - height(i + 1));
        assert_eq!(gpu.device.reduce(&x, Sum), Ok(height(len)));
    }

    /// A new record every 1 000 003 elements, and numbers below it between.
    #[test]
    #[ignore = "needs a CUDA GPU with 40 GiB"]
    fn scan_2_pow_32_maxima() {
        let gpu = Gpu::new();
        let len = (1u64 << 32) + 7;
        const STEP: u64 = 1_000_003;
        let x = gpu.filled(len, |i| if i % STEP == 0 { (i / STEP) as i32 } else { -((i % 4096) as i32) });
        let mut out = gpu.output::<i32>(len);
        Scan::new(Max).run(&gpu.device, &x, &mut out).unwrap();
        gpu.check(&out, |i, &x| x == (i / STEP) as i32);
        assert_eq!(gpu.device.reduce(&x, Max), Ok(((len - 1) / STEP) as i32));
        let last = (len - 1) / STEP;
        let found = Reduce::new(ArgMax).enumerate().run_to_host(&gpu.device, &x);
        assert_eq!(found, Ok((last as i32, last * STEP)));
    }

    /// Element of a row-major array at (row, column), such that sums along either axis have a closed form.
    fn cell(row: u64, column: u64) -> u8 {
        byte(row + column)
    }

    #[test]
    #[ignore = "needs a CUDA GPU with 10 GiB"]
    fn scan_axis_past_2_pow_32() {
        let gpu = Gpu::new();
        for (rows, columns) in [(65_539u64, 65_537u64), (3, 1_500_000_001), (1_500_000_001, 3)] {
            let shape = [rows as usize, columns as usize];
            let x = gpu.filled(rows * columns, |i| cell(i / columns, i % columns));
            let mut out = gpu.output::<u8>(rows * columns);
            // Along a row from column 0: bytes column 0 ..= c of the pattern, shifted by the row. Along a column too.
            let sum = |shift: u64, count: u64| bytes_before(shift + count).wrapping_sub(bytes_before(shift));
            Scan::new(Sum).axis(&shape, 1).run(&gpu.device, &x, &mut out).unwrap();
            gpu.check(&out, |i, &x| x == sum(i / columns, i % columns + 1));
            Scan::new(Sum).axis(&shape, 0).run(&gpu.device, &x, &mut out).unwrap();
            gpu.check(&out, |i, &x| x == sum(i % columns, i / columns + 1));
            let mut totals = gpu.output::<u8>(rows);
            Reduce::new(Sum).axis(&shape, 1).run(&gpu.device, &x, &mut totals).unwrap();
            gpu.check(&totals, |row, &x| x == sum(row, columns));
            let mut totals = gpu.output::<u8>(columns);
            Reduce::new(Sum).axis(&shape, 0).run(&gpu.device, &x, &mut totals).unwrap();
            gpu.check(&totals, |column, &x| x == sum(column, rows));
        }
    }

    #[test]
    #[ignore = "needs a CUDA GPU with 20 GiB"]
    fn scan_segments_past_2_pow_32() {
        let gpu = Gpu::new();
        let len = (1u64 << 32) + 4099;
        let bounds = [0, 1, 1, (1 << 31) + 1, (1 << 32) - 1, 1 << 32, (1 << 32) + 5, len];
        let first = |i: u64| bounds[bounds.partition_point(|&bound| bound <= i) - 1];
        let x = gpu.filled(len, byte);
        let mut out = gpu.output::<u8>(len);
        let right = |i: u64, x: &u8| *x == bytes_before(i + 1).wrapping_sub(bytes_before(first(i)));
        let offsets = gpu.stream.clone_htod(&bounds).unwrap();
        Scan::new(Sum).segments(Segments::Offsets(&offsets)).run(&gpu.device, &x, &mut out).unwrap();
        gpu.check(&out, right);
        let total =
            |s: u64, x: &u8| *x == bytes_before(bounds[s as usize + 1]).wrapping_sub(bytes_before(bounds[s as usize]));
        let mut totals = gpu.output::<u8>(7);
        Reduce::new(Sum).segments(Segments::Offsets(&offsets)).run(&gpu.device, &x, &mut totals).unwrap();
        gpu.check(&totals, total);

        // The same segments by head flags, which are bytes 0 and 1 in memory; the empty one is not there.
        let flags = gpu.filled(len, |i| u8::from(bounds.contains(&i)));
        // SAFETY: each byte is 0 or 1.
        let flags = unsafe { flags.transmute::<bool>(len as usize) }.unwrap();
        let mut out = gpu.output::<u8>(len);
        Scan::new(Sum).segments(Segments::HeadFlags(&flags)).run(&gpu.device, &x, &mut out).unwrap();
        gpu.check(&out, right);
    }
}
