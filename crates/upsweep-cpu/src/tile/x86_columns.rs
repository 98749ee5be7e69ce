//! Columns of a matrix in memory by AVX2, which AVX-512 has, too: eight columns of 8 rows of numbers of 4 bytes, or of 4
//! rows of 8 bytes.
//!
//! Parts of 16 bytes of two rows are loaded into the halves of a register. So the shuffles that transpose them stay in a
//! half. Stores are of 32 bytes: 16 would fill the processor's store buffer.

use std::arch::x86_64::*;

/// Implementation of [`Lanes::columns`](super::lanes::Lanes::columns).
///
/// # Safety
/// Eight numbers of each row can be read at `from`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn load<T>(from: *const T, stride: usize) -> [__m256i; 8] {
    let mut columns = [_mm256_setzero_si256(); 8];
    // SAFETY: the parts are in the rows.
    unsafe {
        if size_of::<T>() == 4 {
            for half in [0, 4] {
                // Columns `half` to `half + 3` of rows `r` and `r + 4`.
                let part = |r: usize| two(from.add(r * stride + half), from.add((r + 4) * stride + half));
                let (low, high) = interleaved(part(0), part(1));
                let (next_low, next_high) = interleaved(part(2), part(3));
                columns[half] = _mm256_unpacklo_epi64(low, next_low);
                columns[half + 1] = _mm256_unpackhi_epi64(low, next_low);
                columns[half + 2] = _mm256_unpacklo_epi64(high, next_high);
                columns[half + 3] = _mm256_unpackhi_epi64(high, next_high);
            }
        } else {
            for c in [0, 2, 4, 6] {
                // Columns `c` and `c + 1` of rows `r` and `r + 2`.
                let part = |r: usize| two(from.add(r * stride + c), from.add((r + 2) * stride + c));
                let (even, odd) = (part(0), part(1));
                columns[c] = _mm256_unpacklo_epi64(even, odd);
                columns[c + 1] = _mm256_unpackhi_epi64(even, odd);
            }
        }
    }
    columns
}

/// Implementation of [`Lanes::store_columns`](super::lanes::Lanes::store_columns).
///
/// # Safety
/// Eight numbers of each row can be written at `to`.
#[inline]
#[target_feature(enable = "avx2")]
#[allow(clippy::needless_range_loop, reason = "iterators may stay calls, which lack the instruction set")]
pub(super) unsafe fn store<T>(columns: [__m256i; 8], to: *mut T, stride: usize) {
    let put = |r: usize, c: usize, part| {
        // SAFETY: the part of 32 bytes is in row `r`.
        unsafe { _mm256_storeu_si256(to.add(r * stride + c).cast(), part) }
    };
    if size_of::<T>() == 4 {
        // rows[h][r] has, in its half q, columns 4 h to 4 h + 3 of row r + 4 q.
        let mut rows = [[_mm256_setzero_si256(); 4]; 2];
        for half in 0..2 {
            let (low, high) = interleaved(columns[4 * half], columns[4 * half + 1]);
            let (next_low, next_high) = interleaved(columns[4 * half + 2], columns[4 * half + 3]);
            rows[half][0] = _mm256_unpacklo_epi64(low, next_low);
            rows[half][1] = _mm256_unpackhi_epi64(low, next_low);
            rows[half][2] = _mm256_unpacklo_epi64(high, next_high);
            rows[half][3] = _mm256_unpackhi_epi64(high, next_high);
        }
        for r in 0..4 {
            put(r, 0, _mm256_permute2x128_si256::<0x20>(rows[0][r], rows[1][r]));
            put(r + 4, 0, _mm256_permute2x128_si256::<0x31>(rows[0][r], rows[1][r]));
        }
    } else {
        for c in [0, 4] {
            // Columns `c` and `c + 1`, or `c + 2` and `c + 3`, of rows 0 and 2, or 1 and 3.
            let even = [columns[c], columns[c + 2]];
            let odd = [columns[c + 1], columns[c + 3]];
            let low = [_mm256_unpacklo_epi64(even[0], odd[0]), _mm256_unpacklo_epi64(even[1], odd[1])];
            let high = [_mm256_unpackhi_epi64(even[0], odd[0]), _mm256_unpackhi_epi64(even[1], odd[1])];
            put(0, c, _mm256_permute2x128_si256::<0x20>(low[0], low[1]));
            put(1, c, _mm256_permute2x128_si256::<0x20>(high[0], high[1]));
            put(2, c, _mm256_permute2x128_si256::<0x31>(low[0], low[1]));
            put(3, c, _mm256_permute2x128_si256::<0x31>(high[0], high[1]));
        }
    }
}

/// Loads 16 bytes into each half of a register.
///
/// # Safety
/// 16 bytes can be read at `low` and at `high`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn two<T>(low: *const T, high: *const T) -> __m256i {
    // SAFETY: 16 bytes can be read at `low` and at `high`.
    unsafe {
        let low = _mm256_castsi128_si256(_mm_loadu_si128(low.cast()));
        _mm256_inserti128_si256::<1>(low, _mm_loadu_si128(high.cast()))
    }
}

/// Interleaves the numbers of 4 bytes of the lower parts, and of the upper parts, of each half of two registers.
#[inline]
#[target_feature(enable = "avx2")]
fn interleaved(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
    (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b))
}
