//! Conversion of an automaton's reports to events.

use upsweep_core::call::automaton::{Event, Table};
use upsweep_core::call::select::{Indices, Yields};

/// Reports of an automaton for neighbouring bytes. A report is the index of a list of events, or 0.
#[derive(Debug)]
pub(crate) struct Told<'a> {
    /// Index in the text of the byte of the first report.
    pub(crate) first: usize,
    pub(crate) bytes: &'a [u8],
}

impl Told<'_> {
    /// Returns the reports without those of the first `bytes` bytes.
    pub(crate) fn from(&self, bytes: usize) -> Self {
        Self { first: self.first + bytes, bytes: &self.bytes[bytes..] }
    }

    /// Returns the reports of a text that has `bytes` bytes more before it.
    pub(crate) fn moved(&self, bytes: usize) -> Self {
        Self { first: self.first.wrapping_add(bytes), bytes: self.bytes }
    }

    /// Counts the bytes with report `told`.
    pub(crate) fn count(&self, told: u8) -> usize {
        self.bytes.iter().filter(|&&other| other == told).count()
    }

    /// Calls `take` with the index of each byte that has a report other than 0, and with the report.
    pub(crate) fn each(&self, mut take: impl FnMut(usize, u8)) {
        let (words, rest) = self.bytes.as_chunks::<8>();
        for (i, word) in words.iter().enumerate() {
            let mut left = u64::from_le_bytes(*word);
            while left != 0 {
                let at = left.trailing_zeros() as usize / 8;
                take(self.first + 8 * i + at, word[at]);
                left &= !(0xff << (8 * at));
            }
        }
        let begin = self.first + 8 * words.len();
        rest.iter().enumerate().filter(|(_, told)| **told != 0).for_each(|(i, &told)| take(begin + i, told));
    }
}

/// Number of reports that the lookup tables cover.
const ROOM: usize = 64;

/// Lists of events, one for each report (the number of the list), and lookup tables for reports with one event.
pub(crate) struct Lists<'a> {
    table: &'a Table,
    /// Lowest report that the lookup tables do not cover, because it has more than one event or is beyond the tables.
    others: u8,
    /// Kind of the event, for each report with one event.
    #[cfg(target_arch = "x86_64")]
    kinds: [u8; ROOM],
    /// Number of bytes by which the event lies before the report's byte, for each report with one event.
    #[cfg(target_arch = "x86_64")]
    backs: [u8; ROOM],
}

impl<'a> Lists<'a> {
    pub(crate) fn new(table: &'a Table) -> Self {
        #[cfg(target_arch = "x86_64")]
        let first = |told: usize| table.events.get(told).and_then(|events| events.first()).copied();
        Self {
            others: table.events.partition_point(|events| events.len() <= 1).min(ROOM) as u8,
            #[cfg(target_arch = "x86_64")]
            kinds: std::array::from_fn(|told| first(told).map_or(0, |event| event.kind)),
            #[cfg(target_arch = "x86_64")]
            backs: std::array::from_fn(|told| first(told).map_or(0, |event| event.back)),
            table,
        }
    }

    fn of(&self, told: u8) -> &'a [Event] {
        self.table.events(told)
    }

    /// Counts the events of the reports in `part`.
    pub(crate) fn count(&self, part: &Told<'_>) -> usize {
        let of = |bytes: &[u8]| {
            // One fold computes the maximum and the count, so that the compiler vectorises both together.
            let both = |(most, count): (u8, u8), &told: &u8| (told.max(most), count.wrapping_add(u8::from(told != 0)));
            match bytes.iter().fold((0, 0), both) {
                (most, _) if most >= self.others => bytes.iter().map(|&told| self.of(told).len()).sum(),
                (_, count) => usize::from(count),
            }
        };
        let (chunks, rest) = part.bytes.as_chunks::<128>();
        chunks.iter().map(|chunk| of(chunk)).sum::<usize>() + of(rest)
    }

    /// Writes the kinds and the positions of the events of the reports in `part`. There is room for their
    /// [`count`](Self::count).
    pub(crate) fn write<P>(&self, part: &Told<'_>, kinds: &mut [u8], places: &mut [P])
    where
        Indices: Yields<u8, P>,
    {
        #[cfg(target_arch = "x86_64")]
        let done = if super::simd::Set::widest().is_avx512() {
            // SAFETY: the processor has AVX-512 with the extensions for which the function is compiled.
            unsafe { vector::write(self, part, kinds, places) }
        } else {
            Done::default()
        };
        #[cfg(not(target_arch = "x86_64"))]
        let done = Done::default();
        self.write_one_by_one(&part.from(done.bytes), &mut kinds[done.events..], &mut places[done.events..]);
    }

    /// Writes the events of the reports in `part` in a loop, and returns their number.
    fn write_one_by_one<P>(&self, part: &Told<'_>, kinds: &mut [u8], places: &mut [P]) -> usize
    where
        Indices: Yields<u8, P>,
    {
        let (mut to, mut written) = (kinds.iter_mut().zip(places), 0);
        part.each(|place, told| {
            for (event, (kind, to)) in self.of(told).iter().zip(&mut to) {
                (*kind, *to) = (event.kind, Indices::of(|| 0, place.wrapping_sub(usize::from(event.back))));
                written += 1;
            }
        });
        written
    }
}

/// Progress of a write: number of reports, and number of events, that are written.
#[derive(Default)]
struct Done {
    bytes: usize,
    events: usize,
}

/// AVX-512 version, 64 bytes at a time: a table is looked up by one shuffle, and the entries of bytes with a report are
/// compacted by one instruction.
#[cfg(target_arch = "x86_64")]
mod vector {
    use super::{Done, Lists, Told};
    use std::arch::x86_64::*;
    use upsweep_core::call::select::{Indices, Yields};

    /// Writes events until fewer than 64 bytes are left, or there is room for fewer than 64 events. Returns the
    /// progress.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
    pub(super) fn write<P>(all: &Lists<'_>, part: &Told<'_>, kinds: &mut [u8], ends: &mut [P]) -> Done
    where
        Indices: Yields<u8, P>,
    {
        let (kind_of, back_of) = (load(&all.kinds), load(&all.backs));
        let places = load(&std::array::from_fn(|place| place as u8));
        let others = _mm512_set1_epi8(all.others as i8);
        let mut done = Done::default();
        for bytes in part.bytes.as_chunks::<64>().0 {
            let (kinds, ends) = (&mut kinds[done.events..], &mut ends[done.events..]);
            let (Some(to_kinds), Some(to_ends)) = (kinds.first_chunk_mut(), ends.first_chunk_mut::<64>()) else {
                break;
            };
            let told = load(bytes);
            if _mm512_cmpge_epu8_mask(told, others) != 0 {
                let these = Told { first: part.first + done.bytes, bytes };
                done.events += all.write_one_by_one(&these, kinds, ends);
                done.bytes += 64;
                continue;
            }
            let some = _mm512_test_epi8_mask(told, told);
            store(to_kinds, _mm512_maskz_compress_epi8(some, _mm512_permutexvar_epi8(told, kind_of)));
            // An event may lie before the first of the 64 bytes: these offsets are signed.
            let places = _mm512_sub_epi8(places, _mm512_permutexvar_epi8(told, back_of));
            let mut packed = [0; 64];
            store(&mut packed, _mm512_maskz_compress_epi8(some, places));
            let (first, count) = (part.first + done.bytes, some.count_ones() as usize);
            let eights = to_ends.as_chunks_mut::<8>().0.iter_mut().zip(packed.as_chunks::<8>().0);
            for (ends, places) in eights.take(count.div_ceil(8)) {
                for (end, &place) in ends.iter_mut().zip(places) {
                    *end = Indices::of(|| 0, first.wrapping_add_signed(place as i8 as isize));
                }
            }
            done.bytes += 64;
            done.events += count;
        }
        done
    }

    #[target_feature(enable = "avx512f")]
    fn load(bytes: &[u8; 64]) -> __m512i {
        // SAFETY: the array has 64 bytes, which need not be aligned.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx512f")]
    fn store(to: &mut [u8; 64], bytes: __m512i) {
        // SAFETY: the array has 64 bytes, which need not be aligned.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upsweep_core::call::automaton::Step;

    /// Checks random reports, some beyond the lookup tables and some with several events.
    #[test]
    fn by_vectors_as_one_by_one() {
        let mut seed = 7u64;
        let mut random = move |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % n
        };
        let end = |told: usize, rank: usize| Event { back: (4 - rank) as u8, kind: (told + rank) as u8 };
        for (singles, several) in [(1, 0), (5, 0), (5, 4), (63, 3), (80, 20)] {
            let one = (1..=singles).map(|told| vec![end(told, told % 5)]);
            let more = (0..several).map(|told| (0..2 + told % 4).map(|rank| end(told, rank)).collect::<Vec<_>>());
            let mut table = Table::new(1, &[&[]], &|_, _| Step { next: 0, tells: 0 }).unwrap();
            table.events = [vec![]].into_iter().chain(one).chain(more).collect();
            let all = Lists::new(&table);
            for len in [0, 1, 63, 64, 65, 128, 1000, 10_000] {
                for one_in in [1, 2, 7, 300] {
                    let mut byte = |_| if random(one_in) == 0 { random(1 + singles + several) as u8 } else { 0 };
                    let bytes: Vec<u8> = (0..len).map(&mut byte).collect();
                    let part = Told { first: 1 << 33, bytes: &bytes };
                    let mut expected = vec![];
                    for (place, &told) in bytes.iter().enumerate() {
                        let ends = all.of(told).iter();
                        expected.extend(ends.map(|end| (end.kind, (1u64 << 33) + place as u64 - u64::from(end.back))));
                    }
                    let count = all.count(&part);
                    assert_eq!(count, expected.len());
                    for one_by_one in [false, true] {
                        let (mut kinds, mut ends) = (vec![0; count], vec![0; count]);
                        if one_by_one {
                            assert_eq!(all.write_one_by_one(&part, &mut kinds, &mut ends), count);
                        } else {
                            all.write(&part, &mut kinds, &mut ends);
                        }
                        assert!(
                            kinds.into_iter().zip(ends).eq(expected.iter().copied()),
                            "{singles} {several} {len} {one_in}"
                        );
                    }
                }
            }
        }
    }
}
