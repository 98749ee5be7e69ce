//! Sums and products of rows of numbers by AVX-512, each one instruction, instead of a loop that LLVM would have to
//! vectorise.

use std::arch::x86_64::*;
use upsweep_core::call::recurrence::Coefficient;

macro_rules! of_each_type {
    ($(#[$doc:meta])* $name:ident: $of_f32:ident, $of_f64:ident, $of_32_bits:ident, $of_64_bits:ident) => {
        $(#[$doc])*
        #[inline]
        #[target_feature(enable = "avx512f,avx512dq")]
        pub(super) fn $name<C: Coefficient>(a: __m512i, b: __m512i) -> __m512i {
            match (size_of::<C>(), C::DIVIDES) {
                (4, true) => _mm512_castps_si512($of_f32(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b))),
                (4, false) => $of_32_bits(a, b),
                (_, true) => _mm512_castpd_si512($of_f64(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b))),
                (_, false) => $of_64_bits(a, b),
            }
        }
    };
}
of_each_type! {
    /// Returns the sums of the numbers of two rows, lane by lane.
    plus: _mm512_add_ps, _mm512_add_pd, _mm512_add_epi32, _mm512_add_epi64
}
of_each_type! {
    /// Returns the products of the numbers of two rows, lane by lane.
    times: _mm512_mul_ps, _mm512_mul_pd, _mm512_mullo_epi32, _mm512_mullo_epi64
}

/// Replaces every NaN of a row by the canonical NaN.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn canonical<C: Coefficient>(a: __m512i) -> __m512i {
    if !C::DIVIDES {
        return a;
    }
    if size_of::<C>() == 4 {
        let x = _mm512_castsi512_ps(a);
        return _mm512_mask_set1_epi32(a, _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x), f32::NAN.to_bits().cast_signed());
    }
    let x = _mm512_castsi512_pd(a);
    _mm512_mask_set1_epi64(a, _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(x, x), f64::NAN.to_bits().cast_signed())
}
