//! Lane operations of AVX2, with two registers for each row.

use super::lanes::{Lanes, ROW_BYTES, Work};
use super::x86_avx512::Index;
use super::{x86_columns, x86_compress, x86_pairs, x86_transpose};
use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;
use upsweep_core::key::KeyBits;

pub(crate) struct Avx2;

impl Avx2 {
    /// Returns bytes `32 * part .. 32 * part + 32` of a table.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn part(table: &[u8; ROW_BYTES], part: usize) -> __m256i {
        // SAFETY: `part` is 0 or 1, so the 32 bytes are in the table.
        unsafe { _mm256_loadu_si256(table.as_ptr().add(32 * part).cast()) }
    }

    /// Shuffles bytes within each 16 bytes of `x`, by the table's indices modulo 16.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn shuffled([low, high]: [__m256i; 2], table: &[u8; ROW_BYTES]) -> [__m256i; 2] {
        let modulo = _mm256_set1_epi8(15);
        [
            _mm256_shuffle_epi8(low, _mm256_and_si256(Self::part(table, 0), modulo)),
            _mm256_shuffle_epi8(high, _mm256_and_si256(Self::part(table, 1), modulo)),
        ]
    }

    /// Broadcasts the last lane of each 16 bytes of `x` to all lanes of these 16 bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn last_of_16<T>(x: [__m256i; 2]) -> [__m256i; 2] {
        Self::shuffled(x, &const { Index::<T, 0>::LAST.0 })
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn hidden([low, high]: [__m256i; 2]) -> [__m256i; 2] {
        let (mut low, mut high) = (low, high);
        // SAFETY: the assembly is a comment: it has no instructions.
        unsafe {
            asm!("/* {0} {1} */", inout(ymm_reg) low, inout(ymm_reg) high,
                options(pure, nomem, nostack, preserves_flags));
        }
        [low, high]
    }
}

impl Lanes for Avx2 {
    type Row = [__m256i; 2];
    type Half = __m256i;

    #[inline(never)]
    #[target_feature(enable = "avx2,fma,popcnt,bmi1,bmi2")]
    unsafe fn call<W: Work>(work: W) -> W::Result {
        // SAFETY: the processor has the instructions for which this function is compiled, and the conditions of the
        // work's type hold.
        unsafe { work.run::<Self>() }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn opaque(row: Self::Row) -> Self::Row {
        Self::hidden(row)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn opaque_half(half: __m256i) -> __m256i {
        let mut half = half;
        // SAFETY: the assembly is a comment: it has no instructions.
        unsafe { asm!("/* {0} */", inout(ymm_reg) half, options(pure, nomem, nostack, preserves_flags)) };
        half
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn spread<T, const SPAN: usize>(x: Self::Row) -> Self::Row {
        Self::hidden(match SPAN {
            16 => Self::last_of_16::<T>(x).map(|half| _mm256_permute2x128_si256::<0x00>(half, half)),
            32 => {
                let [last, _] = Self::last_of_16::<T>(x);
                [_mm256_permute2x128_si256::<0x11>(last, last); 2]
            }
            _ => Self::shuffled(x, &const { Index::<T, SPAN>::SPREAD.0 }),
        })
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn halves<T, const SPAN: usize>(lower: Self::Row, upper: Self::Row, _: bool) -> Self::Row {
        // The table is a constant, so `upper` is hidden: the compiler must not see which of its lanes are dropped.
        let upper = Self::hidden(upper);
        let table = &const { Index::<T, SPAN>::UPPER.0 };
        Self::hidden([
            _mm256_blendv_epi8(lower[0], upper[0], Self::part(table, 0)),
            _mm256_blendv_epi8(lower[1], upper[1], Self::part(table, 1)),
        ])
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn last<T>(x: Self::Row) -> Self::Row {
        let [_, last] = Self::last_of_16::<T>(x);
        Self::hidden([_mm256_permute2x128_si256::<0x11>(last, last); 2])
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn shifted<T>(before: Self::Row, x: Self::Row) -> Self::Row {
        let shift = |before: __m256i, x: __m256i| {
            let between = _mm256_permute2x128_si256::<0x21>(before, x);
            match size_of::<T>() {
                1 => _mm256_alignr_epi8::<15>(x, between),
                2 => _mm256_alignr_epi8::<14>(x, between),
                4 => _mm256_alignr_epi8::<12>(x, between),
                _ => _mm256_alignr_epi8::<8>(x, between),
            }
        };
        Self::hidden([shift(before[1], x[0]), shift(x[0], x[1])])
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn reversed<T>([low, high]: Self::Row) -> Self::Row {
        let turned = Self::shuffled([high, low], &const { Index::<T, 0>::REVERSED.0 });
        Self::hidden(turned.map(|half| _mm256_permute2x128_si256::<0x01>(half, half)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn two<T, const WHAT: usize>(a: Self::Row, b: Self::Row) -> Self::Row {
        Self::hidden(x86_pairs::by_avx2::<T, WHAT>(a, b))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn transposed<const N: usize>(rows: [Self::Row; N]) -> [Self::Row; N] {
        // SAFETY: the rows have 64 bytes, and there is a row for each lane.
        unsafe {
            if ROW_BYTES == 4 * N {
                std::mem::transmute_copy(&x86_transpose::halves_of_16(std::mem::transmute_copy(&rows)))
            } else {
                std::mem::transmute_copy(&x86_transpose::halves_of_8(std::mem::transmute_copy(&rows)))
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn columns<T: Copy>(from: *const T, stride: usize) -> [__m256i; 8] {
        // SAFETY: eight numbers of each row can be read.
        unsafe { x86_columns::load(from, stride) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn store_columns<T: Copy>(columns: [__m256i; 8], to: *mut T, stride: usize) {
        // SAFETY: eight numbers of each row can be written.
        unsafe { x86_columns::store(columns, to, stride) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn exchange<B: KeyBits>(low: *mut Self::Row, high: *mut Self::Row) {
        // SAFETY: `low` and `high` point to valid rows, which are not the same.
        let (a, b) = unsafe { (low.read(), high.read()) };
        let (mut lesser, mut greater) = (a, b);
        for half in 0..2 {
            let (a, b) = (a[half], b[half]);
            (lesser[half], greater[half]) = if size_of::<B>() == 4 {
                (_mm256_min_epu32(a, b), _mm256_max_epu32(a, b))
            } else {
                let sign = _mm256_set1_epi64x(i64::MIN);
                let is_greater = _mm256_cmpgt_epi64(_mm256_xor_si256(a, sign), _mm256_xor_si256(b, sign));
                (_mm256_blendv_epi8(a, b, is_greater), _mm256_blendv_epi8(b, a, is_greater))
            };
        }
        // SAFETY: `low` and `high` point to valid rows, which are not the same.
        unsafe {
            low.write(lesser);
            high.write(greater);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn bits(bytes: &[u8; ROW_BYTES]) -> u64 {
        let half = |half: usize| {
            // SAFETY: the array has twice 32 bytes.
            let row = unsafe { _mm256_loadu_si256(bytes.as_ptr().add(32 * half).cast()) };
            // The lowest bit of a byte becomes its highest, which is the bit that `movemask` returns.
            u64::from(_mm256_movemask_epi8(_mm256_slli_epi16::<7>(row)) as u32)
        };
        half(0) | half(1) << 32
    }

    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    unsafe fn compress<T>(from: *const u8, mask: u64, to: *mut u8) -> bool {
        // SAFETY: 64 numbers can be read at `from` and written at `to`.
        unsafe { x86_compress::by_avx2::<T>(from, mask, to) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn stream(from: *const u8, to: *mut u8) {
        for at in [0, 32] {
            // SAFETY: a row can be read at `from` and written at `to`, which is aligned. Padding may be uninitialised,
            // which `MaybeUninit` allows.
            unsafe {
                let value = from.add(at).cast::<MaybeUninit<__m256i>>().read_unaligned();
                asm!("vmovntdq [{to}], {value}", to = in(reg) to.add(at), value = in(ymm_reg) value,
                    options(nostack, preserves_flags));
            }
        }
    }
}
