//! Stream compaction in registers. AVX-512 has an instruction for each size; AVX2 shuffles eight values at a time (four
//! of eight bytes), by tables.
//!
//! Each step stores a whole register at the end of the values selected so far.

use std::arch::x86_64::*;

/// Indices of the set bits of each of the 256 masks of eight bits, in ascending order.
const PLACES: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut bit, mut at) = (0, 0);
        while bit < 8 {
            if mask >> bit & 1 == 1 {
                places[mask][at] = bit as u8;
                at += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    places
};

/// Tables of `PLACES` as shuffle operands, for values of `SIZE` bytes.
struct Shuffles<const SIZE: usize>;

impl<const SIZE: usize> Shuffles<SIZE> {
    /// Operand of a shuffle of 16 bytes for each mask: the index of the source byte of each byte.
    const BYTES: [[u8; 16]; 256] = {
        let mut table = [[0; 16]; 256];
        let mut mask = 0;
        while mask < 256 {
            let mut byte = 0;
            while byte < 16 {
                table[mask][byte] = PLACES[mask][byte / SIZE % 8] * SIZE as u8 + (byte % SIZE) as u8;
                byte += 1;
            }
            mask += 1;
        }
        table
    };

    /// Operand of a shuffle of 32 bytes for each mask: the index of the source word of each word of 4 bytes.
    const WORDS: [[u32; 8]; 256] = {
        let (of_value, mut table) = (SIZE / 4, [[0; 8]; 256]);
        let mut mask = 0;
        while mask < 256 {
            let mut word = 0;
            while word < 8 && of_value > 0 {
                table[mask][word] = PLACES[mask][word / of_value] as u32 * of_value as u32 + (word % of_value) as u32;
                word += 1;
            }
            mask += 1;
        }
        table
    };
}

/// Implementation of [`Lanes::compress`](super::lanes::Lanes::compress) by AVX-512.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of 64 values, which are numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
pub(super) unsafe fn by_avx512<T>(from: *const u8, mask: u64, to: *mut u8) -> bool {
    if !matches!(size_of::<T>(), 1 | 2 | 4 | 8) {
        return false;
    }
    let (lanes, mut to) = (64 / size_of::<T>(), to);
    for row in 0..size_of::<T>() {
        let bits = mask >> (row * lanes) & (!0 >> (64 - lanes));
        // SAFETY: the row is among the 64 values of the input. The store is within the 64 values of the output, as at
        // most as many values have been stored as there are values before the row in the input.
        unsafe {
            let x = _mm512_loadu_si512(from.add(64 * row).cast());
            let packed = match size_of::<T>() {
                1 => _mm512_maskz_compress_epi8(bits, x),
                2 => _mm512_maskz_compress_epi16(bits as u32, x),
                4 => _mm512_maskz_compress_epi32(bits as u16, x),
                _ => _mm512_maskz_compress_epi64(bits as u8, x),
            };
            _mm512_storeu_si512(to.cast(), packed);
            to = to.add(bits.count_ones() as usize * size_of::<T>());
        }
    }
    true
}

/// Implementation of [`Lanes::compress`](super::lanes::Lanes::compress) by AVX2.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of 64 values, which are numbers.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(super) unsafe fn by_avx2<T>(from: *const u8, mask: u64, to: *mut u8) -> bool {
    let lanes = match size_of::<T>() {
        1 | 2 | 4 => 8,
        8 => 4,
        _ => return false,
    };
    let mut to = to;
    for group in 0..64 / lanes {
        let bits = (mask >> (group * lanes) & (!0 >> (64 - lanes))) as usize;
        // SAFETY: the group is among the 64 values of the input. The store is within the 64 values of the output, as at
        // most as many values have been stored as there are values before the group in the input. The tables have 256
        // entries.
        unsafe {
            let at = from.add(group * lanes * size_of::<T>());
            match size_of::<T>() {
                1 => {
                    let places = _mm_loadl_epi64(PLACES.as_ptr().add(bits).cast());
                    _mm_storel_epi64(to.cast(), _mm_shuffle_epi8(_mm_loadl_epi64(at.cast()), places));
                }
                2 => {
                    let bytes = const { &Shuffles::<2>::BYTES };
                    let shuffle = _mm_loadu_si128(bytes.as_ptr().add(bits).cast());
                    _mm_storeu_si128(to.cast(), _mm_shuffle_epi8(_mm_loadu_si128(at.cast()), shuffle));
                }
                size => {
                    let words =
                        if size == 4 { const { &Shuffles::<4>::WORDS } } else { const { &Shuffles::<8>::WORDS } };
                    let shuffle = _mm256_loadu_si256(words.as_ptr().add(bits).cast());
                    _mm256_storeu_si256(to.cast(), _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at.cast()), shuffle));
                }
            }
            to = to.add(bits.count_ones() as usize * size_of::<T>());
        }
    }
    true
}
