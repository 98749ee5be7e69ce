//! Deterministic finite automata (DFA) on texts: the events that an automaton emits, and their places (indices in the
//! text).
//!
//! ```text
//! s[0] = 0, s[i + 1] = next(s[i], text[i])          the states; `step` says what comes next, and what is told
//! events of byte i:   tells(s[i], text[i])          a list of events, mostly empty
//! events of the end:  tells(s[n], None)
//! kinds, places:      all of them in order; an event of byte i that lies b bytes back has place i - b
//! ```
//!
//! Words and spaces: an event where the next one begins, and at the end of the text for the last one:
//!
//! ```
//! use upsweep::automaton::{Automaton, Event, Step};
//! use upsweep::prelude::*;
//!
//! const SPACE: u8 = 0;
//! const WORD: u8 = 1;
//! let lists: [&[Event]; 3] = [&[], &[Event { kind: SPACE, back: 0 }], &[Event { kind: WORD, back: 0 }]];
//! // State 0 has read nothing, 1 a space, 2 a letter of a word.
//! let words = Automaton::new(3, &lists, |state, byte| {
//!     let next = match byte {
//!         None => 0,
//!         Some(b' ') => 1,
//!         Some(_) => 2,
//!     };
//!     Step { next, tells: if next == state { 0 } else { state } }
//! })?;
//!
//! let device = Device::cpu();
//! let (mut kinds, mut ends) = ([0u8; 10], [0u32; 10]);
//! let found = words.run(&device, b"to be  or", &mut kinds, &mut ends)?;
//! assert_eq!(found.get()?, 5);
//! assert_eq!(kinds[..5], [WORD, SPACE, WORD, SPACE, WORD]);
//! assert_eq!(ends[..5], [2, 3, 5, 7, 9]);
//! assert_eq!(words.count_of(&device, b"to be  or", WORD)?.get()?, 3);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! An automaton has at most 64 states, where states with the same future count as one. It has at most 14,336 steps:
//! states times classes of bytes (two bytes are in one class if every state treats them alike). An event lies at most
//! [`MOST_BACK`] bytes back from the byte that emits it. It must not lie before the text: its place would be less than
//! 0, and is stored modulo 2^64.
//!
//! A text may come in parts: [`carry`](crate::carry).
//!
//! **How.** On CUDA each thread runs the automaton on its bytes from two guessed states, and the guesses are checked;
//! only between tiles, functions of all states are composed. On the CPU each thread runs it on 8 or 64 parts of the
//! text side by side, from guessed states, too. A wrong guess costs time and changes no result: results are those of
//! the sequential loop for every text and every automaton.
//!
//! **Cost.** The text is read once, and a little more at the end of each tile. Each event is stored as 1 byte and a
//! place. An automaton whose state depends on a long history costs more: on CUDA up to a second reading of each tile by
//! one warp, on the CPU a run by one thread.
//!
//! Source: W. D. Hillis and G. L. Steele, "Data parallel algorithms" (1986), for the functions; T. Mytkowicz, M.
//! Musuvathi and W. Schulte, "Data-parallel finite-state machines" (2014), for guesses.

use crate::array::{Array, Storage};
use crate::count::Count;
use crate::device::{Backend, Device};
use upsweep_core::buffer::{Input, Output, ViewMut};
use upsweep_core::call::automaton::{Table, Walking};
use upsweep_core::call::select::{Indices, Yields};
use upsweep_core::error::{Error, Result};
use upsweep_core::operator::Element;

pub use upsweep_core::call::automaton::{Event, Step};

/// Largest number of bytes from an event's place to the byte that emits it.
pub const MOST_BACK: u8 = upsweep_core::call::automaton::MOST_BACK as u8;

/// Deterministic automaton that emits events: see the [module](self). Build it once, run it often.
#[derive(Clone, Debug)]
#[must_use = "nothing is found until it is run"]
pub struct Automaton(pub(crate) Box<Table>);

/// Events of a text, on the device.
#[derive(Debug)]
pub struct Events {
    /// Kind of each event: a number that the automaton's lists of events give.
    pub kinds: Array<u8>,
    /// Place of each event: an index in the text.
    pub places: Array<u64>,
}

impl Automaton {
    /// Makes an automaton with `states` states that begins in state 0. `step` returns the step in a state at a byte, or
    /// at the end of the text (`None`): the next state, and the index of the list in `lists` to emit.
    ///
    /// # Errors
    /// - [`Error::Automaton`]: too many states, steps, lists or events in a list, or an event too far back.
    /// - [`Error::Step`]: a step to a state or a list that does not exist.
    pub fn new(states: usize, lists: &[&[Event]], step: impl Fn(usize, Option<u8>) -> Step) -> Result<Self> {
        Table::new(states, lists, &step).map(|table| Self(Box::new(table)))
    }

    /// Marks the kinds of events that are rare in most texts: the CPU's speculative runs are faster with it. Results
    /// are the same.
    pub fn rare(mut self, is_rare: impl Fn(u8) -> bool) -> Self {
        let has_rare = |told| self.0.events(told).iter().any(|event| is_rare(event.kind));
        self.0.rare = std::array::from_fn(|told| has_rare(told as u8));
        self
    }

    /// Returns the number of states; states with the same future count as one.
    #[must_use]
    pub fn states(&self) -> usize {
        self.0.states
    }

    /// Stores the events of a text, and returns their number: the kind of each event, and its place, an index in the
    /// text (`u32`, `u64`, `usize`, `i32` or `i64`). On CUDA the work is enqueued on the device's stream and the call
    /// returns at once.
    ///
    /// # Errors
    /// - [`Error::Capacity`]: there are more events than one of the outputs has room for; on CUDA the next call that
    ///   waits returns it
    /// - [`Error::Options`]: the type of `places` cannot hold the places of a text of this length
    /// - [`Error::Place`], [`Error::Overlap`]: a buffer is not where the device computes, or overlaps an output
    /// - [`Error::Compile`], [`Error::Driver`], [`Error::OutOfMemory`]: failures of CUDA itself
    pub fn run<B, K, P>(&self, device: &Device, text: &B, kinds: &mut K, places: &mut P) -> Result<Count>
    where
        B: Input<Item = u8> + ?Sized,
        K: Output<Item = u8> + ?Sized,
        P: Output + ?Sized,
        Indices: Yields<u8, P::Item>,
    {
        let mut count = Count::new(device)?;
        self.run_counted(device, text, kinds, places, &mut count)?;
        Ok(count)
    }

    /// Runs like [`run`](Self::run) with a count of the caller's, which can be reused, so that a CUDA graph can capture
    /// the call.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_counted<B, K, P>(
        &self,
        device: &Device,
        text: &B,
        kinds: &mut K,
        places: &mut P,
        count: &mut Count,
    ) -> Result<()>
    where
        B: Input<Item = u8> + ?Sized,
        K: Output<Item = u8> + ?Sized,
        P: Output + ?Sized,
        Indices: Yields<u8, P::Item>,
    {
        let events = (kinds.view_mut(), places.view_mut());
        let call = Walking { table: &self.0, text: text.view(), events: Some(events), only: None, carried: None };
        self.dispatch(device, call, count)
    }

    /// Stores the events of a text in new memory. On CUDA this waits for their number, for which the text is read once
    /// more.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_to_events<B: Input<Item = u8> + ?Sized>(&self, device: &Device, text: &B) -> Result<Events> {
        let mut events = Events { kinds: Vec::new().into(), places: Vec::new().into() };
        self.run_again(device, text, &mut events)?;
        Ok(events)
    }

    /// Runs like [`run_to_events`](Self::run_to_events), and replaces the events in `events`. On the CPU it reuses
    /// their memory, so that a program that reads many texts allocates once.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_again<B: Input<Item = u8> + ?Sized>(
        &self,
        device: &Device,
        text: &B,
        events: &mut Events,
    ) -> Result<()> {
        match &device.0 {
            Backend::Cpu => {
                let (kinds, places) = (host(&mut events.kinds)?, host(&mut events.places)?);
                upsweep_cpu::automaton::run_again(&self.0, text.view().on_host("text")?, kinds, places)
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => {
                device.refuse_in_capture("events whose number depends on the text")?;
                let mut count = self.count(device, text)?;
                let number = count.get()?;
                let mut kinds = Array(Storage::Cuda(cuda.allocate(number)?));
                let mut places = Array(Storage::Cuda(cuda.allocate(number)?));
                self.run_counted(device, text, &mut kinds, &mut places, &mut count)?;
                *events = Events { kinds, places };
                Ok(())
            }
        }
    }

    /// Counts the events of a text. On CUDA the work is enqueued, and [`Count::get`] waits for it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn count<B: Input<Item = u8> + ?Sized>(&self, device: &Device, text: &B) -> Result<Count> {
        self.count_some(device, text, None)
    }

    /// Counts the events of the kind `kind`, as [`count`](Self::count) does all events.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn count_of<B: Input<Item = u8> + ?Sized>(&self, device: &Device, text: &B, kind: u8) -> Result<Count> {
        self.count_some(device, text, Some(kind))
    }

    fn count_some<B: Input<Item = u8> + ?Sized>(&self, device: &Device, text: &B, only: Option<u8>) -> Result<Count> {
        let mut count = Count::new(device)?;
        let call = Walking::<u64> { table: &self.0, text: text.view(), events: None, only, carried: None };
        self.dispatch(device, call, &mut count)?;
        Ok(count)
    }

    pub(crate) fn dispatch<P: Element>(&self, device: &Device, call: Walking<'_, P>, count: &mut Count) -> Result<()>
    where
        Indices: Yields<u8, P>,
    {
        let before = call.carried.as_ref().map_or(0, |carried| carried.position);
        if before.saturating_add(call.text.len() as u64) > <Indices as Yields<u8, P>>::MOST as u64 {
            let reason = "the output's type cannot hold the places of so long a text: take u64 or usize";
            return Err(Error::Options { options: "places", reason });
        }
        match (&device.0, count.view_mut()) {
            (Backend::Cpu, ViewMut::Host([count, ..])) => {
                *count = upsweep_cpu::automaton::run(call)? as u64;
                Ok(())
            }
            (Backend::Cpu, _) => Err(Error::Place { what: "count", found: "CUDA", expected: "host" }),
            #[cfg(feature = "cuda")]
            (Backend::Cuda(cuda), count) => upsweep_cuda::automaton::run(cuda, call, count),
        }
    }
}

/// Returns the vector of an array in host memory, and [`Error::Place`] for an array on a GPU. An array with locked pages,
/// which has a fixed length, becomes a vector.
fn host<T: Element>(array: &mut Array<T>) -> Result<&mut Vec<T>> {
    #[cfg(feature = "cuda")]
    if let Storage::Locked(_) = &array.0 {
        array.0 = Storage::Host(array.to_vec()?);
    }
    match &mut array.0 {
        Storage::Host(vector) => Ok(vector),
        #[cfg(feature = "cuda")]
        Storage::Locked(_) | Storage::Cuda(_) => Err(Error::Place { what: "events", found: "CUDA", expected: "host" }),
    }
}
