//! Automata (DFA) on the CPU: speculative runs on blocks of a text (`tile/walk.rs`), whose reports become events
//! (`tile/told.rs`).
//!
//! ```text
//! for each group of blocks:  all threads run the automaton    tile/walk.rs: a report of each byte, in the cache
//!                            count the events of each part
//!                            write them at the exclusive prefix of the counts
//! ```
//!
//! Each step of an automaton depends on the load of the step before. So a thread interleaves runs on many parts of a
//! block, from guessed states. Afterwards each guess is compared with the final state of the part before. A guess is
//! the likeliest state after the bytes before the part, by the statistics of this text (`tile/odds.rs`). If the
//! processor has byte shuffles, and the automaton few states and classes, 64 parts have a byte of a register each, and
//! shuffles look up the table of steps (`tile/x86_walk.rs`). Otherwise eight parts load their steps. The reports of all
//! bytes stay in the cache until they are compacted to events.

use super::engine::apart;
use super::tile::told::{Lists, Told};
use super::tile::walk::along;
use upsweep_core::call::automaton::{STATE_AT, Table, Walking};
use upsweep_core::call::carry::Carried;
use upsweep_core::call::select::{Indices, Yields};
use upsweep_core::error::{Error, Result};
use upsweep_core::memory;
use upsweep_core::operator::Element;

/// Writes the events of a text, or only counts them. Returns their number.
///
/// # Errors
/// [`Error::Place`]. [`Error::Capacity`] when there are more events than there is room for.
pub fn run<P: Element>(call: Walking<'_, P>) -> Result<usize>
where
    Indices: Yields<u8, P>,
{
    let Walking { table, text, events, only, carried } = call;
    let text = text.on_host("text")?;
    let Some((kinds, places)) = events else { return count(table, text, only) };
    let (kinds, places) = (kinds.into_host("kinds")?, places.into_host("places")?);
    let capacity = kinds.len().min(places.len());
    let (from, position) = carried.as_ref().map_or(Ok((0, 0)), |carried| begin(table, carried))?;
    let (found, state) = write(table, (from, position), text, &mut Given { kinds, places })?;
    if found > capacity {
        return Err(Error::Capacity { what: "output", needed: found, capacity });
    }
    if let Some(carried) = carried {
        let after = carried.after.into_host("carry")?.iter_mut().skip(STATE_AT);
        let at_end = table.events(table.at_end(state.into())).len();
        after.zip([state.into(), at_end as u64]).for_each(|(word, value)| *word = value);
    }
    Ok(found)
}

/// Returns the state in which a part of a text begins, and the number of bytes before it.
fn begin(table: &Table, carried: &Carried<'_>) -> Result<(u8, usize)> {
    let position = usize::try_from(carried.position).map_err(|_| Error::OutOfMemory { bytes: usize::MAX })?;
    let state = match position {
        0 => 0,
        _ => carried.before.on_host("carry")?.get(STATE_AT).copied().unwrap_or(0),
    };
    // A carry that came from bytes may have any number.
    Ok((state.min(table.states as u64 - 1) as u8, position))
}

/// Replaces the events by those of a text, and reuses their memory.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn run_again<P>(table: &Table, text: &[u8], kinds: &mut Vec<u8>, places: &mut Vec<P>) -> Result<()>
where
    P: Element + Default,
    Indices: Yields<u8, P>,
{
    let (found, _) = write(table, (0, 0), text, &mut Growing { kinds, places })?;
    kinds.truncate(found);
    places.truncate(found);
    Ok(())
}

/// Counts the events that the automaton emits on the text: those of kind `only`, or all if it is `None`.
fn count(table: &Table, text: &[u8], only: Option<u8>) -> Result<usize> {
    let lists = Lists::new(table);
    // Returns the number of events of kind `only` in the list of events with number `told`. Below, `tell` has the
    // lists with such events.
    let of_kind = |told: usize| table.events[told].iter().filter(|event| only == Some(event.kind)).count();
    let tell: Vec<(u8, usize)> =
        (0..table.events.len()).map(|told| (told as u8, of_kind(told))).filter(|tell| tell.1 > 0).collect();
    let of_part = |part: &Told<'_>| match only {
        None => lists.count(part),
        Some(_) => tell.iter().map(|&(told, times)| times * part.count(told)).sum(),
    };
    let mut found = 0;
    along(table, 0, text, |parts| {
        found += match parts {
            [one] => of_part(one),
            all => apart::collect(all.len(), true, &|i| of_part(&all[i])).into_iter().sum::<usize>(),
        };
        Ok(())
    })?;
    Ok(found)
}

/// Output of events, by their kinds and their positions in the text.
trait Room<P> {
    /// Returns the room of events `from .. to`, or `None` if there is none. The text will have about `likely` events.
    fn of(&mut self, from: usize, to: usize, likely: usize) -> Result<Option<(&mut [u8], &mut [P])>>;
}

/// Output of fixed size: the caller's arrays.
struct Given<'a, P> {
    kinds: &'a mut [u8],
    places: &'a mut [P],
}

impl<P> Room<P> for Given<'_, P> {
    fn of(&mut self, from: usize, to: usize, _: usize) -> Result<Option<(&mut [u8], &mut [P])>> {
        Ok(self.kinds.get_mut(from..to).zip(self.places.get_mut(from..to)))
    }
}

/// Output of events that grows as needed: vectors of the caller.
struct Growing<'a, P> {
    kinds: &'a mut Vec<u8>,
    places: &'a mut Vec<P>,
}

impl<P: Element + Default> Room<P> for Growing<'_, P> {
    fn of(&mut self, from: usize, to: usize, likely: usize) -> Result<Option<(&mut [u8], &mut [P])>> {
        grow(self.kinds, to, likely)?;
        grow(self.places, to, likely)?;
        Ok(self.kinds.get_mut(from..to).zip(self.places.get_mut(from..to)))
    }
}

/// Makes an array at least `len` long, with room for `likely` elements if it has too little.
fn grow<T: Element + Default>(array: &mut Vec<T>, len: usize, likely: usize) -> Result<()> {
    if len > array.capacity() {
        memory::reserve(array, len.max(likely) - array.len())?;
    }
    array.resize(len.max(array.len()), T::default());
    Ok(())
}

/// Writes the events as long as there is room, and returns the number of all events, and the state at the end. The text
/// begins in the state `from`, after `position` bytes.
fn write<P: Element>(
    table: &Table,
    (from, position): (u8, usize),
    text: &[u8],
    room: &mut (impl Room<P> + Send),
) -> Result<(usize, u8)>
where
    Indices: Yields<u8, P>,
{
    let (lists, mut found) = (Lists::new(table), 0);
    let state = along(table, from, text, |parts| {
        let counts: Vec<usize> = match parts {
            [one] => vec![lists.count(one)],
            all => apart::collect(all.len(), true, &|i| lists.count(&all[i])),
        };
        let from = found;
        found += counts.iter().sum::<usize>();
        // Extrapolates the number of events to the rest of the text.
        let done = parts.last().map_or(1, |part| part.first + part.bytes.len());
        let likely = (found as f64 * text.len() as f64 / done as f64 * 1.02) as usize;
        let Some((mut kinds, mut places)) = room.of(from, found, likely)? else { return Ok(()) };
        let mut shares = Vec::with_capacity(parts.len());
        for (part, count) in parts.iter().zip(counts) {
            let ((of_kinds, kinds_left), (of_places, places_left)) =
                (kinds.split_at_mut(count), places.split_at_mut(count));
            shares.push((part.moved(position), of_kinds, of_places));
            (kinds, places) = (kinds_left, places_left);
        }
        match &mut shares[..] {
            [(part, kinds, places)] => lists.write(part, kinds, places),
            all => apart::each(all, true, &|_, (part, kinds, places)| lists.write(part, kinds, places)),
        }
        Ok(())
    })?;
    Ok((found, state))
}

#[cfg(test)]
mod tests {
    use super::*;
    use upsweep_core::call::automaton::{Event, Step};

    /// Returns the reports of a plain loop over the text.
    fn walked(table: &Table, text: &[u8]) -> Vec<u8> {
        let mut state = 0u16;
        let mut told = vec![];
        for &byte in text {
            let step = table.steps[usize::from(state) << 8 | usize::from(byte)];
            told.push(step as u8);
            state = step >> 8;
        }
        told.push(table.at_end(state));
        told
    }

    /// Makes an automaton of random steps. With `turns` the steps are rotations, whose runs never converge. Each state
    /// has up to `most_told` reports.
    fn random_table(states: usize, classes: usize, most_told: usize, turns: bool, seed: &mut u64) -> Table {
        let lists: Vec<Vec<Event>> =
            (0..200).map(|told| (0..told.min(1)).map(|_| Event { kind: told as u8, back: 0 }).collect()).collect();
        let lists: Vec<&[Event]> = lists.iter().map(|list| &list[..]).collect();
        let steps: Vec<usize> = (0..states * 257).map(|_| random(states, seed)).collect();
        let things: Vec<usize> = (0..states * most_told).map(|_| random(200, seed)).collect();
        let tells: Vec<usize> = (0..states * 257)
            .map(|at| match random(2, seed) {
                0 => 0,
                _ => things[at / 257 * most_told + random(most_told, seed)],
            })
            .collect();
        let class = |byte: Option<u8>| byte.map_or(256, |byte| usize::from(byte) % classes);
        let step = |state: usize, byte: Option<u8>| {
            let at = state * 257 + class(byte);
            Step { next: if turns { (state + class(byte)) % states } else { steps[at] }, tells: tells[at] }
        };
        let mut table = Table::new(states, &lists, &step).unwrap();
        table.rare = std::array::from_fn(|told| told % 2 == 1);
        table
    }

    fn random(n: usize, seed: &mut u64) -> usize {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*seed >> 33) as usize % n
    }

    /// Checks that speculative runs report the same as a plain loop. Steps are random, so that some runs converge, or
    /// rotations, so that guesses are wrong. Automata run by loads, or, if they have few classes and reports and the
    /// processor has them, by shuffles.
    #[test]
    fn guesses_change_nothing() {
        let mut seed = 1u64;
        let wide = [1, 2, 16, 17, 64].map(|states| (states, (14 << 10) / states, 200));
        let narrow = [(1, 1, 1), (7, 5, 1), (29, 25, 1), (44, 29, 2), (64, 32, 2), (64, 2, 2), (32, 64, 2), (8, 33, 2)];
        for (states, classes, most_told) in wide.into_iter().chain(narrow) {
            for turns in [false, true] {
                let table = random_table(states, classes.min(256), most_told, turns, &mut seed);
                for n in [0, 1, 15_999, 16_000, 16_001, 100_000, 135_167, 135_168, 135_169, 1_024_001, 2_400_000] {
                    let text: Vec<u8> = (0..n).map(|_| random(256, &mut seed) as u8).collect();
                    let mut told: Vec<u8> = vec![];
                    along(&table, 0, &text, |parts| {
                        for part in parts {
                            assert_eq!(part.first, told.len());
                            told.extend(part.bytes);
                        }
                        Ok(())
                    })
                    .unwrap();
                    assert!(told == walked(&table, &text), "{states} states, {classes} classes, {n} bytes, {turns}");
                }
            }
        }
    }
}
