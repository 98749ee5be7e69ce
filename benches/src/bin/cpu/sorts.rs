//! Sorts of keys, of pairs and of sorted keys, beside those of std and rayon, and with the feature `peers` beside two
//! radix sorts.

use crate::timing::{copy_on_every_core, sample};
use std::hint::black_box;
use upsweep::prelude::*;
use upsweep_bench::{Options, Outcome, Record, Row, Value, hash, median};

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSliceMut;
#[cfg(feature = "peers")]
use rdst::{RadixKey, RadixSort};
#[cfg(feature = "peers")]
use voracious_radix_sort::{RadixSort as Voracious, Radixable};

/// Key and value as one element, as the other libraries sort them.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Pair(u32, u32);

#[cfg(feature = "peers")]
impl RadixKey for Pair {
    const LEVELS: usize = 4;
    fn get_level(&self, level: usize) -> u8 {
        (self.0 >> (8 * level)) as u8
    }
}
#[cfg(feature = "peers")]
impl Radixable<u32> for Pair {
    type Key = u32;
    fn key(&self) -> u32 {
        self.0
    }
}

/// Contestant: the name of a library, and its sort, which gets a copy of the input.
type Contestant<'a, T> = (&'a str, &'a dyn Fn(&mut [T]));

pub(crate) fn sorts(options: &Options, record: &mut Record) -> Outcome {
    for log2n in options.sizes(&[10, 16, 20, 24, 27], &[10, 16, 20]) {
        macro_rules! keys {
            ($t:ty, $make:expr, $unstable:expr) => {{
                let input: Vec<$t> = (0..1 << log2n).map($make).collect();
                let rivals: &[Contestant<'_, $t>] = &[
                    ("upsweep", &|x| drop(Sort::new().run(&Device::cpu(), &input, x))),
                    ("upsweep-in-place", &|x| drop(Sort::new().run_in_place(&Device::cpu(), x))),
                    ("std", &|x| x.sort_unstable_by($unstable)),
                    ("rayon", &|x| x.par_sort_unstable_by($unstable)),
                    #[cfg(feature = "peers")]
                    ("rdst", &|x| x.radix_sort_unstable()),
                    #[cfg(feature = "peers")]
                    ("voracious", &|x| x.voracious_mt_sort(rayon::current_num_threads())),
                ];
                contest("sort_keys", <$t>::NAME, (&input, &|x| x.is_sorted()), rivals, options, record)?;
            }};
        }
        keys!(u32, u32::random, |a, b| a.cmp(b));
        keys!(u64, u64::random, |a, b| a.cmp(b));
        keys!(f32, |i| hash(i) as i32 as f32 / 65_536.0, |a, b| a.total_cmp(b));
        pairs(log2n, options, record)?;
        rows_and_tops(log2n, options, record)?;
        // These distributions make some sorts slow, or could make them faster.
        let n = 1u32 << log2n;
        let distributions: [(&str, &dyn Fn(u32) -> u32); 7] = [
            ("sort_sorted_keys", &|i| i),
            ("sort_reversed_keys", &|i| n - i),
            ("sort_equal_keys", &|_| 7),
            ("sort_two_values", &|i| if hash(i as usize).is_multiple_of(2) { 3 } else { 1 << 31 }),
            ("sort_organ_pipe", &|i| i.min(n - i)),
            ("sort_zipf_keys", &|i| (f64::from(u32::MAX) / (f64::from(u32::random(i as usize)) + 1.0)) as u32),
            ("sort_one_digit_constant", &|i| u32::random(i as usize) & 0xff00_ffff),
        ];
        for (algo, key) in distributions {
            let input: Vec<u32> = (0..n).map(key).collect();
            let rivals: [Contestant<'_, u32>; 3] = [
                ("upsweep", &|x| drop(Sort::new().run_in_place(&Device::cpu(), x))),
                ("std", &|x| x.sort_unstable()),
                ("rayon", &|x| x.par_sort_unstable()),
            ];
            contest(algo, u32::NAME, (&input, &|x| x.is_sorted()), &rivals, options, record)?;
        }
    }
    Ok(())
}

/// Measures sorts of rows, and top-k. `peers/python.py` measures the same by NumPy.
fn rows_and_tops(log2n: u32, options: &Options, record: &mut Record) -> Outcome {
    let n = 1usize << log2n;
    let keys: Vec<u32> = (0..n).map(u32::random).collect();
    for len in [64, 4096].into_iter().filter(|&len| len <= n) {
        let shape = [n / len, len];
        let sort = Sort::new().axis(&shape, 1);
        let rivals: [Contestant<'_, u32>; 3] = [
            ("upsweep", &|x| drop(sort.run(&Device::cpu(), &keys, x))),
            ("std", &|x| x.chunks_mut(len).for_each(<[u32]>::sort_unstable)),
            ("rayon", &|x| x.par_chunks_mut(len).for_each(<[u32]>::sort_unstable)),
        ];
        let in_order = |x: &[u32]| x.chunks(len).all(<[u32]>::is_sorted);
        contest(&format!("sort_rows_{len}"), u32::NAME, (&keys, &in_order), &rivals, options, record)?;
    }
    let numbers: Vec<f32> = (0..n).map(|i| hash(i) as i32 as f32 / 65_536.0).collect();
    let mut descending = numbers.clone();
    descending.sort_unstable_by(|a, b| b.total_cmp(a));
    for k in [16, 65_536].into_iter().filter(|&k| k <= n) {
        let rivals: [Contestant<'_, f32>; 2] = [
            ("upsweep", &|x| drop(TopK::largest(k).run(&Device::cpu(), &numbers, &mut x[..k]))),
            ("std", &|x| _ = x.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a))),
        ];
        let are_largest = |x: &[f32]| x[..k].iter().all(|&x| x >= descending[k - 1]);
        contest(&format!("top_{k}"), f32::NAME, (&numbers, &are_largest), &rivals, options, record)?;
    }
    Ok(())
}

/// Measures sorts of pairs: upsweep sorts two arrays, the other libraries one array of pairs.
fn pairs(log2n: u32, options: &Options, record: &mut Record) -> Outcome {
    let input: Vec<Pair> = (0..1 << log2n).map(|i| Pair(u32::random(i), i as u32)).collect();
    let (keys, values): (Vec<u32>, Vec<u32>) = input.iter().map(|pair| (pair.0, pair.1)).unzip();
    let apart = |x: &mut [Pair]| drop(Sort::pairs().run(&Device::cpu(), (&keys, &values), columns(x)));
    let in_place = |x: &mut [Pair]| drop(Sort::pairs().run_in_place(&Device::cpu(), columns(x)));
    let rivals: &[Contestant<'_, Pair>] = &[
        ("upsweep", &apart),
        ("std", &|x| x.sort_by_key(|pair| pair.0)),
        ("rayon", &|x| x.par_sort_by_key(|pair| pair.0)),
        #[cfg(feature = "peers")]
        ("rdst", &|x| x.radix_sort_unstable()),
        #[cfg(feature = "peers")]
        ("voracious", &|x| x.voracious_mt_sort(rayon::current_num_threads())),
    ];
    // upsweep stores the sorted keys in the first half of the memory, and the values in the second half.
    let are_sorted = |x: &[Pair]| x.iter().take(x.len() / 2).flat_map(|pair| [pair.0, pair.1]).is_sorted();
    let in_order = |x: &[Pair]| are_sorted(x) || x.is_sorted_by_key(|pair| pair.0);
    contest("sort_pairs", "u32+u32", (&input, &in_order), rivals, options, record)?;
    let mut two_arrays = input.clone();
    columns(&mut two_arrays).0.copy_from_slice(&keys);
    columns(&mut two_arrays).1.copy_from_slice(&values);
    contest("sort_pairs", "u32+u32", (&two_arrays, &are_sorted), &[("upsweep-in-place", &in_place)], options, record)
}

/// Returns the memory of an array of pairs as an array of keys and an array of values.
fn columns(x: &mut [Pair]) -> (&mut [u32], &mut [u32]) {
    let len = x.len();
    // SAFETY: a pair is two numbers side by side, without padding, so `len` pairs are `2 * len` numbers.
    unsafe { std::slice::from_raw_parts_mut(x.as_mut_ptr().cast::<u32>(), 2 * len) }.split_at_mut(len)
}

/// Times each contestant on copies of the input, in turns; the time of the copy is not included.
fn contest<T: Copy + Send + Sync>(
    algo: &str,
    ty: &str,
    (input, in_order): (&[T], &dyn Fn(&[T]) -> bool),
    contestants: &[Contestant<'_, T>],
    options: &Options,
    record: &mut Record,
) -> Outcome {
    if !options.wants(algo, ty) {
        return Ok(());
    }
    let rounds = if options.smoke { 1 } else { 5 };
    let mut data = input.to_vec();
    let mut times = vec![Vec::new(); contestants.len()];
    let mut copies = Vec::new();
    for _ in 0..rounds {
        copies.push(sample(1, || copy_on_every_core(black_box(input), &mut data)));
        for ((lib, sort), times) in contestants.iter().zip(&mut times) {
            data.copy_from_slice(input);
            times.push(sample(1, || sort(black_box(&mut data))));
            if !in_order(&data) {
                return Err(format!("{algo} of {} {ty} by {lib} is wrong", input.len()).into());
            }
        }
    }
    let (bytes, log2n) = (2.0 * size_of_val(input) as f64, input.len().ilog2());
    let copy_gbps = bytes / median(copies) / 1e3;
    for ((lib, _), times) in contestants.iter().zip(times) {
        let micros = median(times);
        record.row(&Row { lib, algo, ty, log2n, micros, bytes, copy_gbps, enqueue_micros: None })?;
    }
    Ok(())
}
