//! Carry: what a call on a part of an array hands on to the call on the part that follows.
//!
//! ```
//! use upsweep::prelude::*;
//!
//! let device = Device::cpu();
//! let x: Vec<f32> = (0..100_000).map(|i| (i % 10) as f32 * 0.1).collect();
//! let mut whole = vec![0.0; x.len()];
//! Scan::new(Sum).run(&device, &x, &mut whole)?;
//!
//! let (mut parts, mut carry) = (vec![0.0; x.len()], Carry::new());
//! for (x, out) in x.chunks(12_345).zip(parts.chunks_mut(12_345)) {
//!     Scan::new(Sum).run_with_carry(&device, x, out, &mut carry)?;
//! }
//! assert!(parts == whole); // the same bits
//! assert_eq!(carry.position(), 100_000);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Reductions.** [`Reduce::run_with_carry`](crate::Reduce::run_with_carry) stores the total of all parts so far,
//! and [`Histogram::run_with_carry`](crate::Histogram::run_with_carry) the bins of all parts so far.
//!
//! [`Recurrence::run_with_carry`](crate::Recurrence::run_with_carry) hands on the states of each line.
//!
//! **Groups and selections.** Where the data say how many results there are, a part has its own at the beginning of its
//! output, and [`Results`] says where they stand among those of the whole array. A group that is open where a part ends has
//! its result so far there, and what lies at the end of a text or an image is told as if it ended there, so that no call has
//! to be the last one:
//!
//! | call | what goes on |
//! |---|---|
//! | [`Reduce::run_with_carry`](crate::Reduce::run_with_carry) by keys | the open group: its total, its first and its last key |
//! | [`Select::run_with_carry`](crate::Select::run_with_carry), [`Partition::run_with_carry`](crate::Partition::run_with_carry) | indices, and the number of results |
//! | [`Dedup::run_with_carry`](crate::Dedup::run_with_carry) | the open run: its result, and the last element; indices |
//! | [`Runs::run_with_carry`](crate::Runs::run_with_carry) | the open run: its first and its last element, and its length |
//! | [`MovingSum::run_with_carry`](crate::MovingSum::run_with_carry) | the rows of a window |
//! | [`Automaton::run_with_carry`](crate::automaton::Automaton::run_with_carry) | the state; places |
//!
//! Parts of a sorted array have its distinct values by `Dedup`, and their numbers by `Runs`.
//!
//! **The same bits.** The results of the parts are those of one call on the whole array, wherever it is cut, for every
//! operator on integers, for extremes, and for sums and products of floats. For another operator whose grouping shows in
//! the last bits, each part is grouped anew, and so are recurrences of floats, float sums by keys, and
//! those of windows of several rows.
//!
//! **Where it is.** The state lies where the device computes, and no call waits for it. A carry that is used on another
//! device goes there first, for which the call waits. [`to_bytes`](Carry::to_bytes) brings it to the host, to be stored
//! or sent; [`from_bytes`](Carry::from_bytes) is the way back.
//!
//! **What must be the same.** All calls that share a carry have the same operator, functions and types. Values that
//! functions hold, such as a threshold, may differ.

mod automaton;
mod dedup;
mod histogram;
mod kept;
mod keys;
mod moving_sum;
mod recurrence;
mod reduce;
mod results;
mod scan;
mod selection;

pub use self::results::Results;

use crate::array::Array;
use crate::device::Device;
use std::any::TypeId;
use upsweep_core::buffer::{Input, Output};
use upsweep_core::call::carry::Carried;
use upsweep_core::error::{Error, Result, without_paths};
use upsweep_core::operator::{Element, Source};
use upsweep_core::segments::Kind;

/// First bytes of every carry.
const MAGIC: [u8; 8] = *b"upsweep\0";
/// Version of the bytes and of the tree of float sums ([`upsweep_core::tree`]): a carry of another version is refused.
const VERSION: u32 = 1;
/// Number of bytes before the name of the call: magic, version, length of the name, number of words, hash of the
/// functions' text, position.
const HEADER: usize = 8 + 4 + 4 + 8 + 8 + 8;
/// Number of bytes of the checksum, which come last.
const CHECKSUM: usize = 8;
/// Largest position that is read from bytes: far from where positions would overflow.
const MOST_ELEMENTS: u64 = 1 << 60;

/// State between the calls on the parts of an array: see the [module](self).
#[derive(Debug, Default)]
#[must_use = "a carry does nothing until a call takes it"]
pub struct Carry {
    state: Option<State>,
}

#[derive(Debug)]
struct State {
    call: Call,
    /// Types of the call and its segments; `None` if they do not tell one call from another, or if the state came from
    /// bytes and no call has taken it.
    types: Option<(TypeId, Kind)>,
    /// Whether any bits are values of the state's types. Other states may have padding, and stay where they are.
    any_bits: bool,
    /// Number of elements before.
    position: u64,
    /// State before the next call, and room for the state after it. Each has as much room again after it, for states
    /// between the launches of a call.
    words: [Array<u64>; 2],
}

/// What must be the same in all calls that share a carry, and in programs that do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// Operation, operator and types.
    name: String,
    /// Hash of the text of the functions.
    text: u64,
}

impl Call {
    /// Returns the call with this name, whose functions and types are those in `source`.
    pub(crate) fn new(name: &str, source: &Source) -> Self {
        Self { name: without_paths(name), text: hash(source.text().bytes()) }
    }

    /// Returns the call with this name that is described by `bytes`.
    fn of_bytes(name: String, bytes: impl IntoIterator<Item = u8>) -> Self {
        Self { name, text: hash(bytes) }
    }
}

impl State {
    /// Returns why this state is not one of `call`, if it is not.
    fn reject(&self, call: &Call, words: usize) -> Option<String> {
        if self.call.name != call.name {
            return Some(format!("is of another call: {}, and this one is {}", self.call.name, call.name));
        }
        let other = self.call.text != call.text || self.words[0].len() != 2 * words;
        other.then(|| format!("is of {}, whose functions were others", self.call.name))
    }

    /// Checks that the state may be read as bytes.
    fn expect_any_bits(&self) -> Result<()> {
        if self.any_bits { Ok(()) } else { Err(no_numbers()) }
    }
}

impl Carry {
    /// Makes the carry of the first part of an array.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of elements of all calls so far.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.state.as_ref().map_or(0, |state| state.position)
    }

    /// Returns the carry as bytes: a header with the call's functions and types and the position, the state, and a
    /// checksum. On CUDA this waits for it.
    ///
    /// ```
    /// use upsweep::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (mut out, mut carry) = ([0; 3], Carry::new());
    /// Scan::new(Sum).run_with_carry(&device, &[1, 2, 3], &mut out, &mut carry)?;
    /// let bytes = carry.to_bytes()?; // to a file, and on another day
    ///
    /// let mut carry = Carry::from_bytes(&bytes)?;
    /// Scan::new(Sum).run_with_carry(&device, &[4, 5, 6], &mut out, &mut carry)?;
    /// assert_eq!(out, [10, 15, 21]);
    ///
    /// let other = Scan::new(Max).run_with_carry(&device, &[7], &mut [0], &mut carry);
    /// assert!(other.unwrap_err().to_string().contains("Sum of i32"));
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Carry`] for operands or keys that are neither numbers nor structs of numbers of one size;
    /// [`Error::Driver`] with the fault of the device.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let (name, text, position, words) = match &self.state {
            None => ("", 0, 0, Vec::new()),
            Some(state) => {
                state.expect_any_bits()?;
                let mut words = state.words[0].to_vec()?;
                words.truncate(words.len() / 2);
                (state.call.name.as_str(), state.call.text, state.position, words)
            }
        };
        let mut bytes = Vec::with_capacity(HEADER + name.len() + 8 * words.len() + CHECKSUM);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((name.len() as u32).to_le_bytes());
        bytes.extend((words.len() as u64).to_le_bytes());
        bytes.extend(text.to_le_bytes());
        bytes.extend(position.to_le_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(hash(bytes.iter().copied()).to_le_bytes());
        Ok(bytes)
    }

    /// Makes a carry of the bytes that [`to_bytes`](Self::to_bytes) returned. They are not trusted: what is cut off,
    /// damaged or of another version is an error here, and what is of another call is one where it is used.
    ///
    /// # Errors
    /// [`Error::Carry`] when the bytes are not those of a carry.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let wrong = |reason: String| Err(Error::Carry { reason });
        let mut rest = bytes;
        let Some(header) = take(&mut rest, HEADER).filter(|header| header.starts_with(&MAGIC)) else {
            return wrong(format!("of {} bytes does not begin as one: it is another file, or cut off", bytes.len()));
        };
        let number = |at: usize, len: usize| {
            let digits = header.get(at..at + len).unwrap_or_default().iter().rev();
            digits.fold(0u64, |number, &byte| number << 8 | u64::from(byte))
        };
        let (version, name, words) = (number(8, 4), number(12, 4), number(16, 8));
        if version != u64::from(VERSION) {
            return wrong(format!("has version {version}, and this program reads version {VERSION}"));
        }
        let position = number(32, 8);
        if position > MOST_ELEMENTS {
            return wrong(format!("stands after {position} elements: no array has as many"));
        }
        let expected = u128::from(name) + 8 * u128::from(words) + (HEADER + CHECKSUM) as u128;
        if bytes.len() as u128 != expected {
            return wrong(format!(
                "has {} bytes, and its header says {expected}: it is cut off or damaged",
                bytes.len()
            ));
        }
        let (whole, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
        if hash(whole.iter().copied()).to_le_bytes() != *checksum {
            return wrong("is damaged: its checksum is not that of its bytes".to_owned());
        }
        let name = take(&mut rest, name as usize).unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        let words: Vec<u64> =
            (0..words).filter_map(|_| take(&mut rest, 8)?.try_into().ok()).map(u64::from_le_bytes).collect();
        if words.is_empty() {
            return Ok(Self::new());
        }
        let (before, after) = ([&words[..], &vec![0; words.len()]].concat(), vec![0; 2 * words.len()]);
        let call = Call { name, text: number(24, 8) };
        let words = [before.into(), after.into()];
        let state = State { call, types: None, any_bits: true, position, words };
        Ok(Self { state: Some(state) })
    }

    /// Prepares the carry for a call with these `types`, whose state has `words` words. `call` describes it, which takes
    /// longer than `types`, and is asked where these differ or say too little. `any_bits`: any bits are values of the
    /// state's types.
    ///
    /// # Errors
    /// [`Error::Carry`] when the carry is of another call; [`Error::Driver`] and [`Error::OutOfMemory`] on CUDA.
    pub(crate) fn open(
        &mut self,
        device: &Device,
        (types, call): (Option<(TypeId, Kind)>, &dyn Fn() -> Call),
        words: usize,
        any_bits: bool,
    ) -> Result<Carried<'_>> {
        let mut state = match self.state.take() {
            None => {
                let words = [device.filled(2 * words, 0)?, device.filled(2 * words, 0)?];
                State { call: call(), types, any_bits, position: 0, words }
            }
            Some(state) => state,
        };
        let other = (types.is_none() || state.types != types).then(|| state.reject(&call(), words)).flatten();
        // Bytes that another program wrote may be no values of this call's types.
        let unread = state.types.is_none() && !any_bits;
        if other.is_none() && !unread {
            (state.types, state.any_bits) = (types, any_bits);
        }
        let state = self.state.insert(state);
        if let Some(reason) = other {
            return Err(Error::Carry { reason });
        }
        if unread {
            return Err(no_numbers());
        }
        let elsewhere = state.words[0].as_slice().is_some() != device.is_cpu();
        if elsewhere {
            state.expect_any_bits()?;
            for words in &mut state.words {
                *words = device.upload(&words.to_vec()?)?;
            }
        }
        let [before, after] = &mut state.words;
        Ok(Carried { position: state.position, before: before.view(), after: after.view_mut() })
    }

    /// Notes that a call on `len` elements has written the state after them, if there are any.
    pub(crate) fn advance(&mut self, len: usize) {
        if let Some(state) = self.state.as_mut().filter(|_| len > 0) {
            state.words.swap(0, 1);
            state.position = state.position.saturating_add(len as u64);
        }
    }
}

/// Whether any bits of the size of a `T` are a value of it, as of numbers and structs of equal numbers.
const fn numbers<T: Element>() -> bool {
    T::NUMBERS > 0 || T::HALVES.is_some()
}

/// Returns the error of a state that may have padding, or of bits that may be no value.
fn no_numbers() -> Error {
    let reason = "is no numbers, nor structs of numbers of one size: it stays on its device, and becomes no bytes";
    Error::Carry { reason: reason.to_owned() }
}

/// Removes the first `len` of the remaining bytes and returns them, if there are as many.
fn take<'a>(rest: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (first, others) = rest.split_at_checked(len)?;
    *rest = others;
    Some(first)
}

/// Hash of bytes: FNV-1a (Fowler, Noll and Vo), which finds accidents and no malice.
fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
