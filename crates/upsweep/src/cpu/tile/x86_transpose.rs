//! Squares of 16 rows of 4 bytes and of 8 rows of 8 bytes, transposed in registers of AVX-512.
//!
//! Neighbouring rows are interleaved, then pairs of rows; so each quarter of a row has a part of a column. Quarters are then put
//! together twice. No `map` of arrays: LLVM may leave it as a function of its own.

use std::arch::x86_64::*;

/// # Safety
/// There are 16 rows of 16 numbers at `from` and `to`, which are so many numbers apart.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) unsafe fn of_16((from, stride): (*const f32, isize), (to, distance): (*mut f32, isize)) {
    // SAFETY: the row is in the square.
    let row = |i: usize| unsafe { _mm512_loadu_ps(from.offset(stride * i as isize)) };
    let mut a = [_mm512_setzero_ps(); 16];
    for i in 0..8 {
        a[2 * i] = _mm512_unpacklo_ps(row(2 * i), row(2 * i + 1));
        a[2 * i + 1] = _mm512_unpackhi_ps(row(2 * i), row(2 * i + 1));
    }
    // b[4 i + c] has column 4 q + c of rows 4 i to 4 i + 3 in quarter q.
    let mut b = a;
    for i in 0..4 {
        for c in 0..2 {
            let (low, high) = (_mm512_castps_pd(a[4 * i + c]), _mm512_castps_pd(a[4 * i + c + 2]));
            b[4 * i + 2 * c] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
            b[4 * i + 2 * c + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
        }
    }
    for c in 0..4 {
        let even = [_mm512_shuffle_f32x4::<0x88>(b[c], b[4 + c]), _mm512_shuffle_f32x4::<0x88>(b[8 + c], b[12 + c])];
        let odd = [_mm512_shuffle_f32x4::<0xdd>(b[c], b[4 + c]), _mm512_shuffle_f32x4::<0xdd>(b[8 + c], b[12 + c])];
        let columns = [
            _mm512_shuffle_f32x4::<0x88>(even[0], even[1]),
            _mm512_shuffle_f32x4::<0x88>(odd[0], odd[1]),
            _mm512_shuffle_f32x4::<0xdd>(even[0], even[1]),
            _mm512_shuffle_f32x4::<0xdd>(odd[0], odd[1]),
        ];
        for (q, column) in columns.into_iter().enumerate() {
            // SAFETY: the row is in the square.
            unsafe { _mm512_storeu_ps(to.offset(distance * (4 * q + c) as isize), column) };
        }
    }
}

/// # Safety
/// There are 8 rows of 8 numbers at `from` and `to`, which are so many numbers apart.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) unsafe fn of_8((from, stride): (*const f64, isize), (to, distance): (*mut f64, isize)) {
    // SAFETY: the row is in the square.
    let row = |i: usize| unsafe { _mm512_loadu_pd(from.offset(stride * i as isize)) };
    // a[2 i + c] has column 2 q + c of rows 2 i and 2 i + 1 in quarter q.
    let mut a = [_mm512_setzero_pd(); 8];
    for i in 0..4 {
        a[2 * i] = _mm512_unpacklo_pd(row(2 * i), row(2 * i + 1));
        a[2 * i + 1] = _mm512_unpackhi_pd(row(2 * i), row(2 * i + 1));
    }
    for c in 0..2 {
        let even = [_mm512_shuffle_f64x2::<0x88>(a[c], a[2 + c]), _mm512_shuffle_f64x2::<0x88>(a[4 + c], a[6 + c])];
        let odd = [_mm512_shuffle_f64x2::<0xdd>(a[c], a[2 + c]), _mm512_shuffle_f64x2::<0xdd>(a[4 + c], a[6 + c])];
        let columns = [
            _mm512_shuffle_f64x2::<0x88>(even[0], even[1]),
            _mm512_shuffle_f64x2::<0x88>(odd[0], odd[1]),
            _mm512_shuffle_f64x2::<0xdd>(even[0], even[1]),
            _mm512_shuffle_f64x2::<0xdd>(odd[0], odd[1]),
        ];
        for (q, column) in columns.into_iter().enumerate() {
            // SAFETY: the row is in the square.
            unsafe { _mm512_storeu_pd(to.offset(distance * (2 * q + c) as isize), column) };
        }
    }
}
