//! From what an automaton tells of bytes to the tokens that end there.

use super::walk::Told;

/// The kind of what is no token.
pub const ERROR: u8 = u8::MAX;

/// The end of a token, so many bytes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct End {
    pub(super) back: u8,
    pub(super) kind: u8,
}

/// How many things told a table has.
const ROOM: usize = 64;

/// The tokens that end where something is told.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    of: Vec<Vec<End>>,
    /// From here on what is told is more than one token, or in no table.
    others: u8,
    /// Of what is one token.
    kinds: [u8; ROOM],
    backs: [u8; ROOM],
}

impl Ends {
    /// Those of what is told, where what is one token comes before what is more of them, and nothing first of all.
    pub(super) fn new(of: Vec<Vec<End>>) -> Self {
        let first = |told: usize| of.get(told).and_then(|ends| ends.first()).copied();
        Self {
            others: of.partition_point(|ends| ends.len() <= 1).min(ROOM) as u8,
            kinds: std::array::from_fn(|told| first(told).map_or(0, |end| end.kind)),
            backs: std::array::from_fn(|told| first(told).map_or(0, |end| end.back)),
            of,
        }
    }

    /// Those of a thing told.
    pub(super) fn of(&self, told: usize) -> &[End] {
        self.of.get(told).map_or(&[], |ends| ends)
    }

    /// How many tokens end at these bytes.
    pub(super) fn count(&self, part: &Told<'_>) -> usize {
        let of = |bytes: &[u8]| {
            // Both at once for many bytes at a time, as the compiler sees it.
            let both = |(most, count): (u8, u8), &told: &u8| (told.max(most), count.wrapping_add(u8::from(told != 0)));
            match bytes.iter().fold((0, 0), both) {
                (most, _) if most >= self.others => bytes.iter().map(|&told| self.of(told.into()).len()).sum(),
                (_, count) => usize::from(count),
            }
        };
        let (chunks, rest) = part.bytes.as_chunks::<128>();
        chunks.iter().map(|chunk| of(chunk)).sum::<usize>() + of(rest)
    }

    /// Writes the tokens that end at these bytes. There is room for as many as [`count`](Self::count) says.
    pub(super) fn write(&self, part: &Told<'_>, kinds: &mut [u8], ends: &mut [u64]) {
        let mut done = Done::default();
        #[cfg(target_arch = "x86_64")]
        if vector::is_possible() {
            // SAFETY: the processor has what the function is compiled for.
            done = unsafe { vector::write(self, part, kinds, ends) };
        }
        self.write_one_by_one(&part.from(done.bytes), &mut kinds[done.tokens..], &mut ends[done.tokens..]);
    }

    /// The same by a loop, which says how many it has written.
    fn write_one_by_one(&self, part: &Told<'_>, kinds: &mut [u8], ends: &mut [u64]) -> usize {
        let (mut to, mut written) = (kinds.iter_mut().zip(ends), 0);
        part.each(|place, told| {
            for (end, (kind, to)) in self.of(told.into()).iter().zip(&mut to) {
                (*kind, *to) = (end.kind, place as u64 - u64::from(end.back));
                written += 1;
            }
        });
        written
    }
}

/// How far tokens have been written.
#[derive(Default)]
struct Done {
    bytes: usize,
    tokens: usize,
}

/// 64 bytes at a time: tables are looked up by one shuffle, and what belongs to bytes of which something is told is moved together by one
/// instruction.
#[cfg(target_arch = "x86_64")]
mod vector {
    use super::{Done, Ends};
    use crate::text::walk::Told;
    use std::arch::x86_64::*;

    pub(super) fn is_possible() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("popcnt")
    }

    /// Writes tokens until there are less than 64 bytes, or room for less than 64 tokens.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
    pub(super) fn write(all: &Ends, part: &Told<'_>, kinds: &mut [u8], ends: &mut [u64]) -> Done {
        let (kind_of, back_of) = (load(&all.kinds), load(&all.backs));
        let places = load(&std::array::from_fn(|place| place as u8));
        let others = _mm512_set1_epi8(all.others as i8);
        let mut done = Done::default();
        for bytes in part.bytes.as_chunks::<64>().0 {
            let (kinds, ends) = (&mut kinds[done.tokens..], &mut ends[done.tokens..]);
            let (Some(to_kinds), Some(to_ends)) = (kinds.first_chunk_mut(), ends.first_chunk_mut::<64>()) else {
                break;
            };
            let told = load(bytes);
            if _mm512_cmpge_epu8_mask(told, others) != 0 {
                let these = Told { first: part.first + done.bytes, bytes };
                done.tokens += all.write_one_by_one(&these, kinds, ends);
                done.bytes += 64;
                continue;
            }
            let some = _mm512_test_epi8_mask(told, told);
            store(to_kinds, _mm512_maskz_compress_epi8(some, _mm512_permutexvar_epi8(told, kind_of)));
            // A token may end up to four bytes before the first one.
            let places = _mm512_sub_epi8(places, _mm512_permutexvar_epi8(told, back_of));
            let mut packed = [0; 64];
            store(&mut packed, _mm512_maskz_compress_epi8(some, places));
            let (first, count) = ((part.first + done.bytes) as u64, some.count_ones() as usize);
            let eights = to_ends.as_chunks_mut::<8>().0.iter_mut().zip(packed.as_chunks::<8>().0);
            for (ends, places) in eights.take(count.div_ceil(8)) {
                for (end, &place) in ends.iter_mut().zip(places) {
                    *end = first.wrapping_add_signed(i64::from(place as i8));
                }
            }
            done.bytes += 64;
            done.tokens += count;
        }
        done
    }

    #[target_feature(enable = "avx512f")]
    fn load(bytes: &[u8; 64]) -> __m512i {
        // SAFETY: the 64 bytes are there, and need not be aligned.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx512f")]
    fn store(to: &mut [u8; 64], bytes: __m512i) {
        // SAFETY: the 64 bytes are there, and need not be aligned.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of random bytes, of which some is in no table and some is several tokens.
    #[test]
    fn by_vectors_as_one_by_one() {
        let mut seed = 7u64;
        let mut random = move |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % n
        };
        let end = |told: usize, rank: usize| End { back: (4 - rank) as u8, kind: (told + rank) as u8 };
        for (singles, several) in [(1, 0), (5, 0), (5, 4), (63, 3), (80, 20)] {
            let one = (1..=singles).map(|told| vec![end(told, told % 5)]);
            let more = (0..several).map(|told| (0..2 + told % 4).map(|rank| end(told, rank)).collect());
            let all = Ends::new([vec![]].into_iter().chain(one).chain(more).collect());
            for len in [0, 1, 63, 64, 65, 128, 1000, 10_000] {
                for one_in in [1, 2, 7, 300] {
                    let mut byte = |_| if random(one_in) == 0 { random(1 + singles + several) as u8 } else { 0 };
                    let bytes: Vec<u8> = (0..len).map(&mut byte).collect();
                    let part = Told { first: 1 << 33, bytes: &bytes };
                    let mut expected = vec![];
                    for (place, &told) in bytes.iter().enumerate() {
                        let ends = all.of(told.into()).iter();
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
