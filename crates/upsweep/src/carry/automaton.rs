//! Automata on a text in parts.

use super::kept::Kept;
use super::results::Results;
use super::{Call, Carry};
use crate::automaton::Automaton;
use crate::count::Count;
use crate::device::Device;
use upsweep_core::buffer::{Input, Output};
use upsweep_core::call::automaton::{STATE_AT, STATE_WORDS, Walking};
use upsweep_core::call::carry::Carried;
use upsweep_core::call::select::{Indices, Yields};
use upsweep_core::error::Result;

impl Automaton {
    /// Runs like [`run`](Self::run) on a part of a text, after the parts before it: see [`carry`](crate::carry). Places are
    /// indices in the whole text, and an event may lie in a part before. The last events are those that the end of the text
    /// emits, as if it was there. If another part follows, its first events take their place: [`Results`] says so.
    ///
    /// ```
    /// use upsweep::automaton::{Automaton, Event, Step};
    /// use upsweep::prelude::*;
    ///
    /// // Where words end.
    /// let lists: [&[Event]; 2] = [&[], &[Event { kind: b'w', back: 0 }]];
    /// let words = Automaton::new(2, &lists, |state, byte| {
    ///     let next = usize::from(byte.is_some_and(|byte| byte != b' '));
    ///     Step { next, tells: usize::from(state == 1 && next == 0) }
    /// })?;
    ///
    /// let device = Device::cpu();
    /// let (mut ends, mut carry) = (Vec::new(), Carry::new());
    /// for part in [b"to be", b"low  ", b"deck "] {
    ///     let (mut kinds, mut places) = ([0; 6], [0u64; 6]);
    ///     let results = words.run_with_carry(&device, part, &mut kinds, &mut places, &mut carry)?;
    ///     results.append(&places, &mut ends)?;
    /// }
    /// assert_eq!(ends, [2, 8, 14]); // "to", "below", "deck"
    /// # Ok::<(), upsweep::Error>(())
    /// ```
    ///
    /// **Cost.** As without a carry.
    ///
    /// # Errors
    /// As [`run`](Self::run); [`Error::Options`](crate::Error::Options) when the type of `places` cannot hold the places of
    /// all parts. [`Error::Carry`](crate::Error::Carry) when the carry is of another call. The carry is then as before,
    /// unless the device tells an error later.
    pub fn run_with_carry<B, K, P>(
        &self,
        device: &Device,
        text: &B,
        kinds: &mut K,
        places: &mut P,
        carry: &mut Carry,
    ) -> Result<Results>
    where
        B: Input<Item = u8> + ?Sized,
        K: Output<Item = u8> + ?Sized,
        P: Output + ?Sized,
        Indices: Yields<u8, P::Item>,
    {
        let (text, events) = (text.view(), Some((kinds.view_mut(), places.view_mut())));
        let len = text.len();
        let carried = carry.open(device, (None, &|| self.call()), STATE_WORDS, true)?;
        let Carried { position, before, mut after } = carried;
        let mut count = Count::new(device)?;
        let lent = Carried { position, before: before.clone(), after: after.view_mut() };
        let call = Walking { table: &self.0, text, events, only: None, carried: Some(lent) };
        self.dispatch(device, call, &mut count)?;
        let kept = Kept { device, carried: Carried { position, before, after } };
        let results = kept.count_but_ends(count, STATE_AT + 1)?;
        carry.advance(len);
        Ok(results)
    }

    /// Returns what calls that share a carry with this one have in common.
    fn call(&self) -> Call {
        let table = &self.0;
        let name = format!("an automaton of {} states and {} lists of events", table.states, table.events.len());
        let steps = table.steps.iter().take(table.states << 8).flat_map(|step| step.to_le_bytes());
        let events = table.events.iter().flat_map(|list| list.iter().flat_map(|event| [event.kind, event.back]));
        let lengths = table.events.iter().map(|list| list.len() as u8);
        Call::of_bytes(name, steps.chain(table.at_end.iter().copied()).chain(lengths).chain(events))
    }
}
