//! Interleave and deinterleave of neighbouring lanes of 4 or 8 bytes, in registers of AVX-512 and AVX2.

use super::lanes::{AFTER, EVENS, LOWER, ODDS, taken};
use std::arch::x86_64::*;

const fn words(what: usize) -> [u32; 16] {
    let (mut words, mut i) = ([0; 16], 0);
    while i < 16 {
        words[i] = taken(what, 16, i) as u32;
        i += 1;
    }
    words
}

const fn doubles(what: usize) -> [u64; 8] {
    let (mut doubles, mut i) = ([0; 8], 0);
    while i < 8 {
        doubles[i] = taken(what, 8, i) as u64;
        i += 1;
    }
    doubles
}

/// Implementation of [`Lanes::two`](super::lanes::Lanes::two).
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn by_avx512<T, const WHAT: usize>(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: tables and registers have 64 bytes.
    unsafe {
        if size_of::<T>() == 4 {
            _mm512_permutex2var_epi32(a, std::mem::transmute::<[u32; 16], __m512i>(const { words(WHAT) }), b)
        } else {
            _mm512_permutex2var_epi64(a, std::mem::transmute::<[u64; 8], __m512i>(const { doubles(WHAT) }), b)
        }
    }
}

/// Implementation of [`Lanes::two`](super::lanes::Lanes::two) for rows of two registers.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn by_avx2<T, const WHAT: usize>(a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
    let four = size_of::<T>() == 4;
    match WHAT {
        EVENS => [evens(a[0], a[1], four), evens(b[0], b[1], four)],
        ODDS => [odds(a[0], a[1], four), odds(b[0], b[1], four)],
        AFTER => [after(a[0], a[1], four), after(a[1], b[0], four)],
        _ => {
            let half = usize::from(WHAT != LOWER);
            interleaved(a[half], b[half], four)
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn evens(low: __m256i, high: __m256i, four: bool) -> __m256i {
    _mm256_permute4x64_epi64::<0xD8>(if four {
        _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high)))
    } else {
        _mm256_unpacklo_epi64(low, high)
    })
}

#[inline]
#[target_feature(enable = "avx2")]
fn odds(low: __m256i, high: __m256i, four: bool) -> __m256i {
    _mm256_permute4x64_epi64::<0xD8>(if four {
        _mm256_castps_si256(_mm256_shuffle_ps::<0xDD>(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high)))
    } else {
        _mm256_unpackhi_epi64(low, high)
    })
}

#[inline]
#[target_feature(enable = "avx2")]
fn interleaved(a: __m256i, b: __m256i, four: bool) -> [__m256i; 2] {
    let (low, high) = if four {
        (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b))
    } else {
        (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
    };
    [_mm256_permute2x128_si256::<0x20>(low, high), _mm256_permute2x128_si256::<0x31>(low, high)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn after(x: __m256i, next: __m256i, four: bool) -> __m256i {
    let between = _mm256_permute2x128_si256::<0x21>(x, next);
    if four { _mm256_alignr_epi8::<4>(between, x) } else { _mm256_alignr_epi8::<8>(between, x) }
}
