//! Top-k and order statistics on the CPU.
//!
//! ```text
//! guess       two keys of a sample between which the wanted key is, most probably: the window
//! collect     the keys in the window, and the number of keys before it; select the wanted key in the window.
//!             If the window has too many keys or misses the wanted rank, or if there are several ranks, a radix
//!             selection follows instead: see order_statistics.rs
//! count       for each part of the input: keys before the wanted key, and keys equal to it
//! store       part by part: the keys before it, and the first of the keys equal to it, up to the wanted number
//! ```
//!
//! Rows and segments are a thread's each, but for those that are longer than a thread's share of all keys.

mod at_ranks;
mod call;
mod keys;

use self::at_ranks::Places;
use self::call::{Call, Outputs};
use upsweep_core::call::bounds::Bounds;
use upsweep_core::call::topk::{AtRanks, Ranking};
use upsweep_core::error::Result;
use upsweep_core::key::{Index, Key, KeyBits};

/// Stores the first keys of each row or segment, their indices, or both.
pub fn run<K: Key, I: Index>(call: &Ranking<'_, K, I>) -> Result<()> {
    let keys = call.keys.on_host("input")?;
    let (values, indices) = (call.values.as_ref(), call.indices.as_ref());
    let values = values.map_or(Ok(std::ptr::null_mut()), |target| Ok(target.on_host("output")?.0))?;
    let places = indices.map_or(Ok(std::ptr::null_mut()), |target| Ok(target.on_host("output of indices")?.0))?;
    let outputs = Outputs { values: values.cast(), places: places.cast(), place_bytes: size_of::<I>() };
    of_keys(
        &Call::<K::Bits>::new::<K>(keys, call.descending, call.instead, outputs),
        &Wanted::First { bounds: call.bounds, rank: call.rank, sorted: call.sorted },
    )
}

/// Stores the keys of the wanted ranks of each line or segment.
pub fn wanted<K: Key>(call: &AtRanks<'_, K>) -> Result<()> {
    let keys = call.keys.on_host("input")?;
    let values = call.output.on_host("output")?.0.cast();
    let outputs = Outputs { values, places: std::ptr::null_mut(), place_bytes: 0 };
    of_keys(
        &Call::<K::Bits>::new::<K>(keys, false, call.instead, outputs),
        &Wanted::Ranks(Places { bounds: call.bounds, ranks: call.ranks, begins: call.begins }),
    )
}

/// Results that a call wants: the first keys of each row or segment, or the keys of some ranks.
enum Wanted<'a> {
    First { bounds: &'a Bounds, rank: usize, sorted: bool },
    Ranks(Places<'a>),
}

/// Dispatches by the size of the keys and not by their type, so that the code is compiled here and not with each
/// caller.
fn of_keys<B: KeyBits>(call: &Call<B>, wanted: &Wanted<'_>) -> Result<()> {
    match size_of::<B>() {
        1 => of_keys::of_1_byte(&call.of_bits(), wanted),
        2 => of_keys::of_2_bytes(&call.of_bits(), wanted),
        4 => of_keys::of_4_bytes(&call.of_bits(), wanted),
        8 => of_keys::of_8_bytes(&call.of_bits(), wanted),
        _ => of_keys::of_16_bytes(&call.of_bits(), wanted),
    }
}

/// Functions of `of_keys` for each size of keys, none of them generic.
mod of_keys {
    use super::{Call, Result, Wanted};

    macro_rules! of_keys {
        ($($name:ident: $bits:ty;)*) => { $(
            pub(super) fn $name(call: &Call<$bits>, wanted: &Wanted<'_>) -> Result<()> {
                call.run(wanted)
            }
        )* };
    }
    of_keys! { of_1_byte: u8; of_2_bytes: u16; of_4_bytes: u32; of_8_bytes: u64; of_16_bytes: u128; }
}

impl<B: KeyBits> Call<B> {
    fn run(&self, wanted: &Wanted<'_>) -> Result<()> {
        match wanted {
            Wanted::First { bounds, rank, sorted } => self.first(bounds, *rank, *sorted),
            Wanted::Ranks(places) => self.at_ranks(places),
        }
    }

    fn first(&self, bounds: &Bounds, rank: usize, sorted: bool) -> Result<()> {
        if rank == 0 {
            return Ok(());
        }
        let row = |row: usize, alone: bool| {
            let range = bounds.range(row);
            let keys = self.keys(range.start, range.len(), alone);
            let mut results = if keys.bits.is_empty() { Vec::new() } else { keys.first(rank.min(keys.bits.len()))? };
            if sorted {
                results.sort_unstable();
            }
            // The compared numbers do not have a zero's sign.
            results.iter_mut().for_each(|(key, at)| *key = keys.bits.get(*at).copied().unwrap_or_default());
            // SAFETY: the outputs have `rank` elements for each row, and a row is one thread's.
            unsafe {
                self.store(row * rank, &results);
                (results.len()..rank).for_each(|i| self.store(row * rank + i, &[(self.instead, usize::MAX)]));
            }
            Ok(())
        };
        self.each(bounds.count(), |row| bounds.range(row).len(), row)
    }
}
