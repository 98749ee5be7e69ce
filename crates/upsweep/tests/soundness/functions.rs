//! Functions, comparisons and operators that break their contracts.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};
use upsweep::operator::{Element, Form, Function, Operator, Source};
use upsweep::prelude::*;
use upsweep::{Array, Error, Expand, Merge, Partition, Runs, Segments, Select, Sort};

/// Function that returns `false` for the first `until` calls, and then `true`.
#[derive(Clone, Copy)]
struct Moody {
    calls: &'static AtomicUsize,
    until: usize,
}

/// Makes a [`Moody`] that has not been called yet.
macro_rules! moody {
    ($until:expr) => {{
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        CALLS.store(0, Relaxed);
        Moody { calls: &CALLS, until: $until }
    }};
}

impl Moody {
    fn answer(self) -> bool {
        self.calls.fetch_add(1, Relaxed) >= self.until
    }
}

/// Negation of [`Moody`].
#[derive(Clone, Copy)]
struct Contrary(Moody);

macro_rules! functions {
    ($($args:ty),*) => { $(
        impl Function<$args> for Moody {
            type Output = bool;
            fn call(&self, _: $args) -> bool {
                self.answer()
            }
            fn cuda_function(&self, _: &mut Source) -> String {
                String::new()
            }
        }
        impl Function<$args> for Contrary {
            type Output = bool;
            fn call(&self, _: $args) -> bool {
                !self.0.answer()
            }
            fn cuda_function(&self, _: &mut Source) -> String {
                String::new()
            }
        }
    )* };
}
functions! { (u32,), (u32, u32) }

/// Fills memory with bytes that no result has, and frees it to be allocated again.
pub(crate) fn dirty() {
    for bytes in [1000, 4000, 100_000, 1 << 20] {
        std::hint::black_box((0..8).map(|_| vec![0xABu8; bytes]).collect::<Vec<_>>());
    }
}

#[test]
fn fewer_runs_than_were_counted() {
    let device = Device::cpu();
    for n in [2u32, 1000, 1_000_000] {
        let x: Vec<u32> = (0..n).collect();
        dirty();
        let found = Runs::by(moody!(n as usize - 1)).run_to_vecs::<_, u64>(&device, &x);
        assert_eq!(found, Ok((vec![0], vec![u64::from(n)])), "{n}");
        let found = Runs::by(moody!(n as usize - 1)).starts().run_to_vecs::<_, u32>(&device, &x);
        assert_eq!(found, Ok((vec![0], vec![0])), "{n}");
    }
}

#[test]
fn more_runs_than_were_counted() {
    let (device, x) = (Device::cpu(), (0..1000).collect::<Vec<u32>>());
    let found = Runs::by(Contrary(moody!(999))).run_to_vecs::<_, u64>(&device, &x);
    assert_eq!(found, Err(Error::Capacity { what: "output", needed: 1000, capacity: 1 }));
}

/// Selects elements that were rejected when they were counted, and the other way round: both parts lie in one output,
/// which threads share.
#[test]
fn other_elements_than_were_counted() {
    let device = Device::cpu();
    for n in [1000, 1_000_000] {
        let x: Vec<u32> = (1..=n as u32).collect();
        let mut out = vec![0; n];
        let more = Partition::new(moody!(n)).run(&device, &x, &mut out).map(|_| ());
        assert_eq!(more, Err(Error::Capacity { what: "output", needed: n, capacity: 0 }));
        assert!(out.iter().all(|&x| x == 0), "{n}");
        let fewer = Partition::new(Contrary(moody!(n))).run(&device, &x, &mut out).map(|_| ());
        assert_eq!(fewer, Err(Error::Capacity { what: "second output", needed: n, capacity: 0 }));
        assert!(out.iter().all(|&x| x == 0), "{n}");
        // In one pass every answer is right.
        let kept: Array<u32> = Select::new(moody!(n / 2)).run_to_array(&device, &x).unwrap();
        assert_eq!(kept.len(), n - n / 2);
    }
}

/// Equality that holds for each pair of neighbours at its first call, and never after that.
#[derive(Clone, Copy)]
struct SameOnce(&'static [AtomicU8]);

impl Function<(u64, u64)> for SameOnce {
    type Output = bool;
    fn call(&self, (_, key): (u64, u64)) -> bool {
        self.0[key as usize].swap(1, Relaxed) == 0
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

/// Threads count the heads of their blocks, and find others when they reduce: no thread stores results of another.
#[test]
fn other_heads_than_were_counted() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    let (device, n) = (Device::cpu(), 1 << 20);
    let keys: Vec<u64> = (0..n as u64).collect();
    static ASKED: [AtomicU8; 1 << 20] = [const { AtomicU8::new(0) }; 1 << 20];
    let same = SameOnce(&ASKED);
    let (mut sums, mut count) = (vec![u64::MAX; n], [0u64]);
    let by_key = Reduce::new(Sum).segments(Segments::KeysBy(&keys, same));
    pool.install(|| by_key.run_counted(&device, &vec![1u64; n], &mut sums, &mut count)).unwrap();
    // One, unless a thread has counted for another.
    assert!((1..n as u64).contains(&count[0]));
    assert!(sums[count[0] as usize..].iter().all(|&sum| sum == u64::MAX));
    // Scans by the same keys have as many results as elements.
    let found: Vec<u64> = pool
        .install(|| Scan::new(Sum).segments(Segments::KeysBy(&keys, same)).run_to_vec(&device, &vec![1u64; n]))
        .unwrap();
    assert_eq!(found, vec![1; n]);
}

/// Comparison that is no order.
#[derive(Clone, Copy)]
struct Chaos(&'static AtomicUsize);

impl Function<(u32, u32)> for Chaos {
    type Output = bool;
    fn call(&self, (a, b): (u32, u32)) -> bool {
        let random = self.0.fetch_add(1, Relaxed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
        random % 2 == 1 || (a ^ b) & 7 == 3
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

/// Random comparisons sort nothing, and lose nothing.
#[test]
fn comparisons_at_random_keep_all_elements() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let (device, chaos) = (Device::cpu(), Chaos(&CALLS));
    for n in [0, 1, 2, 23, 24, 25, 1000, 700_000] {
        let x: Vec<u32> = (0..n).rev().collect();
        dirty();
        let mut sorted = Sort::by(chaos).run_to_vec(&device, &x).unwrap();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..n), "{n}");
        let mut merged = Merge::by(chaos).run_to_vec(&device, (&x, &x)).unwrap();
        merged.sort_unstable();
        assert!(merged.into_iter().eq((0..2 * n).map(|i| i / 2)), "{n}");
        let mut places: Vec<u32> = Sort::by(chaos).indices().run_to_array(&device, &x).unwrap().into_vec().unwrap();
        places.sort_unstable();
        assert!(places.into_iter().eq(0..n), "{n}");
    }
}

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Flag(bool);

/// Operator whose form claims that it is a product.
#[derive(Clone, Copy)]
struct Either;

impl Operator<Flag> for Either {
    const LANES: bool = true;
    const FORM: Form = Form::Product;
    fn combine(&self, a: Flag, b: Flag) -> Flag {
        Flag(a.0 || b.0)
    }
    fn cuda_function(&self, _: &mut Source) -> String {
        String::new()
    }
}

/// Products of elements that are no integers begin with an element, and not with the bits of the integer 1.
#[test]
fn products_of_other_elements() {
    use upsweep::half::{bf16, f16};
    let device = Device::cpu();
    assert_eq!(device.reduce(&[Flag(false); 100], Either), Ok(Flag(false)));
    assert_eq!(device.reduce(&[2.0, 3.0, 4.0].map(f16::from_f32), Product), Ok(f16::from_f32(24.0)));
    assert_eq!(device.reduce(&[2.0, 3.0, 4.0].map(bf16::from_f32), Product), Ok(bf16::from_f32(24.0)));
    assert_eq!(device.reduce(&[-2i128, 3, 1 << 100], Product), Ok(-6 << 100));
    assert_eq!(device.reduce(&[7u8, 9, 3], Product), Ok(189));
}

/// The number of results of counts is computed twice, from the same counts.
#[test]
fn results_of_counts() {
    let device = Device::cpu();
    assert_eq!(Expand::new().run_to_vec::<_, u32>(&device, &[2u64, 0, 1]), Ok(vec![0, 0, 2]));
    let error = Expand::new().run_to_vec::<_, u32>(&device, &[u64::MAX, u64::MAX]).unwrap_err();
    assert_eq!(error, Error::OutOfMemory { bytes: usize::MAX });
}
