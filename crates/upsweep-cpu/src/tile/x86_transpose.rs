//! Transposition of squares in registers: 16 x 16 numbers of 4 bytes and 8 x 8 of 8 bytes by AVX-512 and AVX2, and 64 x
//! 64 bytes by AVX-512.
//!
//! Neighbouring rows are interleaved, and if numbers have 4 bytes, then pairs of rows. After that each 128 bits of a
//! row have a part of a column. Shuffles of these parts join them: two rounds by AVX-512, one by AVX2. The code has no
//! `map` of arrays, as LLVM may not inline it.

use std::arch::x86_64::*;

#[cfg(not(feature = "small-loops"))]
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn of_16(rows: [__m512; 16]) -> [__m512; 16] {
    let mut a = rows;
    for i in 0..8 {
        a[2 * i] = _mm512_unpacklo_ps(rows[2 * i], rows[2 * i + 1]);
        a[2 * i + 1] = _mm512_unpackhi_ps(rows[2 * i], rows[2 * i + 1]);
    }
    // b[4 i + c] has, in its 128-bit quarter q, column 4 q + c of rows 4 i to 4 i + 3.
    let mut b = a;
    for i in 0..4 {
        for c in 0..2 {
            let (low, high) = (_mm512_castps_pd(a[4 * i + c]), _mm512_castps_pd(a[4 * i + c + 2]));
            b[4 * i + 2 * c] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
            b[4 * i + 2 * c + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
        }
    }
    let mut columns = b;
    for c in 0..4 {
        let even = [_mm512_shuffle_f32x4::<0x88>(b[c], b[4 + c]), _mm512_shuffle_f32x4::<0x88>(b[8 + c], b[12 + c])];
        let odd = [_mm512_shuffle_f32x4::<0xdd>(b[c], b[4 + c]), _mm512_shuffle_f32x4::<0xdd>(b[8 + c], b[12 + c])];
        columns[c] = _mm512_shuffle_f32x4::<0x88>(even[0], even[1]);
        columns[4 + c] = _mm512_shuffle_f32x4::<0x88>(odd[0], odd[1]);
        columns[8 + c] = _mm512_shuffle_f32x4::<0xdd>(even[0], even[1]);
        columns[12 + c] = _mm512_shuffle_f32x4::<0xdd>(odd[0], odd[1]);
    }
    columns
}

/// Transposes 64 rows of 64 bytes: squares of 8 x 8 numbers of 8 bytes, then the bytes of 8 such numbers, then such
/// squares again.
///
/// # Safety
/// `from` and `to` have 64 rows of 64 bytes, at strides of `stride` and `distance` bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) unsafe fn of_64((from, stride): (*const u8, usize), (to, distance): (*mut u8, usize)) {
    let mut bytes = [0u8; 64];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = (8 * (i % 8) + i / 8) as u8;
    }
    // SAFETY: the array has 64 bytes.
    let bytes = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    // squares[c][r] has the bytes of rows 8 r to 8 r + 7 in columns 8 c to 8 c + 7, one column after the other.
    let mut squares = [[_mm512_setzero_pd(); 8]; 8];
    for (r, begin) in (0..64).step_by(8).enumerate() {
        let mut rows = [_mm512_setzero_pd(); 8];
        for (i, row) in rows.iter_mut().enumerate() {
            // SAFETY: row `begin + i` is one of the 64 rows at `from`.
            *row = unsafe { _mm512_loadu_pd(from.add((begin + i) * stride).cast()) };
        }
        for (c, column) in of_8(rows).into_iter().enumerate() {
            squares[c][r] = _mm512_castsi512_pd(_mm512_permutexvar_epi8(bytes, _mm512_castpd_si512(column)));
        }
    }
    for (c, rows) in squares.into_iter().enumerate() {
        for (i, column) in of_8(rows).into_iter().enumerate() {
            // SAFETY: row `8 * c + i` is one of the 64 rows at `to`.
            unsafe { _mm512_storeu_pd(to.add((8 * c + i) * distance).cast(), column) };
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn of_8(rows: [__m512d; 8]) -> [__m512d; 8] {
    // a[2 i + c] has, in its 128-bit quarter q, column 2 q + c of rows 2 i and 2 i + 1.
    let mut a = rows;
    for i in 0..4 {
        a[2 * i] = _mm512_unpacklo_pd(rows[2 * i], rows[2 * i + 1]);
        a[2 * i + 1] = _mm512_unpackhi_pd(rows[2 * i], rows[2 * i + 1]);
    }
    let mut columns = a;
    for c in 0..2 {
        let even = [_mm512_shuffle_f64x2::<0x88>(a[c], a[2 + c]), _mm512_shuffle_f64x2::<0x88>(a[4 + c], a[6 + c])];
        let odd = [_mm512_shuffle_f64x2::<0xdd>(a[c], a[2 + c]), _mm512_shuffle_f64x2::<0xdd>(a[4 + c], a[6 + c])];
        columns[c] = _mm512_shuffle_f64x2::<0x88>(even[0], even[1]);
        columns[2 + c] = _mm512_shuffle_f64x2::<0x88>(odd[0], odd[1]);
        columns[4 + c] = _mm512_shuffle_f64x2::<0xdd>(even[0], even[1]);
        columns[6 + c] = _mm512_shuffle_f64x2::<0xdd>(odd[0], odd[1]);
    }
    columns
}

/// Transposes a square of 16 rows of two registers. Register 0 of a row has its columns 0 to 7, register 1 the others.
#[cfg(not(feature = "small-loops"))]
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn halves_of_16(rows: [[__m256i; 2]; 16]) -> [[__m256i; 2]; 16] {
    let mut columns = rows;
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let mut a = [_mm256_setzero_ps(); 8];
        for k in 0..4 {
            let (even, odd) = (rows[8 * i + 2 * k][j], rows[8 * i + 2 * k + 1][j]);
            let (even, odd) = (_mm256_castsi256_ps(even), _mm256_castsi256_ps(odd));
            a[2 * k] = _mm256_unpacklo_ps(even, odd);
            a[2 * k + 1] = _mm256_unpackhi_ps(even, odd);
        }
        // For the square of 8 x 8 numbers from row 8 i and column 8 j on: b[4 k + c] has, in its 128-bit half q, column
        // 8 j + 4 q + c of rows 8 i + 4 k to 8 i + 4 k + 3.
        let mut b = [_mm256_setzero_pd(); 8];
        for k in 0..2 {
            for c in 0..2 {
                let (low, high) = (_mm256_castps_pd(a[4 * k + c]), _mm256_castps_pd(a[4 * k + c + 2]));
                b[4 * k + 2 * c] = _mm256_unpacklo_pd(low, high);
                b[4 * k + 2 * c + 1] = _mm256_unpackhi_pd(low, high);
            }
        }
        for c in 0..4 {
            columns[8 * j + c][i] = _mm256_castpd_si256(_mm256_permute2f128_pd::<0x20>(b[c], b[4 + c]));
            columns[8 * j + 4 + c][i] = _mm256_castpd_si256(_mm256_permute2f128_pd::<0x31>(b[c], b[4 + c]));
        }
    }
    columns
}

#[cfg(not(feature = "small-loops"))]
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn halves_of_8(rows: [[__m256i; 2]; 8]) -> [[__m256i; 2]; 8] {
    let mut columns = rows;
    for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let [a, b, c, d] = [rows[4 * i][j], rows[4 * i + 1][j], rows[4 * i + 2][j], rows[4 * i + 3][j]];
        let (even, odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let (next_even, next_odd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
        columns[4 * j][i] = _mm256_permute2x128_si256::<0x20>(even, next_even);
        columns[4 * j + 1][i] = _mm256_permute2x128_si256::<0x20>(odd, next_odd);
        columns[4 * j + 2][i] = _mm256_permute2x128_si256::<0x31>(even, next_even);
        columns[4 * j + 3][i] = _mm256_permute2x128_si256::<0x31>(odd, next_odd);
    }
    columns
}
