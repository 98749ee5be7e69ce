//! Rows of 64 bytes in registers, and the shuffles that scan them.
//!
//! A row holds the elements of a `T` of 1, 2, 4 or 8 bytes, its *lanes*, the first at the lowest address. Shuffles are
//! named by what they do to the halves of groups of neighbouring lanes; `SPAN` is the bytes of a half.
//!
//! Between two shuffles the operator is applied to whole rows by a plain loop, which LLVM vectorises. But it would then
//! undo the rows: seeing which lane goes where, it takes them for many scalars. An empty assembly statement hides that:
//! see [`Lanes::opaque`].

use std::mem::MaybeUninit;

/// The bytes of a row.
pub(super) const ROW_BYTES: usize = 64;

/// An instruction set's way with rows.
///
/// # Safety
/// All functions but [`stream`](Lanes::stream) are safe where the processor has the instruction set, and `T` is a plain
/// value of 1, 2, 4 or 8 bytes in a row.
pub(super) trait Lanes {
    /// 64 bytes.
    type Row: Copy;

    /// The same row; what it is made of is not known to the compiler any more.
    unsafe fn opaque(row: Self::Row) -> Self::Row;

    /// `x` with every lane of the upper half of each group replaced by the last lane of the group's lower half. Lanes of
    /// lower halves have the value of some lane.
    unsafe fn spread<T, const SPAN: usize>(x: Self::Row) -> Self::Row;

    /// The lower halves of `lower` and the upper halves of `upper`.
    unsafe fn halves<T, const SPAN: usize>(lower: Self::Row, upper: Self::Row) -> Self::Row;

    /// The last lane of `x` in every lane.
    unsafe fn last<T>(x: Self::Row) -> Self::Row;

    /// The last lane of `before`, and all of `x` but the last.
    unsafe fn shifted<T>(before: Self::Row, x: Self::Row) -> Self::Row;

    /// The lanes of `x` from the last to the first.
    unsafe fn reversed<T>(x: Self::Row) -> Self::Row;

    /// Copies a row to memory by a non-temporal store, where the processor has one.
    ///
    /// # Safety
    /// `from` is valid for reads and `to` for writes of 64 bytes, and `to` is aligned to as many. Nothing reads it before
    /// this thread has called `store::fence`.
    unsafe fn stream(from: *const u8, to: *mut u8);
}

/// What every processor can do: lanes one after the other.
pub(super) struct Portable;

/// A row as memory.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Bytes([MaybeUninit<u8>; ROW_BYTES]);

impl Bytes {
    /// The row whose lane `i` is `lane(i)`.
    #[inline(always)]
    fn of<T>(lane: impl Fn(usize) -> T) -> Self {
        let mut row = Self([MaybeUninit::uninit(); ROW_BYTES]);
        for i in 0..ROW_BYTES / size_of::<T>() {
            // SAFETY: the lane is in the row.
            unsafe { (&raw mut row.0).cast::<T>().add(i).write(lane(i)) };
        }
        row
    }

    /// # Safety
    /// The row has a `T` at lane `i`.
    #[inline(always)]
    unsafe fn lane<T>(&self, i: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { (&raw const self.0).cast::<T>().add(i).read() }
    }
}

impl Lanes for Portable {
    type Row = Bytes;

    #[inline(always)]
    unsafe fn opaque(row: Bytes) -> Bytes {
        row
    }

    #[inline(always)]
    unsafe fn spread<T, const SPAN: usize>(x: Bytes) -> Bytes {
        let half = SPAN / size_of::<T>();
        // SAFETY: the index is that of a lane.
        Bytes::of(|i| unsafe { x.lane::<T>(i / half * half + half - 1 - i / half % 2 * half) })
    }

    #[inline(always)]
    unsafe fn halves<T, const SPAN: usize>(lower: Bytes, upper: Bytes) -> Bytes {
        let half = SPAN / size_of::<T>();
        // SAFETY: the index is that of a lane.
        Bytes::of(|i| unsafe { if (i / half).is_multiple_of(2) { lower.lane::<T>(i) } else { upper.lane::<T>(i) } })
    }

    #[inline(always)]
    unsafe fn last<T>(x: Bytes) -> Bytes {
        // SAFETY: the index is that of a lane.
        Bytes::of(|_| unsafe { x.lane::<T>(ROW_BYTES / size_of::<T>() - 1) })
    }

    #[inline(always)]
    unsafe fn shifted<T>(before: Bytes, x: Bytes) -> Bytes {
        let last = ROW_BYTES / size_of::<T>() - 1;
        // SAFETY: the indices are those of lanes.
        Bytes::of(|i| unsafe { if i == 0 { before.lane::<T>(last) } else { x.lane::<T>(i - 1) } })
    }

    #[inline(always)]
    unsafe fn reversed<T>(x: Bytes) -> Bytes {
        // SAFETY: the index is that of a lane.
        Bytes::of(|i| unsafe { x.lane::<T>(ROW_BYTES / size_of::<T>() - 1 - i) })
    }

    #[inline(always)]
    unsafe fn stream(from: *const u8, to: *mut u8) {
        #[cfg(target_arch = "x86_64")]
        for at in (0..ROW_BYTES).step_by(16) {
            use std::arch::{asm, x86_64::__m128i};
            // SAFETY: the caller's promise; padding may be uninitialised, which `MaybeUninit` allows. SSE2 is part of the
            // x86-64 baseline.
            unsafe {
                let value = from.add(at).cast::<MaybeUninit<__m128i>>().read_unaligned();
                asm!("movntdq [{to}], {value}", to = in(reg) to.add(at), value = in(xmm_reg) value,
                    options(nostack, preserves_flags));
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        // SAFETY: the caller's promise.
        unsafe {
            from.cast::<Bytes>().read_unaligned().0.as_ptr().copy_to_nonoverlapping(to.cast(), ROW_BYTES);
        }
    }
}

#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
pub(super) use x86::{Avx2, Avx512};

/// The index tables are constants that the compiler keeps in registers.
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
mod x86 {
    use super::{Lanes, MaybeUninit, ROW_BYTES};
    use std::arch::asm;
    use std::arch::x86_64::*;

    /// For each byte of a row, the byte to take: 0 .. 64 of the first operand, 64 .. 128 of the second.
    struct Index<T, const SPAN: usize>(std::marker::PhantomData<T>);

    #[repr(C, align(64))]
    struct Table<I>([I; ROW_BYTES]);

    impl<T, const SPAN: usize> Index<T, SPAN> {
        const SIZE: usize = size_of::<T>();
        const SPREAD: Table<u8> = Self::table(0);
        const LAST: Table<u8> = Self::table(1);
        const SHIFTED: Table<u8> = Self::table(2);
        const REVERSED: Table<u8> = Self::table(3);
        /// All bits of the bytes of upper halves.
        const UPPER: Table<u8> = Self::table(4);

        const fn table(kind: usize) -> Table<u8> {
            let mut table = [0; ROW_BYTES];
            let mut i = 0;
            while i < ROW_BYTES {
                let (lane, byte, lanes) = (i / Self::SIZE, i % Self::SIZE, ROW_BYTES / Self::SIZE);
                let half = if SPAN < Self::SIZE { 1 } else { SPAN / Self::SIZE };
                let upper = lane / half % 2 == 1;
                let from = match kind {
                    0 => lane / half * half + half - 1 - if upper { half } else { 0 },
                    1 => lanes - 1,
                    2 => lane + lanes - 1,
                    _ => lanes - 1 - lane,
                };
                let value = match kind {
                    4 if upper => 255,
                    4 => 0,
                    // Shifting takes lanes from the end of one row on into the next.
                    _ => from * Self::SIZE + byte,
                };
                table[i] = value as u8;
                i += 1;
            }
            Table(table)
        }
    }

    impl Table<u8> {
        /// The same as indices of 4 bytes.
        const fn words(&self) -> [i32; 16] {
            let mut words = [0; 16];
            let mut i = 0;
            while i < 16 {
                words[i] = self.0[4 * i] as i32 / 4;
                i += 1;
            }
            words
        }

        /// A bit a byte.
        const fn bits(&self) -> u64 {
            let mut bits = 0;
            let mut i = 0;
            while i < ROW_BYTES {
                bits |= ((self.0[i] & 1) as u64) << i;
                i += 1;
            }
            bits
        }
    }

    pub(in crate::cpu) struct Avx512;

    impl Avx512 {
        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
        fn permuted<T>(x: __m512i, index: &Table<u8>) -> __m512i {
            // SAFETY: rows and tables are 64 bytes.
            unsafe {
                if size_of::<T>() >= 4 {
                    _mm512_permutexvar_epi32(std::mem::transmute::<[i32; 16], __m512i>(index.words()), x)
                } else {
                    _mm512_permutexvar_epi8(std::mem::transmute::<[u8; 64], __m512i>(index.0), x)
                }
            }
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        fn hidden(row: __m512i) -> __m512i {
            let mut row = row;
            // SAFETY: the statement is empty.
            unsafe { asm!("/* {0} */", inout(zmm_reg) row, options(pure, nomem, nostack, preserves_flags)) };
            row
        }
    }

    impl Lanes for Avx512 {
        type Row = __m512i;

        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn opaque(row: __m512i) -> __m512i {
            Self::hidden(row)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
        unsafe fn spread<T, const SPAN: usize>(x: __m512i) -> __m512i {
            Self::hidden(if SPAN < 16 {
                let table = const {
                    let mut table = Index::<T, SPAN>::SPREAD.0;
                    let mut i = 0;
                    while i < ROW_BYTES {
                        table[i] %= 16;
                        i += 1;
                    }
                    table
                };
                // SAFETY: both are 64 bytes.
                _mm512_shuffle_epi8(x, unsafe { std::mem::transmute::<[u8; 64], __m512i>(table) })
            } else {
                Self::permuted::<T>(x, &const { Index::<T, SPAN>::SPREAD })
            })
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw")]
        unsafe fn halves<T, const SPAN: usize>(lower: __m512i, upper: __m512i) -> __m512i {
            let bits = const { Index::<T, SPAN>::UPPER.bits() };
            Self::hidden(_mm512_mask_blend_epi8(bits, lower, upper))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
        unsafe fn last<T>(x: __m512i) -> __m512i {
            Self::hidden(Self::permuted::<T>(x, &const { Index::<T, 0>::LAST }))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
        unsafe fn shifted<T>(before: __m512i, x: __m512i) -> __m512i {
            let index = const { Index::<T, 0>::SHIFTED };
            // SAFETY: both are 64 bytes.
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
            Self::hidden(Self::permuted::<T>(x, &const { Index::<T, 0>::REVERSED }))
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn stream(from: *const u8, to: *mut u8) {
            // SAFETY: the caller's promise; padding may be uninitialised, which `MaybeUninit` allows.
            unsafe {
                let value = from.cast::<MaybeUninit<__m512i>>().read_unaligned();
                asm!("vmovntdq [{to}], {value}", to = in(reg) to, value = in(zmm_reg) value,
                    options(nostack, preserves_flags));
            }
        }
    }

    pub(in crate::cpu) struct Avx2;

    impl Avx2 {
        /// Bytes `16 k .. 16 k + 16` of a table.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn part(table: &[u8; ROW_BYTES], part: usize) -> __m256i {
            // SAFETY: the part is in the table.
            unsafe { _mm256_loadu_si256(table.as_ptr().add(32 * part).cast()) }
        }

        /// In each 16 bytes of `x`, the bytes that the table says, modulo 16.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn shuffled([low, high]: [__m256i; 2], table: &[u8; ROW_BYTES]) -> [__m256i; 2] {
            let modulo = _mm256_set1_epi8(15);
            [
                _mm256_shuffle_epi8(low, _mm256_and_si256(Self::part(table, 0), modulo)),
                _mm256_shuffle_epi8(high, _mm256_and_si256(Self::part(table, 1), modulo)),
            ]
        }

        /// The last lane of each 16 bytes in all of them.
        #[inline]
        #[target_feature(enable = "avx2")]
        fn last_of_16<T>(x: [__m256i; 2]) -> [__m256i; 2] {
            Self::shuffled(x, &const { Index::<T, 0>::LAST.0 })
        }

        #[inline]
        #[target_feature(enable = "avx2")]
        fn hidden([low, high]: [__m256i; 2]) -> [__m256i; 2] {
            let (mut low, mut high) = (low, high);
            // SAFETY: the statement is empty.
            unsafe {
                asm!("/* {0} {1} */", inout(ymm_reg) low, inout(ymm_reg) high,
                    options(pure, nomem, nostack, preserves_flags));
            }
            [low, high]
        }
    }

    impl Lanes for Avx2 {
        type Row = [__m256i; 2];

        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn opaque(row: Self::Row) -> Self::Row {
            Self::hidden(row)
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
        unsafe fn halves<T, const SPAN: usize>(lower: Self::Row, upper: Self::Row) -> Self::Row {
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
        unsafe fn stream(from: *const u8, to: *mut u8) {
            for at in [0, 32] {
                // SAFETY: the caller's promise; padding may be uninitialised, which `MaybeUninit` allows.
                unsafe {
                    let value = from.add(at).cast::<MaybeUninit<__m256i>>().read_unaligned();
                    asm!("vmovntdq [{to}], {value}", to = in(reg) to.add(at), value = in(ymm_reg) value,
                        options(nostack, preserves_flags));
                }
            }
        }
    }
}
