//! Bracket matching.

use crate::error::{Error, Result};
use crate::part::{Part, map};
use upsweep::prelude::*;
use upsweep::{Array, Input};
use upsweep_core::memory;

/// Brackets of a text, in order, on the device.
#[derive(Debug)]
pub struct Brackets {
    /// Position of each bracket in the text.
    pub places: Array<u64>,
    /// Nesting depth of each bracket: the number of pairs around it.
    pub depths: Array<u32>,
    /// Index of each bracket's partner among the brackets.
    pub partners: Array<u32>,
}

/// Returns 1 for an opening bracket, -1 for a closing one, and 0 for any other byte.
#[function]
fn step(byte: u8) -> i64 {
    if byte == 40 || byte == 91 || byte == 123 {
        1
    } else if byte == 41 || byte == 93 || byte == 125 {
        -1
    } else {
        0
    }
}

#[function]
fn is_bracket(byte: u8) -> bool {
    byte == 40 || byte == 41 || byte == 91 || byte == 93 || byte == 123 || byte == 125
}

/// Depth of a bracket, from `sum`, the sum of `step` over all brackets up to it; 2^32 - 1 for one that closes nothing.
#[function]
fn depth(byte: u8, sum: i64) -> u32 {
    if byte == 40 || byte == 91 || byte == 123 { (sum - 1) as u32 } else { sum as u32 }
}

/// Returns 0 if the brackets at indices `at` and `partner` have different depths, so they are no pair; else 1 if
/// `partner` comes after `at`, 2 if before.
#[function]
fn way(depth: u32, of_partner: u32, at: u32, partner: u32) -> u8 {
    if depth != of_partner {
        0
    } else if partner > at {
        1
    } else {
        2
    }
}

#[function]
fn is_wrong(byte: u8, other: u8, way: u8) -> bool {
    let opens = byte == 40 || byte == 91 || byte == 123;
    let (open, close) = if opens { (byte, other) } else { (other, byte) };
    let fits = (open == 40 && close == 41) || (open == 91 && close == 93) || (open == 123 && close == 125);
    !fits || way != (if opens { 1u8 } else { 2u8 })
}

#[function]
fn clamped(#[param] last: u32, at: u32) -> u32 {
    (at ^ 1).min(last)
}

/// Matches the brackets `()`, `[]` and `{}` of a text. To leave out the brackets in strings, pass the first bytes of
/// the text's tokens. On CUDA this waits.
///
/// ```
/// use upsweep::Device;
/// use upsweep_apps::text::match_brackets;
///
/// let found = match_brackets(&Device::cpu(), b"f(a[1], {})")?;
/// assert_eq!(found.places.to_vec()?, [1, 3, 5, 8, 9, 10]);
/// assert_eq!(found.depths.to_vec()?, [0, 1, 1, 1, 1, 0]);
/// assert_eq!(found.partners.to_vec()?, [5, 2, 1, 4, 3, 0]);
/// # Ok::<(), upsweep_apps::Error>(())
/// ```
///
/// # Errors
/// - [`Error::Bracket`]: a bracket without a partner, or with one of another kind; it names one
/// - [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own
pub fn match_brackets<B: Input<Item = u8> + ?Sized>(device: &Device, text: &B) -> Result<Brackets> {
    match_on(device, &Part::all(text))
}

fn match_on(device: &Device, text: &Part<'_, u8>) -> Result<Brackets> {
    let places: Array<u64> = Select::new(IsBracket).indices().run_to_array(device, text)?;
    let kinds: Array<u8> = Transform::copy().run_to_array(device, Gather::of(text).at(&places))?;
    let n = kinds.len() as u32;
    let sums: Array<i64> = Scan::new(Sum).map(Step).run_to_array(device, &kinds)?;
    let depths: Array<u32> = map(device, Depth, (&kinds, &sums))?;
    let order: Array<u32> = Sort::new().indices().run_to_array(device, &depths)?;
    let mut partners = device.filled(kinds.len(), 0u32)?;
    // With an odd number of brackets, the last one becomes its own partner, which never fits.
    let other = Apply(Clamped { last: n.saturating_sub(1) }, 0..n);
    Transform::copy().run(device, Gather::of(&order).at(other), Scatter::to(&mut partners).at(&order))?;
    let way: Array<u8> = map(device, Way, (&depths, Gather::of(&depths).at(&partners), 0..n, &partners))?;
    let ends = (&kinds, Gather::of(&kinds).at(&partners), &way);
    let wrong: bool = Reduce::new(Or).map(IsWrong).run_to_host(device, ends)?;
    if wrong {
        return Err(Error::Bracket { at: first_wrong(&places.to_vec()?, &kinds.to_vec()?)? });
    }
    Ok(Brackets { places, depths, partners })
}

/// Returns the position of the first bracket that closes none of its kind; if there is none, of the last bracket that
/// is never closed.
fn first_wrong(places: &[u64], kinds: &[u8]) -> Result<u64> {
    let mut open = memory::room(kinds.len())?;
    for (&at, &kind) in places.iter().zip(kinds) {
        let fits = |other: u8| matches!((other, kind), (b'(', b')') | (b'[', b']') | (b'{', b'}'));
        match kind {
            b'(' | b'[' | b'{' => open.push((at, kind)),
            _ if open.pop().is_some_and(|(_, other)| fits(other)) => {}
            _ => return Ok(at),
        }
    }
    Ok(open.last().map_or(0, |&(at, _)| at))
}
