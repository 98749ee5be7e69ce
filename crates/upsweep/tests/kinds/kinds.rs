//! Kinds of inputs whose values are `u32`, and their values on the host.

use upsweep::prelude::*;
use upsweep_testing::place::{Buffer, Place};
use upsweep_testing::random::Rng;
use upsweep_testing::sample::random_values;
use upsweep_testing::sizes;

#[function]
pub(crate) fn mixed(#[param] by: u32, a: u32, b: u16) -> u32 {
    a / by + u32::from(b)
}
#[function]
pub(crate) fn of_near(x: [u32; 3]) -> u32 {
    x[0] / 3 + (x[1] >> 2) + x[2] / 5
}
#[function]
pub(crate) fn of_four(set: bool, i: u32, near: [u32; 3], x: u16) -> u32 {
    if set { near[2] } else { i + u32::from(x) }
}
/// Buffers from which the kinds of inputs are made.
pub(crate) struct Parts {
    pub(crate) len: usize,
    pub(crate) x: Vec<u32>,
    pub(crate) small: Vec<u16>,
    pub(crate) words: Vec<u8>,
    pub(crate) table: Vec<u32>,
    pub(crate) index: Vec<u64>,
    pub(crate) on: OnDevice,
}

/// The same in the memory of the device that computes, at odd addresses.
pub(crate) struct OnDevice {
    pub(crate) x: Buffer<u32>,
    pub(crate) small: Buffer<u16>,
    pub(crate) words: Buffer<u8>,
    pub(crate) table: Buffer<u32>,
    pub(crate) index: Buffer<u64>,
}

impl Parts {
    pub(crate) fn new(place: &Place, len: usize) -> Self {
        let mut rng = Rng::new(len as u64 ^ 5);
        let (x, small) = (random_values::<u32>(len), random_values::<u16>(len));
        let (words, table) = (random_values::<u8>(len.div_ceil(8)), random_values::<u32>(len / 3 + 7));
        let index: Vec<u64> = (0..len).map(|_| rng.below(table.len()) as u64).collect();
        Self::of(place, x, small, words, table, index)
    }

    /// Parts of which the values of every kind ascend.
    pub(crate) fn sorted(place: &Place, len: usize) -> Self {
        let Self { mut x, mut small, words, mut table, mut index, .. } = Self::new(place, len);
        x.sort_unstable();
        small.sort_unstable();
        table.sort_unstable();
        index.sort_unstable();
        Self::of(place, x, small, vec![0; words.len()], table, index)
    }

    fn of(place: &Place, x: Vec<u32>, small: Vec<u16>, words: Vec<u8>, table: Vec<u32>, index: Vec<u64>) -> Self {
        let len = x.len();
        let on = OnDevice {
            x: place.upload(&x, len % 3),
            small: place.upload(&small, 1),
            words: place.upload(&words, 3),
            table: place.upload(&table, 1),
            index: place.upload(&index, len % 2),
        };
        Self { len, x, small, words, table, index, on }
    }

    pub(crate) fn near(&self, i: usize) -> [u32; 3] {
        let last = self.len - 1;
        [self.x[i.saturating_sub(1)], self.x[i], self.x[(i + 1).min(last)]]
    }

    pub(crate) fn bit(&self, i: usize) -> bool {
        self.words[i / 8] >> (i % 8) & 1 == 1
    }

    pub(crate) fn values(&self, of: impl Fn(usize) -> u32) -> Vec<u32> {
        (0..self.len).map(of).collect()
    }
}

/// Expands to a block for each kind of input of `u32` whose length the host knows: `name` is the kind's name, `values`
/// are its values on the host, and `input()` is the input. The block is a case of `builders`, files of `src`:
/// `complete.rs` asks for each.
macro_rules! each_kind {
    ($builders:literal, $parts:expr, |$name:ident, $values:ident, $input:ident| $body:block) => {{
        use crate::kinds::{Mixed, OfFour, OfNear};
        let (parts, on, len) = ($parts, &$parts.on, $parts.len);
        macro_rules! kind {
            ($kind:literal, $of:expr, $make:expr) => {{
                let ($name, $values, $input) = ($kind, parts.values($of), || $make);
                $body
            }};
        }
        kind!("a buffer", |i| parts.x[i], &on.x);
        kind!("a range", |i| 5 + i as u32, 5..5 + len as u32);
        kind!("a gather", |i| parts.table[parts.index[i] as usize], Gather::of(&on.table).at(&on.index));
        kind!("a function of two inputs", |i| (parts.x[i] / 3).wrapping_add(parts.small[i].into()), {
            Apply(Mixed { by: 3 }, (&on.x, &on.small))
        });
        kind!(
            "a function of neighbours",
            |i| {
                let [a, b, c] = parts.near(i);
                (a / 3).wrapping_add(b >> 2).wrapping_add(c / 5)
            },
            Apply(OfNear, Neighbours::of(&on.x))
        );
        kind!(
            "a function of four inputs",
            |i| if parts.bit(i) { parts.near(i)[2] } else { i as u32 + u32::from(parts.small[i]) },
            Apply(OfFour, (Bits::of(&on.words, len), 0..len as u32, Neighbours::of(&on.x), &on.small))
        );
        kind!("a repeated value beside a buffer", |i| (parts.x[i] / 9).wrapping_add(77), {
            Apply(Mixed { by: 9 }, (&on.x, Repeat(77u16)))
        });
    }};
}
pub(crate) use each_kind;

/// Expands to a block for each kind of input of `u32` whose length is a count of `number` in device memory, as
/// [`each_kind`] does.
macro_rules! each_counted_kind {
    ($builders:literal, $place:expr, $parts:expr, $number:expr, |$name:ident, $values:ident, $input:ident| $body:block) => {{
        use crate::kinds::{Mixed, counted};
        let (parts, on, number) = ($parts, &$parts.on, $number);
        let count = counted($place, parts.len, number);
        macro_rules! kind {
            ($kind:literal, $of:expr, $make:expr) => {{
                let mut values = parts.values($of);
                values.truncate(number);
                let ($name, $values, $input) = ($kind, values, || $make);
                $body
            }};
        }
        kind!("a counted buffer", |i| parts.x[i], count.of(&on.x));
        let by_reference = count.of(&on.x);
        kind!("a counted buffer by reference", |i| parts.x[i], &by_reference);
        kind!("a counted gather", |i| parts.table[parts.index[i] as usize], {
            Gather::of(&on.table).at(count.of(&on.index))
        });
        kind!("a function of counted inputs", |i| (parts.x[i] / 3).wrapping_add(parts.small[i].into()), {
            Apply(Mixed { by: 3 }, (count.of(&on.x), &on.small))
        });
    }};
}
pub(crate) use each_counted_kind;

/// Makes a count of `number` on the device, by a selection of the first ones of `len` flags.
pub(crate) fn counted(place: &Place, len: usize, number: usize) -> Count {
    let flags: Vec<bool> = (0..len).map(|i| i < number).collect();
    let (flags, mut places) = (place.upload(&flags, 0), place.poisoned::<u64>(len, 0));
    Select::flags(&flags).indices().run(&place.device, &flags, &mut places).unwrap()
}

/// Lengths around the steps of the CPU's loops and of the tiles on CUDA.
pub(crate) fn lens() -> Vec<usize> {
    [sizes::few(), if sizes::reduced() { vec![] } else { vec![1024, 4096, 20_001, 100_003] }].concat()
}
