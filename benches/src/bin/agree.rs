//! The promises about bits, tried at random: a GPU has the results of the CPU, parts have those of one call, and running
//! sums of numbers that are not negative never descend. It prints how many calls were wrong, and ends with an error if
//! any was.
//!
//! `cargo run --release -p upsweep-bench --bin agree -- [CALLS [CHUNKINGS [ELEMENTS]]]`
//!
//! CALLS: random scans and reductions, on the CPU and on the GPU 0; without one there are none. CHUNKINGS: random cuts of
//! arrays, on each device. ELEMENTS: number of elements of each type whose running sums are looked at, on each device.

#![allow(clippy::print_stdout, reason = "a program that reports")]

use half::f16;
use rayon::prelude::*;
use upsweep::operator::builtin::{Max, Product, Sum};
use upsweep::{Array, Carry, Device, Element, Operator, Reduce, Result, Scan, Segments};

/// Largest array of a random call.
const MOST: usize = 200_000;

/// Random numbers: xorshift.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Returns a number of elements up to `most`, as often of each magnitude.
    fn length(&mut self, most: usize) -> usize {
        let magnitude = self.below(most.ilog2() as usize + 1);
        self.below(most.min(2 << magnitude) + 1)
    }
}

fn number(bits: u64) -> f64 {
    (bits as u32 as f64 - 2e9) * 0.125f64.powi((bits >> 40) as i32 % 6)
}

/// Array with segments of random lengths, by flags, keys and offsets.
struct Case<T> {
    x: Vec<T>,
    flags: Vec<bool>,
    keys: Vec<u32>,
    offsets: Vec<u32>,
}

impl<T> Case<T> {
    fn new(rng: &mut Rng, most: usize, value: impl Fn(u64) -> T) -> Self {
        let n = rng.length(most);
        let (rare, mut key) = (1 + rng.below(3000), 0);
        let flags: Vec<bool> = (0..n).map(|_| rng.below(rare) == 0).collect();
        let keys = flags.iter().map(|&flag| (key += u32::from(flag), key).1).collect();
        let heads = flags.iter().enumerate().skip(1).filter(|(_, flag)| **flag).map(|(i, _)| i as u32);
        let offsets = [0].into_iter().chain(heads).chain([n as u32]).collect();
        Self { x: (0..n).map(|_| value(rng.next())).collect(), flags, keys, offsets }
    }
}

/// Elements, flags, keys and offsets on a device.
struct Placed<T> {
    x: Array<T>,
    flags: Array<bool>,
    keys: Array<u32>,
    offsets: Array<u32>,
}

impl<T: Element> Placed<T> {
    fn new(device: &Device, case: &Case<T>) -> Result<Self> {
        let Case { x, flags, keys, offsets } = case;
        let (x, flags) = (device.upload(x)?, device.upload(flags)?);
        Ok(Self { x, flags, keys: device.upload(keys)?, offsets: device.upload(offsets)? })
    }
}

/// Number of kinds of random calls.
const KINDS: usize = 9;

/// Returns the results of the call of this kind.
fn call<T: Element, Op: Operator<T>>(
    device: &Device,
    kind: usize,
    operator: Op,
    init: T,
    case: &Placed<T>,
) -> Result<Vec<T>> {
    let (scan, x) = (Scan::new(operator), &case.x);
    let exclusive = scan.exclusive().init(init);
    match kind {
        0 => scan.run_to_vec(device, x),
        1 => exclusive.run_to_vec(device, x),
        2 => scan.reverse().run_to_vec(device, x),
        3 => exclusive.reverse().segments(Segments::HeadFlags(&case.flags)).run_to_vec(device, x),
        4 => scan.segments(Segments::HeadFlags(&case.flags)).run_to_vec(device, x),
        5 => scan.segments(Segments::Keys(&case.keys)).run_to_vec(device, x),
        6 => exclusive.segments(Segments::Keys(&case.keys)).run_to_vec(device, x),
        7 => scan.segments(Segments::Offsets(&case.offsets)).run_to_vec(device, x),
        _ => Reduce::new(operator).init(init).run_to_array(device, x)?.into_vec(),
    }
}

/// Makes random calls on both devices, and returns how many had different bits.
fn calls<T: Element, B: PartialEq>(
    [cpu, gpu]: [&Device; 2],
    operator: impl Operator<T>,
    (value, bits, init): (impl Fn(u64) -> T, impl Fn(&T) -> B, T),
    rounds: usize,
) -> Result<usize> {
    let (rng, mut wrong) = (&mut Rng(0x9e37_79b9_7f4a_7c15), 0);
    for round in 0..rounds {
        let case = Case::new(rng, MOST, &value);
        let [on_cpu, on_gpu] = [Placed::new(cpu, &case)?, Placed::new(gpu, &case)?];
        let a = call(cpu, round % KINDS, operator, init, &on_cpu)?;
        let b = call(gpu, round % KINDS, operator, init, &on_gpu)?;
        wrong += usize::from(a.len() != b.len() || a.iter().zip(&b).any(|(a, b)| bits(a) != bits(b)));
    }
    Ok(wrong)
}

/// Scans and reduces arrays in random parts, and returns how many had other bits than in one call.
fn chunkings<T: Element, B: PartialEq>(
    device: &Device,
    (value, bits): (impl Fn(u64) -> T, impl Fn(&T) -> B),
    rounds: usize,
) -> Result<usize>
where
    Sum: Operator<T>,
{
    let (rng, mut wrong) = (&mut Rng(0x2545_f491_4f6c_dd1d), 0);
    for round in 0..rounds {
        let case = Case::new(rng, MOST, &value);
        let n = case.x.len();
        let mut cuts: Vec<usize> = (0..rng.below(6)).map(|_| rng.below(n + 1)).chain([0, n]).collect();
        cuts.sort_unstable();
        let (placed, scan, mut carry) = (Placed::new(device, &case)?, Scan::new(Sum), Carry::new());
        let (mut parts, mut total) = (Vec::with_capacity(n), device.filled(1, value(0))?);
        let whole = match round % 3 {
            0 => scan.run_to_vec(device, &placed.x)?,
            1 => scan.exclusive().segments(Segments::Keys(&placed.keys)).run_to_vec(device, &placed.x)?,
            _ => Reduce::new(Sum).run_to_array(device, &placed.x)?.into_vec()?,
        };
        for pair in cuts.windows(2) {
            let (x, keys) = (&case.x[pair[0]..pair[1]], &case.keys[pair[0]..pair[1]]);
            let (x, keys, mut out) = (device.upload(x)?, device.upload(keys)?, device.upload(x)?);
            match round % 3 {
                0 => scan.run_with_carry(device, &x, &mut out, &mut carry)?,
                1 => {
                    let by_keys = scan.exclusive().segments(Segments::Keys(&keys));
                    by_keys.run_with_carry(device, &x, &mut out, &mut carry)?;
                }
                _ => Reduce::new(Sum).run_with_carry(device, &x, &mut total, &mut carry)?,
            }
            if round % 3 < 2 {
                parts.extend(out.to_vec()?);
            }
        }
        if round % 3 == 2 {
            parts = total.to_vec()?;
        }
        wrong += usize::from(whole.len() != parts.len() || whole.iter().zip(&parts).any(|(a, b)| bits(a) != bits(b)));
    }
    Ok(wrong)
}

/// Scans `elements` numbers that are not negative, of which three in ten are 0, in arrays of `n`. Returns how often the
/// sum descends, and how often a 0 moves it.
fn descents<T>(device: &Device, elements: usize, n: usize, make: impl Fn(f64) -> T + Sync) -> Result<[usize; 2]>
where
    T: Element + PartialOrd + Send,
    Sum: Operator<T>,
{
    let (zero, mut found) = (make(0.0), [0; 2]);
    for round in 0..elements.div_ceil(n) {
        let value = |i: usize| {
            let z = (i as u64 + (round * n) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let z = (z ^ z >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = z ^ z >> 29;
            if z % 10 < 3 { zero } else { make((z >> 11) as f64 * 1.1e-16 / n as f64) }
        };
        let x: Vec<T> = (0..n).into_par_iter().map(value).collect();
        let y = Scan::new(Sum).run_to_vec(device, &device.upload(&x)?)?;
        let moved = y.par_windows(2).zip(&x[1..]).map(|(y, x)| [y[1] < y[0], *x == zero && y[1] != y[0]]);
        let here = moved.map(|moved| moved.map(usize::from)).reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        found = [found[0] + here[0], found[1] + here[1]];
    }
    Ok(found)
}

/// Prints what was tried, and returns how many were wrong.
fn report(what: &str, tried: usize, wrong: usize) -> usize {
    println!("{what:<44} {tried:>12} tried {wrong:>8} wrong");
    wrong
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let [of_calls, of_chunkings, elements] =
        [100_000, 100_000, 1_000_000_000].map(|usual| numbers.next().unwrap_or(Ok(usual)));
    let (of_calls, of_chunkings, elements) = (of_calls?, of_chunkings?, elements?);
    let (cpu, gpu) = (Device::cpu(), Device::cuda(0).ok());
    let mut wrong = 0;
    if let Some(gpu) = &gpu {
        let (each, both) = (of_calls.div_ceil(6), [&cpu, gpu]);
        let f16s = (|x| f16::from_f64(number(x) * 1e-10), |x: &f16| x.to_bits(), f16::ONE);
        let f32s = (|x| number(x) as f32, |x: &f32| x.to_bits(), 0.375);
        wrong += report("f16 sums, CPU and GPU", each, calls(both, Sum, f16s, each)?);
        wrong += report("f32 sums, CPU and GPU", each, calls(both, Sum, f32s, each)?);
        let f64s = (number, |x: &f64| x.to_bits(), 0.375);
        wrong += report("f64 sums, CPU and GPU", each, calls(both, Sum, f64s, each)?);
        let near_one = (|x| 1.0 + number(x) * 1e-13, |x: &f64| x.to_bits(), 1.5);
        wrong += report("f64 products, CPU and GPU", each, calls(both, Product, near_one, each)?);
        wrong += report("u32 sums, CPU and GPU", each, calls(both, Sum, (|x| x as u32, |x: &u32| *x, 7), each)?);
        wrong += report("f64 maxima, CPU and GPU", each, calls(both, Max, f64s, each)?);
    } else {
        println!("no GPU answers: its results are not compared");
    }
    for (name, device) in [("CPU", Some(&cpu)), ("GPU", gpu.as_ref())] {
        let Some(device) = device else { continue };
        let each = of_chunkings.div_ceil(4);
        let halves = (|x| f16::from_f64(number(x) * 1e-10), |x: &f16| x.to_bits());
        wrong += report(&format!("f16 in parts, {name}"), each, chunkings(device, halves, each)?);
        let singles = (|x| number(x) as f32, |x: &f32| x.to_bits());
        wrong += report(&format!("f32 in parts, {name}"), each, chunkings(device, singles, each)?);
        wrong +=
            report(&format!("f64 in parts, {name}"), each, chunkings(device, (number, |x: &f64| x.to_bits()), each)?);
        wrong += report(&format!("u32 in parts, {name}"), each, chunkings(device, (|x| x as u32, |x: &u32| *x), each)?);
        // Long arrays, and arrays that one wave of blocks scans.
        for n in [100_000_000, 1_000_003, 30_011] {
            let elements = elements / 3;
            for (of, found) in [
                ("f16", descents(device, elements, n, |x| f16::from_f64(x * 6e4))?),
                ("f32", descents(device, elements, n, |x| x as f32)?),
                ("f64", descents(device, elements, n, |x| x)?),
            ] {
                let what = format!("{of} sums of {n} that descend, {name}");
                wrong += report(&what, elements, found[0]);
                wrong += report(&format!("{of} zeros of {n} that move a sum, {name}"), elements, found[1]);
            }
        }
    }
    if wrong > 0 { Err(format!("{wrong} results were wrong").into()) } else { Ok(()) }
}
