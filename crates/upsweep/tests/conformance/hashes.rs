//! Hashes of the results of float scans and of totals, in a file: they are the same on every backend and in every version. Where a
//! change of the bits is intended, `UPSWEEP_TEST_WRITE=1` writes the file.

use half::{bf16, f16};
use std::fmt::Write;
use upsweep::operator::builtin::{Product, Sum};
use upsweep::{Element, Operator, Reduce, Scan, Segments};
use upsweep_testing::place::Place;
use upsweep_testing::random::Rng;
use upsweep_testing::sample::Sample;
use upsweep_testing::{on_each_backend, sizes};

on_each_backend!(hashes_of_floats);

const KEPT: &str = include_str!("hashes.txt");

/// FNV-1a of the bits of the results, eight bytes at a time.
fn hash(bits: impl Iterator<Item = u64>) -> u64 {
    bits.fold(0xcbf2_9ce4_8422_2325, |hash, bits| (hash ^ bits).wrapping_mul(0x0100_0000_01b3))
}

struct Jobs<'a> {
    place: &'a Place,
    len: usize,
    lines: String,
}

impl Jobs<'_> {
    /// Adds the hashes of scans and reductions of one type by one operator: `from` makes an element of a number between -1 and 1.
    fn of<T: Sample + Element, Op: Operator<T>>(
        &mut self,
        name: &str,
        operator: Op,
        from: fn(f64) -> T,
        bits: fn(T) -> u64,
    ) {
        let Self { place, len, lines } = self;
        let (device, len) = (&place.device, *len);
        let mut rng = Rng::new(len as u64 + 1);
        let mut number = || from((rng.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0);
        let x: Vec<T> = (0..len).map(|_| number()).collect();
        let init = number();
        let (mut heads, mut at) = (vec![0u64], 0);
        while at < len {
            at += 1 + if rng.below(4) == 0 { rng.below(5000) } else { rng.below(40) };
            heads.push(at.min(len) as u64);
        }
        let mut flags = vec![false; len];
        heads.iter().for_each(|&head| flags.iter_mut().skip(head as usize).take(1).for_each(|flag| *flag = true));
        let keys: Vec<u32> = flags
            .iter()
            .scan(0, |key, &flag| {
                *key += u32::from(flag);
                Some(*key)
            })
            .collect();
        let (host, x, offsets) = (&x, place.upload(&x, len % 3), place.upload(&heads, 0));
        let (flags, keys) = (place.upload(&flags, 0), place.upload(&keys, 0));
        let mut output = place.poisoned::<T>(len, 0);
        let scan = || Scan::new(operator);
        macro_rules! job {
            ($what:literal, $scan:expr) => {{
                $scan.run(device, &x, &mut output).unwrap();
                let hash = hash(output.check_guards().into_iter().map(bits));
                writeln!(lines, "{name} {len} {}: {hash:016x}", $what).unwrap();
            }};
        }
        job!("inclusive", scan());
        job!("exclusive, reverse, from a value", scan().exclusive().reverse().init(init));
        job!("by flags, from a value", scan().segments(Segments::HeadFlags(&flags)).init(init));
        job!("by offsets, exclusive", scan().segments(Segments::Offsets(&offsets)).exclusive());
        job!("by keys, reverse", scan().segments(Segments::Keys(&keys)).reverse());
        let mut output = place.poisoned::<T>(1, 0);
        macro_rules! total {
            ($what:literal, $reduction:expr) => {{
                $reduction.run(device, &x, &mut output).unwrap();
                let hash = hash(output.check_guards().into_iter().map(bits));
                writeln!(lines, "{name} {len} {}: {hash:016x}", $what).unwrap();
            }};
        }
        total!("total", Reduce::new(operator));
        total!("total, from a value", Reduce::new(operator).init(init));
        for width in [1, 3, 30, 100, 1_000, 50_000].into_iter().filter(|&width| width <= len) {
            let rows = len / width;
            let mut output = place.poisoned::<T>(rows, 0);
            let (shape, x) = ([rows, width], place.upload(&host[..rows * width], 1));
            Reduce::new(operator).axis(&shape, 1).init(init).run(device, &x, &mut output).unwrap();
            let hash = self::hash(output.check_guards().into_iter().map(bits));
            writeln!(lines, "{name} {len} totals of rows of {width}: {hash:016x}").unwrap();
            let mut output = place.poisoned::<T>(width, 0);
            Reduce::new(operator).axis(&shape, 0).run(device, &x, &mut output).unwrap();
            let hash = self::hash(output.check_guards().into_iter().map(bits));
            writeln!(lines, "{name} {len} totals of {width} columns: {hash:016x}").unwrap();
        }
        let widths = if len > 2_000_000 { [].as_slice() } else { &[2, 7, 16, 60, 129, 1_000, 3_072, 5_001, 120_000] };
        for width in widths.iter().copied().filter(|&width| width <= len) {
            let rows = len / width;
            let mut output = place.poisoned::<T>(rows * width, 0);
            let (shape, x) = ([rows, width], place.upload(&host[..rows * width], width % 2));
            Scan::new(operator).axis(&shape, 1).portable().run(device, &x, &mut output).unwrap();
            let hash = self::hash(output.check_guards().into_iter().map(bits));
            writeln!(lines, "{name} {len} scan of rows of {width}: {hash:016x}").unwrap();
            let mut output = place.poisoned::<T>(rows * width, 1);
            let scan = Scan::new(operator).axis(&shape, 1).portable();
            scan.exclusive().reverse().init(init).run(device, &x, &mut output).unwrap();
            let hash = self::hash(output.check_guards().into_iter().map(bits));
            writeln!(lines, "{name} {len} scan of rows of {width}, exclusive, reverse, from a value: {hash:016x}")
                .unwrap();
        }
    }
}

fn hashes_of_floats(place: &Place) {
    let mut jobs = Jobs { place, len: 0, lines: String::new() };
    for len in [1, 100, 5_000, 100_003, 1_000_003, 5_000_011] {
        if sizes::reduced() && len > 10_000 {
            continue;
        }
        jobs.len = len;
        jobs.of("f32 sum", Sum, |x| x as f32, |x| x.to_bits().into());
        jobs.of("f64 sum", Sum, |x| x, f64::to_bits);
        jobs.of("f16 sum", Sum, f16::from_f64, |x| x.to_bits().into());
        jobs.of("bf16 sum", Sum, bf16::from_f64, |x| x.to_bits().into());
        jobs.of("f32 product", Product, |x| (1.0 + x / 64.0) as f32, |x| x.to_bits().into());
        jobs.of("f64 product", Product, |x| 1.0 + x / 64.0, f64::to_bits);
    }
    if !sizes::reduced() {
        jobs.len = (1 << 26) + 5;
        jobs.of("f32 sum", Sum, |x| x as f32, |x| x.to_bits().into());
    }
    if std::env::var_os("UPSWEEP_TEST_WRITE").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/hashes.txt");
        return std::fs::write(file, jobs.lines).unwrap();
    }
    let kept: Vec<&str> = KEPT.lines().collect();
    for line in jobs.lines.lines() {
        assert!(kept.contains(&line), "{line}: not in hashes.txt");
    }
    assert!(sizes::reduced() || kept.len() == jobs.lines.lines().count());
}
