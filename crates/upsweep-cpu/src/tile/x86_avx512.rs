//! Lane operations of AVX-512, and the shuffle tables of AVX-512 and AVX2: constants that the compiler keeps in
//! registers.

use super::lanes::{Lanes, ROW_BYTES, Work};
use super::{x86_columns, x86_compress, x86_numbers, x86_pairs, x86_transpose};
use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;
use upsweep_core::call::recurrence::Coefficient;
use upsweep_core::key::KeyBits;

/// Shuffle tables. Each entry is the source byte of a byte of a row: 0 .. 64 of the first operand, 64 .. 128 of the
/// second.
pub(super) struct Index<T, const SPAN: usize>(std::marker::PhantomData<T>);

#[repr(C, align(64))]
pub(super) struct Table(pub(super) [u8; ROW_BYTES]);

/// Table of the bytes of the lanes `from(0), from(1), ...`. This is a macro, as constant code cannot call a function
/// that is passed to it.
macro_rules! table {
    ($T:ty, $from:expr) => {{
        let mut table = [0; ROW_BYTES];
        let mut i = 0;
        while i < ROW_BYTES {
            let (lane, byte) = (i / size_of::<$T>(), i % size_of::<$T>());
            table[i] = ($from(lane) * size_of::<$T>() + byte) as u8;
            i += 1;
        }
        Table(table)
    }};
}

impl<T, const SPAN: usize> Index<T, SPAN> {
    const LANES: usize = ROW_BYTES / size_of::<T>();
    /// Number of lanes in half of a group: a group is `2 * SPAN` bytes of neighbouring lanes.
    const HALF: usize = if SPAN < size_of::<T>() { 1 } else { SPAN / size_of::<T>() };

    const fn is_upper(lane: usize) -> bool {
        lane / Self::HALF % 2 == 1
    }
    const fn spread(lane: usize) -> usize {
        lane / Self::HALF * Self::HALF + Self::HALF - 1 - if Self::is_upper(lane) { Self::HALF } else { 0 }
    }
    const fn last(_: usize) -> usize {
        Self::LANES - 1
    }
    /// Returns the source of a lane in a shift by one lane: the last lane of the first operand, then the lanes of the
    /// second.
    const fn shifted(lane: usize) -> usize {
        lane + Self::LANES - 1
    }
    /// Returns the source of a lane in a reversal. If elements do not fill a row, the rest of its bytes counts as
    /// another lane, which is unused.
    const fn reversed(lane: usize) -> usize {
        (2 * Self::LANES - 1 - lane) % Self::LANES
    }

    pub(super) const SPREAD: Table = table!(T, Self::spread);
    pub(super) const LAST: Table = table!(T, Self::last);
    pub(super) const SHIFTED: Table = table!(T, Self::shifted);
    pub(super) const REVERSED: Table = table!(T, Self::reversed);
    /// Mask of a row: 255 for the bytes of the upper half of each group of `2 * SPAN` bytes, and 0 for the others.
    pub(super) const UPPER: Table = {
        let mut table = [0; ROW_BYTES];
        let mut i = 0;
        while i < ROW_BYTES {
            table[i] = if Self::is_upper(i / size_of::<T>()) { 255 } else { 0 };
            i += 1;
        }
        Table(table)
    };
}

impl Table {
    /// Converts the table to indices of words of 4 bytes.
    const fn words(&self) -> [i32; 16] {
        let mut words = [0; 16];
        let mut i = 0;
        while i < 16 {
            words[i] = self.0[4 * i] as i32 / 4;
            i += 1;
        }
        words
    }

    /// Converts the table to a bit mask: a bit for each lane of `lane` bytes.
    const fn bits(&self, lane: usize) -> u64 {
        let mut bits = 0;
        let mut i = 0;
        while i < ROW_BYTES / lane {
            bits |= ((self.0[i * lane] & 1) as u64) << i;
            i += 1;
        }
        bits
    }
}

pub(crate) struct Avx512;

#[inline(always)]
fn same(row: __m512i) -> __m512i {
    row
}

impl Avx512 {
    /// Permutes a row by one instruction. LLVM, which knows the table, would choose two or three instructions with
    /// tables of their own.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn permuted<T>(x: __m512i, index: &Table) -> __m512i {
        let row;
        // SAFETY: rows and tables are 64 bytes.
        unsafe {
            if size_of::<T>() >= 4 {
                let index = std::mem::transmute::<[i32; 16], __m512i>(index.words());
                asm!("vpermd {row}, {index}, {x}", row = lateout(zmm_reg) row, index = in(zmm_reg) index, x = in(zmm_reg) x,
                    options(pure, nomem, nostack, preserves_flags));
            } else {
                let index = std::mem::transmute::<[u8; 64], __m512i>(index.0);
                asm!("vpermb {row}, {index}, {x}", row = lateout(zmm_reg) row, index = in(zmm_reg) index, x = in(zmm_reg) x,
                    options(pure, nomem, nostack, preserves_flags));
            }
        }
        row
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn hidden(row: __m512i) -> __m512i {
        let mut row = row;
        // SAFETY: the assembly is a comment: it has no instructions.
        unsafe { asm!("/* {0} */", inout(zmm_reg) row, options(pure, nomem, nostack, preserves_flags)) };
        row
    }
}

impl Lanes for Avx512 {
    type Row = __m512i;
    type Half = __m256i;

    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,popcnt,bmi1,bmi2")]
    unsafe fn call<W: Work>(work: W) -> W::Result {
        // SAFETY: the processor has the instructions for which this function is compiled, and the conditions of the
        // work's type hold.
        unsafe { work.run::<Self>() }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn opaque(row: __m512i) -> __m512i {
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
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn spread<T, const SPAN: usize>(x: __m512i) -> __m512i {
        if SPAN >= 16 {
            return Self::permuted::<T>(x, &const { Index::<T, SPAN>::SPREAD });
        }
        let table = const {
            let mut table = Index::<T, SPAN>::SPREAD.0;
            let mut i = 0;
            while i < ROW_BYTES {
                table[i] %= 16;
                i += 1;
            }
            table
        };
        let row;
        // SAFETY: the table and a row are 64 bytes.
        unsafe {
            let table = std::mem::transmute::<[u8; 64], __m512i>(table);
            asm!("vpshufb {row}, {x}, {table}", row = lateout(zmm_reg) row, table = in(zmm_reg) table, x = in(zmm_reg) x,
                options(pure, nomem, nostack, preserves_flags));
        }
        row
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn halves<T, const SPAN: usize>(lower: __m512i, upper: __m512i, floats: bool) -> __m512i {
        // The mask is hidden from the compiler. So the compiler merges the blend into the instruction that computes
        // `upper`, as a masked instruction, and does not see which lanes are dropped. It does so only if both have the
        // same type.
        macro_rules! blended {
            ($mask:ty, $blend:ident($cast:ident, $back:ident)) => {{
                let mut mask = const { Index::<T, SPAN>::UPPER.bits(size_of::<T>()) as $mask };
                asm!("/* {0} */", inout(kreg) mask, options(pure, nomem, nostack, preserves_flags));
                $back($blend(mask, $cast(lower), $cast(upper)))
            }};
        }
        // SAFETY: the assembly of `blended` is a comment: it has no instructions.
        Self::hidden(unsafe {
            match (size_of::<T>(), floats) {
                (1, _) => blended!(u64, _mm512_mask_blend_epi8(same, same)),
                (2, _) => blended!(u32, _mm512_mask_blend_epi16(same, same)),
                (4, false) => blended!(u16, _mm512_mask_blend_epi32(same, same)),
                (4, true) => blended!(u16, _mm512_mask_blend_ps(_mm512_castsi512_ps, _mm512_castps_si512)),
                (_, false) => blended!(u8, _mm512_mask_blend_epi64(same, same)),
                (_, true) => blended!(u8, _mm512_mask_blend_pd(_mm512_castsi512_pd, _mm512_castpd_si512)),
            }
        })
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn last<T>(x: __m512i) -> __m512i {
        Self::permuted::<T>(x, &const { Index::<T, 0>::LAST })
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn shifted<T>(before: __m512i, x: __m512i) -> __m512i {
        let index = const { Index::<T, 0>::SHIFTED };
        // SAFETY: the table and a row are 64 bytes.
        Self::hidden(unsafe {
            if size_of::<T>() >= 4 {
                let words = std::mem::transmute::<[i32; 16], __m512i>(index.words());
                _mm512_permutex2var_epi32(before, words, x)
            } else {
                _mm512_permutex2var_epi8(before, std::mem::transmute::<[u8; 64], __m512i>(index.0), x)
            }
        })
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn reversed<T>(x: __m512i) -> __m512i {
        Self::permuted::<T>(x, &const { Index::<T, 0>::REVERSED })
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn two<T, const WHAT: usize>(a: __m512i, b: __m512i) -> __m512i {
        Self::hidden(x86_pairs::by_avx512::<T, WHAT>(a, b))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn bits(bytes: &[u8; ROW_BYTES]) -> u64 {
        // SAFETY: the array has 64 bytes.
        let row = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
        _mm512_test_epi8_mask(row, row)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    unsafe fn compress<T>(from: *const u8, mask: u64, to: *mut u8) -> bool {
        // SAFETY: 64 numbers can be read at `from` and written at `to`.
        unsafe { x86_compress::by_avx512::<T>(from, mask, to) }
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
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn transposed<const N: usize>(rows: [__m512i; N]) -> [__m512i; N] {
        // SAFETY: the rows have 64 bytes, and there is a row for each lane.
        unsafe {
            if ROW_BYTES == 4 * N {
                std::mem::transmute_copy(&x86_transpose::of_16(std::mem::transmute_copy(&rows)))
            } else {
                std::mem::transmute_copy(&x86_transpose::of_8(std::mem::transmute_copy(&rows)))
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn exchange<B: KeyBits>(low: *mut __m512i, high: *mut __m512i) {
        // SAFETY: `low` and `high` point to valid rows, which are not the same.
        unsafe {
            let (a, b) = (low.read(), high.read());
            let four = size_of::<B>() == 4;
            low.write(if four { _mm512_min_epu32(a, b) } else { _mm512_min_epu64(a, b) });
            high.write(if four { _mm512_max_epu32(a, b) } else { _mm512_max_epu64(a, b) });
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn plus<C: Coefficient>(a: __m512i, b: __m512i) -> __m512i {
        x86_numbers::plus::<C>(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn times<C: Coefficient>(a: __m512i, b: __m512i) -> __m512i {
        x86_numbers::times::<C>(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    unsafe fn canonical<C: Coefficient>(a: __m512i) -> __m512i {
        x86_numbers::canonical::<C>(a)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn stream(from: *const u8, to: *mut u8) {
        // SAFETY: a row can be read at `from` and written at `to`, which is aligned. Padding may be uninitialised,
        // which `MaybeUninit` allows.
        unsafe {
            let value = from.cast::<MaybeUninit<__m512i>>().read_unaligned();
            asm!("vmovntdq [{to}], {value}", to = in(reg) to, value = in(zmm_reg) value,
                options(nostack, preserves_flags));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks tables of elements of odd sizes: the compiler makes tables for every element whose scan it compiles, also
    /// for those that are never in rows.
    #[test]
    fn there_are_tables_of_elements_of_every_size() {
        fn check<const SIZE: usize>() {
            let lanes = ROW_BYTES / SIZE;
            let table = const { Index::<[u8; SIZE], 0>::REVERSED };
            for (i, from) in table.0[..lanes * SIZE].iter().enumerate() {
                assert_eq!(usize::from(*from), (lanes - 1 - i / SIZE) * SIZE + i % SIZE, "{SIZE}: {i}");
            }
            let others = const {
                [Index::<[u8; SIZE], 0>::LAST, Index::<[u8; SIZE], 0>::SHIFTED, Index::<[u8; SIZE], 1>::SPREAD]
            };
            assert!(others.iter().all(|table| table.0.len() == ROW_BYTES));
        }
        check::<1>();
        check::<3>();
        check::<8>();
        check::<12>();
        check::<24>();
        check::<33>();
        check::<40>();
        check::<63>();
        check::<64>();
    }
}
