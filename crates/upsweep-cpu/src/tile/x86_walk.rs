//! 64 interleaved runs of an automaton, one in each byte of a register, by the byte shuffles of AVX-512.
//!
//! ```text
//! for each group of 64 bytes of the 64 parts:
//!     transpose the bytes                                 x86_transpose: a line has one byte of each part
//!     for each line:
//!         class = classes[byte]                           two shuffles
//!         for each chunk of the steps:                    one shuffle a chunk
//!             next |= chunk[class, state] where the state belongs to this chunk
//!         report = tells[state, which] where there is one
//!     transpose the reports
//!     store the states                                    checkpoint: ends the second run after a wrong guess
//! ```
//!
//! A shuffle looks up 64 bytes in a table of 128 entries. The index has 7 bits: the byte's class in the high bits, and
//! low bits of the state in the rest. The other bits of a state select its chunk. The low six bits of an entry are the
//! next state. The highest bit is set if there is a report, and the bit between selects one of two reports. Few
//! automata have states with more than two reports: such automata, and automata with too many steps, run by loads.
//!
//! **Cost.** For each byte 14 / 64 shuffles to transpose it and its report, and (3 + chunks) / 64 for its step.
//! Automata of 7, 29 and 44 states with 5, 25 and 29 classes have 1, 8 and 11 chunks.

use super::odds::Odds;
use super::simd::Set;
use super::x86_transpose;
use std::arch::x86_64::*;
use upsweep_core::call::automaton::Table;

/// Number of interleaved runs of the automaton, one for each byte of a 64-byte register.
const LANES: usize = 64;
/// Bytes of a part (the piece of the text that one run reads) between two checkpoints, at which the states of all runs
/// are stored.
const GROUP: usize = 64;
/// Largest number of chunks of a transition table. A chunk is the 128 entries that one shuffle looks up.
const MOST_CHUNKS: usize = 16;
/// Bits of a table entry that hold the next state.
const STATE: u8 = 0x3f;
/// Bit of a table entry that selects one of the two reports of the state before the step. A report is the number of a
/// list of events.
const WHICH: u8 = 0x40;
/// Bit of a table entry that is set if the step has a report.
const TELLS: u8 = 0x80;

/// Contents of a 64-byte register: a byte for each run or each table entry.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line([u8; LANES]);

impl Line {
    fn of(of_lane: impl Fn(usize) -> u8) -> Self {
        Self(std::array::from_fn(of_lane))
    }
}

/// Transition table of an automaton, laid out for byte shuffles.
pub(super) struct Shuffles {
    states: usize,
    class_of: [u8; 256],
    /// Class of each byte value (bytes of a class have the same transitions), shifted to its position in an index into
    /// a chunk: the 128 entries that one shuffle looks up.
    classes: [Line; 4],
    /// Mask of the bits of a state that are part of an index into a chunk. The other bits select the chunk.
    within: u8,
    chunks: Vec<[Line; 2]>,
    /// For each chunk, the state bits that select it, repeated in each byte of a line.
    numbers: Vec<Line>,
    /// First report of each state, and second report of each state.
    tells: [Line; 2],
    /// Next state of each state: a line for each class of bytes.
    next: Vec<Line>,
}

impl Shuffles {
    /// Makes the shuffle tables of an automaton. Returns `None` if the processor has no byte shuffles of AVX-512, or
    /// the table does not fit.
    pub(super) fn new(table: &Table) -> Option<Self> {
        if !Set::widest().is_avx512() || table.classes > 64 {
            return None;
        }
        let bits = 7 - table.classes.max(2).next_power_of_two().trailing_zeros();
        let within = (1u8 << bits) - 1;
        let chunks = table.states.div_ceil(1 << bits);
        if chunks > MOST_CHUNKS {
            return None;
        }
        let mut class_of = [0; 256];
        class_of.copy_from_slice(&table.class);
        // One byte of each class: it stands for all bytes of the class.
        let mut bytes = vec![0; table.classes];
        (0..256).for_each(|byte| bytes[usize::from(class_of[byte])] = byte);

        // Rounded up to a number with compiled code: padding chunks have no states.
        let chunks = if chunks > 2 { chunks.next_multiple_of(4) } else { chunks };
        let mut entries = vec![[0u8; 128]; chunks];
        let mut tells = [Line([0; LANES]); 2];
        let mut all_next = vec![Line([0; LANES]); table.classes];
        for state in 0..table.states {
            for (class, &byte) in bytes.iter().enumerate() {
                let step = table.steps[state << 8 | byte];
                let (next, told) = ((step >> 8) as u8, step as u8);
                let flags = match tells.iter().position(|tells| [told, 0].contains(&tells.0[state])) {
                    _ if told == 0 => 0,
                    Some(which) => {
                        tells[which].0[state] = told;
                        TELLS | (WHICH * which as u8)
                    }
                    None => return None,
                };
                entries[state >> bits][class << bits | state & usize::from(within)] = next | flags;
                all_next[class].0[state] = next;
            }
        }
        Some(Self {
            states: table.states,
            classes: std::array::from_fn(|quarter| Line::of(|i| class_of[quarter * 64 + i] << bits)),
            class_of,
            within,
            chunks: entries.iter().map(|of| [0, 64].map(|half| Line::of(|i| of[half + i]))).collect(),
            numbers: (0..chunks).map(|chunk| Line([(chunk << bits) as u8; LANES])).collect(),
            tells,
            next: all_next,
        })
    }

    /// Guesses the states after four texts of one length, as [`Odds::guess`] does. Four are interleaved to hide the
    /// latency of shuffles.
    pub(super) fn guess(&self, odds: &Odds, before: [&[u8]; 4]) -> [u8; 4] {
        // SAFETY: `Shuffles` exist only if the processor has the instructions for which the function is compiled.
        unsafe { self.guess_by_shuffles(odds, before) }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    fn guess_by_shuffles(&self, odds: &Odds, before: [&[u8]; 4]) -> [u8; 4] {
        // For each initial state, the current state and the cost of the run that began there.
        let states = load(&Line::of(|state| state as u8));
        let costs = load(&Line::of(|state| if state < self.states { odds.first[state] } else { u8::MAX }));
        let mut walks = [(states, costs); 4];
        for i in 0..before.iter().map(|before| before.len()).min().unwrap_or(0) {
            for (walk, before) in walks.iter_mut().zip(before) {
                let class = usize::from(self.class_of[usize::from(before[i])]);
                // SAFETY: the array has 64 bytes, which need not be aligned.
                let cost = unsafe { _mm512_loadu_si512(odds.costs[class].as_ptr().cast()) };
                walk.1 = _mm512_adds_epu8(walk.1, _mm512_permutexvar_epi8(walk.0, cost));
                walk.0 = _mm512_permutexvar_epi8(walk.0, load(&self.next[class]));
            }
        }
        // The state of the least cost: the minimum of words with the cost in the high byte and the state in the low
        // byte.
        walks.map(|(states, costs)| {
            let all = _mm512_min_epu16(_mm512_unpacklo_epi8(states, costs), _mm512_unpackhi_epi8(states, costs));
            let half = _mm256_min_epu16(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
            let quarter = _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
            _mm_extract_epi16::<0>(_mm_minpos_epu16(quarter)) as u8
        })
    }

    /// Runs the automaton on 64 consecutive parts of `text`, each of which has 64 bytes for each of `marks`. Run `i`
    /// begins in `states[i]`, which is replaced by its final state. The report of each byte is written to `told`. Mark
    /// `m` is set to the states of all runs after `64 * (m + 1)` bytes of their parts.
    pub(super) fn walk(&self, text: &[u8], told: &mut [u8], states: &mut [u8; LANES], marks: &mut [[u8; LANES]]) {
        assert!(text.len() == LANES * GROUP * marks.len() && told.len() == text.len(), "64 bytes of each part a mark");
        let walk: unsafe fn(&Self, &[u8], &mut [u8], &mut [u8; LANES], &mut [[u8; LANES]]) = match self.chunks.len() {
            1 => Self::walk_by::<1>,
            2 => Self::walk_by::<2>,
            4 => Self::walk_by::<4>,
            8 => Self::walk_by::<8>,
            12 => Self::walk_by::<12>,
            _ => Self::walk_by::<MOST_CHUNKS>,
        };
        // SAFETY: `Shuffles` exist only if the processor has the instructions for which the function is compiled. The
        // lengths have been checked.
        unsafe { walk(self, text, told, states, marks) }
    }

    /// Runs [`walk`](Self::walk) with a table of `CHUNKS` chunks of 128 entries.
    ///
    /// # Safety
    /// `text` and `told` have [`LANES`] times [`GROUP`] bytes for each of `marks`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi")]
    unsafe fn walk_by<const CHUNKS: usize>(
        &self,
        text: &[u8],
        told: &mut [u8],
        states: &mut [u8; LANES],
        marks: &mut [[u8; LANES]],
    ) {
        let (chunks, numbers) = (self.chunks.first_chunk::<CHUNKS>(), self.numbers.first_chunk::<CHUNKS>());
        let (Some(chunks), Some(numbers)) = (chunks, numbers) else { return };
        let [low, next_low, high, next_high] = [0, 1, 2, 3].map(|quarter| load(&self.classes[quarter]));
        let [one, other] = [0, 1].map(|which| load(&self.tells[which]));
        let all = |bits: u8| _mm512_set1_epi8(bits as i8);
        let (within, of_chunk, which) = (all(self.within), all(STATE & !self.within), all(WHICH));
        let mut state = load(&Line(*states));
        let (mut lines, mut tells) = ([Line([0; LANES]); GROUP], [Line([0; LANES]); GROUP]);
        let part = GROUP * marks.len();
        for (group, mark) in marks.iter_mut().enumerate() {
            // SAFETY: each of the 64 parts has `part` bytes, and `GROUP` of them are read, from `GROUP * group` on.
            unsafe {
                x86_transpose::of_64((text.as_ptr().add(GROUP * group), part), (lines.as_mut_ptr().cast(), GROUP))
            };
            for (line, tells) in lines.iter().zip(&mut tells) {
                let bytes = load(line);
                let class = _mm512_mask_blend_epi8(
                    _mm512_movepi8_mask(bytes),
                    _mm512_permutex2var_epi8(low, bytes, next_low),
                    _mm512_permutex2var_epi8(high, bytes, next_high),
                );
                // Index into a chunk, `class | state & within`: the byte's class, and the bits of the state that do not
                // select a chunk.
                let at = _mm512_ternarylogic_epi64::<0xf8>(class, state, within);
                let number = _mm512_and_si512(state, of_chunk);
                let mut next = [_mm512_setzero_si512(); CHUNKS];
                for (next, ([first, second], chunk)) in next.iter_mut().zip(chunks.iter().zip(numbers)) {
                    let is_here = _mm512_cmpeq_epi8_mask(number, load(chunk));
                    *next = _mm512_maskz_permutex2var_epi8(is_here, load(first), at, load(second));
                }
                let next = any(next);
                // Index of the report: the state before this step, and the bit of the entry that selects one of its two
                // reports.
                let told_at = _mm512_ternarylogic_epi64::<0xd8>(state, next, which);
                let some = _mm512_movepi8_mask(next);
                *tells = store(_mm512_maskz_permutex2var_epi8(some, one, told_at, other));
                state = next;
            }
            *mark = store(_mm512_and_si512(state, all(STATE))).0;
            // SAFETY: each of the 64 parts has `part` reports, and `GROUP` of them are written, from `GROUP * group`
            // on.
            unsafe {
                x86_transpose::of_64((tells.as_ptr().cast(), GROUP), (told.as_mut_ptr().add(GROUP * group), part))
            };
        }
        *states = store(_mm512_and_si512(state, all(STATE))).0;
    }
}

/// Combines all registers by `or`, in a ternary tree, so that the dependence chain is short.
#[inline]
#[target_feature(enable = "avx512f")]
fn any<const N: usize>(mut all: [__m512i; N]) -> __m512i {
    let mut left = N;
    while left > 1 {
        let third = left.div_ceil(3);
        for i in 0..third {
            let of = |at: usize| if at < left { all[at] } else { _mm512_setzero_si512() };
            all[i] = _mm512_ternarylogic_epi64::<0xfe>(all[i], of(i + third), of(i + 2 * third));
        }
        left = third;
    }
    all[0]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(line: &Line) -> __m512i {
    // SAFETY: a `Line` has 64 aligned bytes.
    unsafe { _mm512_load_si512(line.0.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(bytes: __m512i) -> Line {
    let mut line = Line([0; LANES]);
    // SAFETY: a `Line` has 64 aligned bytes.
    unsafe { _mm512_store_si512(line.0.as_mut_ptr().cast(), bytes) };
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use upsweep_core::call::automaton::{Event, Step};

    /// Makes an automaton with `classes` classes of bytes, whose `states` states have `things` reports each.
    fn table(states: usize, classes: usize, things: usize) -> Table {
        let lists: Vec<Vec<Event>> =
            (0..8).map(|told| (0..usize::from(told > 0)).map(|_| Event { kind: told, back: 0 }).collect()).collect();
        let lists: Vec<&[Event]> = lists.iter().map(|list| &list[..]).collect();
        let step = |state: usize, byte: Option<u8>| {
            let class = byte.map_or(0, |byte| usize::from(byte) % classes);
            let thing = class % (things + 1);
            let mixed = ((state << 8 | class) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
            let tells = if thing == 0 { 0 } else { (state + thing) % 7 + 1 };
            Step { next: mixed as usize % states, tells }
        };
        let mut table = Table::new(states, &lists, &step).unwrap();
        assert_eq!((table.states, table.classes), (states, classes));
        table.rare = std::array::from_fn(|told| told % 3 == 1);
        table
    }

    /// Checks which automata fit in the tables of `Shuffles`.
    #[test]
    fn some_fit() {
        for (states, classes, things, fits) in [
            (7, 5, 1, true),
            (44, 29, 2, true),
            (64, 32, 2, true),
            (32, 64, 2, true),
            (33, 64, 2, false),
            (64, 33, 2, false),
            (7, 5, 3, false),
            (7, 65, 2, false),
        ] {
            let found = Shuffles::new(&table(states, classes, things)).is_some();
            assert_eq!(found, fits && Set::widest().is_avx512(), "{states} {classes} {things}");
        }
    }

    /// Checks that guesses are equal to those of [`Odds::guess`].
    #[test]
    fn the_same_guesses() {
        let mut seed = 3u64;
        for (states, classes, things) in [(1, 1, 1), (7, 5, 1), (44, 29, 2), (64, 32, 2)] {
            let table = table(states, classes, things);
            let Some(shuffles) = Shuffles::new(&table) else { return };
            let mut text = |len: usize| -> Vec<u8> {
                let mut byte = || {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    // Product of two random numbers: lower bytes are more frequent.
                    ((seed >> 33 & 15) * (seed >> 53 & 15)) as u8
                };
                (0..len).map(|_| byte()).collect()
            };
            let learned = Odds::of_texts(&table, vec![(0, &text(1000)), (0, &text(100))]);
            for odds in [Odds::of_rare(&table), learned] {
                for len in 1..=64 {
                    let texts: [Vec<u8>; 4] = std::array::from_fn(|_| text(len));
                    let expected = texts.each_ref().map(|text| (odds.guess(&table, text) >> 8) as u8);
                    let found = shuffles.guess(&odds, texts.each_ref().map(|text| &text[..]));
                    assert_eq!(found, expected, "{states} states, {len} bytes");
                }
            }
        }
    }
}
