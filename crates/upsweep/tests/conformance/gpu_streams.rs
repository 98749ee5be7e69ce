//! CUDA: graphs replayed very often, streams and threads side by side, and the same bits in every run.

use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaGraph, CudaStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use upsweep::operator::builtin::{Max, Sum};
use upsweep::{Device, Operator, Reduce, Scan, Segments};
use upsweep_testing::cuts;
use upsweep_testing::operators::{Affine, Then, then};
use upsweep_testing::oracle::{self, Cut, Rule};
use upsweep_testing::place::CAPTURE;
use upsweep_testing::place::{Buffer, Place, to_cuda};
use upsweep_testing::random::Rng;
use upsweep_testing::sample::{Sample, random_values};
use upsweep_testing::sizes;

/// Stream for captures: cudarc keeps no events on its buffers, as it requires there.
fn stream_for_capture() -> Arc<CudaStream> {
    let context = CudaContext::new(0).expect("a CUDA GPU");
    // SAFETY: each test orders its own streams, and has one.
    unsafe { context.disable_event_tracking() };
    new_stream(&context)
}

fn new_stream(context: &Arc<CudaContext>) -> Arc<CudaStream> {
    let _no_capture = CAPTURE.read();
    context.new_stream().unwrap()
}

fn capture(stream: &Arc<CudaStream>, enqueue: impl FnOnce()) -> CudaGraph {
    let _no_new_streams = CAPTURE.write();
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    enqueue();
    stream
        .end_capture(CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)
        .unwrap()
        .expect("a graph")
}

fn replays() -> usize {
    if sizes::reduced() { 200 } else { 10_000 }
}

/// Scans in place, one after the other: a single wrong element in any replay stays in the result.
#[test]
#[ignore = "needs a CUDA GPU"]
fn graph_replays_in_place() {
    let stream = stream_for_capture();
    let place = Place::on(stream.clone());
    let (short, long) = (random_values::<u32>(1000), random_values::<u32>(20_011));
    let (mut a, mut b) = (place.upload(&short, 1), place.upload(&long, 3));
    let graph = capture(&stream, || {
        Scan::new(Sum).run_in_place(&place.device, &mut a).unwrap();
        Scan::new(Sum).reverse().run_in_place(&place.device, &mut b).unwrap();
    });
    for _ in 0..replays() {
        graph.launch().unwrap();
    }
    let repeat = |mut x: Vec<u32>| {
        for _ in 0..replays() {
            let mut sum = 0u32;
            x.iter_mut().for_each(|x| (sum = sum.wrapping_add(*x), *x = sum).1);
        }
        x
    };
    assert_eq!(a.check_guards(), repeat(short));
    let mut expected = repeat(long.into_iter().rev().collect());
    expected.reverse();
    assert_eq!(b.check_guards(), expected);
}

/// Several operators, kinds of segments and lengths in one graph; checked now and then on outputs poisoned anew.
#[test]
#[ignore = "needs a CUDA GPU"]
fn graph_replays_of_everything() {
    let stream = stream_for_capture();
    let place = Place::on(stream.clone());
    let device = &place.device;
    let len = 300_007;
    let x = random_values::<Affine>(len);
    let cut = cuts::keys(len, 300);
    let Cut::Keys(keys) = &cut else { unreachable!() };
    let (input, keys) = (place.upload(&x, 1), place.upload(keys, 0));
    let lines = cut.lines(len);
    let rule = Rule::new(then, Some(Affine { m: 1, c: 0 }));
    let whole = Cut::Whole.lines(len);
    let scanned = oracle::scan(&x, &whole, &rule, None, true, false);
    let by_key = oracle::scan(&x, &lines, &rule, None, false, true);
    let totals = oracle::reduce(&x, &lines, &rule, None);
    let total = oracle::reduce(&x, &whole, &rule, None);

    let mut outputs: [Buffer<Affine>; 4] = [len, len, totals.len(), 1].map(|len| place.poisoned(len, 2));
    let mut count = place.poisoned::<u64>(1, 0);
    let graph = capture(&stream, || {
        let [a, b, c, d] = &mut outputs;
        Scan::new(Then).exclusive().run(device, &input, a).unwrap();
        Scan::new(Then).segments(Segments::Keys(&keys)).reverse().run(device, &input, b).unwrap();
        Reduce::new(Then).segments(Segments::Keys(&keys)).run_counted(device, &input, c, &mut count).unwrap();
        Reduce::new(Then).run(device, &input, d).unwrap();
    });
    for k in 1..=replays() {
        graph.launch().unwrap();
        if k % (replays() / 20) == 0 {
            for (output, expected) in outputs.iter_mut().zip([&scanned, &by_key, &totals, &total]) {
                assert!(output.check_guards() == *expected, "after {k} replays");
                output.overwrite(Affine::poison());
            }
            assert_eq!(count.check_guards(), [totals.len() as u64]);
        }
    }
}

/// Work whose result is known.
trait Work: Send {
    fn enqueue(&mut self, device: &Device);
    /// Waits, compares, and poisons the output for the next run.
    fn check(&mut self);
}

struct Scanned<T, Op> {
    operator: Op,
    input: Buffer<T>,
    output: Buffer<T>,
    expected: Vec<T>,
}

impl<T: Sample, Op: Operator<T>> Work for Scanned<T, Op> {
    fn enqueue(&mut self, device: &Device) {
        Scan::new(self.operator).run(device, &self.input, &mut self.output).unwrap();
    }
    fn check(&mut self) {
        let found = self.output.check_guards();
        assert!(found.iter().zip(&self.expected).all(|(a, b)| a.same(b)), "{} elements", found.len());
        self.output.overwrite(T::poison());
    }
}

fn scanned<T: Sample, Op: Operator<T>>(place: &Place, operator: Op, rule: &Rule<T, T, T>, len: usize) -> Box<dyn Work> {
    let x = random_values::<T>(len);
    let expected = oracle::scan(&x, &Cut::Whole.lines(len), rule, None, false, false);
    let (input, output) = (place.upload(&x, len % 4), place.poisoned(len, len % 3));
    Box::new(Scanned { operator, input, output, expected })
}

/// Scans of many types and lengths, in an order of their own for each seed.
fn mixture(place: &Place, seed: u64) -> Vec<Box<dyn Work>> {
    let mut rng = Rng::new(seed);
    let mut work = Vec::new();
    for bits in [0, 4, 9, 12, 15, 18, if sizes::reduced() { 8 } else { 22 }] {
        let len = (1 << bits) + rng.below(1 << bits);
        work.push(scanned(place, Sum, &Rule::new(u8::wrapping_add, Some(0)), len));
        work.push(scanned(place, Sum, &Rule::new(u64::wrapping_add, Some(0)), len));
        work.push(scanned(place, Max, &Rule::new(i32::max, Some(i32::MIN)), len));
        work.push(scanned(place, Then, &Rule::new(then, Some(Affine { m: 1, c: 0 })), len));
    }
    (1..work.len()).for_each(|i| work.swap(i, rng.below(i + 1)));
    work
}

/// One thread, two streams, all enqueued before anything is waited for.
#[test]
#[ignore = "needs a CUDA GPU"]
fn two_streams_at_once() {
    let context = CudaContext::new(0).expect("a CUDA GPU");
    let places = [(); 2].map(|()| Place::on(new_stream(&context)));
    let [mut a, mut b] = [0, 1].map(|k| mixture(&places[k], k as u64));
    for _ in 0..if sizes::reduced() { 2 } else { 50 } {
        for (a, b) in a.iter_mut().zip(&mut b) {
            a.enqueue(&places[0].device);
            b.enqueue(&places[1].device);
        }
        a.iter_mut().chain(&mut b).for_each(|work| work.check());
    }
}

/// Four threads on streams of their own, and four that share one device.
#[test]
#[ignore = "needs a CUDA GPU"]
fn threads_at_once() {
    let context = CudaContext::new(0).expect("a CUDA GPU");
    let shared = Place::on(new_stream(&context));
    std::thread::scope(|scope| {
        for k in 0..8u64 {
            let place = if k < 4 { Place::on(new_stream(&context)) } else { shared.clone() };
            scope.spawn(move || {
                let mut work = mixture(&place, 10 + k);
                for _ in 0..if sizes::reduced() { 1 } else { 10 } {
                    work.iter_mut().for_each(|work| work.enqueue(&place.device));
                    work.iter_mut().for_each(|work| work.check());
                }
            });
        }
    });
}

/// Bits of 100 float sums of 10^7 elements, first alone and then with another stream that scans all the time.
#[test]
#[ignore = "needs a CUDA GPU"]
fn scan_float_same_bits_under_load() {
    let place = Place::cuda();
    let len = if sizes::reduced() { 100_000 } else { 10_000_000 };
    let mut rng = Rng::new(1);
    let x: Vec<f32> = (0..len).map(|_| rng.next() as u32 as f32 / 1e3 - 2e6).collect();
    let input = place.upload(&x, 1);
    let mut output = place.poisoned::<f32>(len, 0);
    let mut run = || {
        Scan::new(Sum).run(&place.device, &input, &mut output).unwrap();
        let bits: Vec<u32> = output.check_guards().iter().map(|x| x.to_bits()).collect();
        output.overwrite(f32::poison());
        (bits, place.device.reduce(&input, Sum).unwrap().to_bits())
    };
    let first = run();
    let (alone, beside) = if sizes::reduced() { (2, 2) } else { (50, 50) };
    (0..alone).for_each(|k| assert!(run() == first, "run {k} differs"));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let other = Place::cuda();
            let mut work = mixture(&other, 99);
            while !stop.load(Ordering::Relaxed) {
                work.iter_mut().for_each(|work| work.enqueue(&other.device));
                work.iter_mut().for_each(|work| work.check());
            }
        });
        // The scope waits for the other thread: it must be told to stop also when a run differs.
        let differing = (0..beside).find(|_| run() != first);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(differing, None, "the run beside other scans that differs");
    });
}

/// Calls do not synchronise: a call enqueued after a long line of scans returns while they run. The last result is
/// right.
#[test]
#[ignore = "needs a CUDA GPU"]
fn calls_return_before_the_work_is_done() {
    let stream = stream_for_capture();
    let place = Place::on(stream.clone());
    let len = 1 << 27;
    let mut data = to_cuda(&stream, &vec![1u32; len]);
    Scan::new(Sum).run_in_place(&place.device, &mut data).unwrap();
    stream.synchronize().unwrap();
    let start = std::time::Instant::now();
    (0..200).for_each(|_| Scan::new(Sum).run_in_place(&place.device, &mut data).unwrap());
    let enqueued = start.elapsed();
    stream.synchronize().unwrap();
    let done = start.elapsed();
    assert!(enqueued * 2 < done, "enqueued in {enqueued:?}, done in {done:?}");
}
