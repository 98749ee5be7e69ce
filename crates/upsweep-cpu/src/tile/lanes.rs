//! Lane operations of an instruction set: rows of 64 bytes in registers, and the shuffles of a scan.
//!
//! The *lanes* of a row are elements `T` of 1, 2, 4 or 8 bytes, the first at the lowest address. A shuffle is named
//! after its effect on the halves of groups of neighbouring lanes; `SPAN` is the size of a half in bytes.
//!
//! Between two shuffles a plain loop applies the operator to whole rows, and LLVM vectorises it. But if LLVM sees which
//! lane a shuffle moves where, it splits the rows into many scalars. An empty assembly statement hides the shuffles:
//! see [`Lanes::opaque`].

use std::mem::MaybeUninit;
use upsweep_core::call::recurrence::Coefficient;
use upsweep_core::key::KeyBits;

/// Bytes of a row: a vector register of AVX-512, or a cache line.
pub(crate) const ROW_BYTES: usize = 64;

/// Kernel with its arguments.
pub(crate) trait Work {
    type Result;
    /// Runs the kernel. Implementations are `#[inline(always)]`, and so are all functions they call except
    /// [`Lanes::call`].
    ///
    /// # Safety
    /// The processor has the instructions of `L`. The type that implements this may add conditions.
    unsafe fn run<L: Lanes>(self) -> Self::Result;
}

/// Selection of [`Lanes::two`]: the lanes 0, 2, 4 .. of two rows, or the lanes 1, 3, 5 ..
pub(crate) const EVENS: usize = 0;
pub(crate) const ODDS: usize = 1;
/// Selection of [`Lanes::two`]: the lower halves of two rows interleaved, starting with the first row, or the upper
/// halves.
pub(crate) const LOWER: usize = 2;
pub(crate) const UPPER: usize = 3;
/// Selection of [`Lanes::two`]: all lanes of the first row but its first, then the first lane of the second row.
pub(crate) const AFTER: usize = 4;

/// Returns the source of lane `i` in selection `what`: an index into the lanes of two rows of `lanes` lanes each.
#[inline(always)]
pub(crate) const fn taken(what: usize, lanes: usize, i: usize) -> usize {
    match what {
        EVENS => 2 * i,
        ODDS => 2 * i + 1,
        LOWER => i / 2 + i % 2 * lanes,
        UPPER => lanes / 2 + i / 2 + i % 2 * lanes,
        _ => i + 1,
    }
}

/// Operations of an instruction set on rows.
///
/// # Safety
/// The processor has the instruction set, and `T` is a plain value of 1, 2, 4 or 8 bytes in a row.
/// Functions may add conditions.
pub(crate) trait Lanes {
    /// Row of 64 bytes.
    type Row: Copy;

    /// Half a row.
    type Half: Copy;

    /// Whether a row is memory, not registers. Code for every lane of a row is large. So operations on many rows in
    /// turn are then functions of their own: inlined, they would be most of the compiled code.
    const IN_MEMORY: bool = false;

    /// Runs `work` in a function of its own, compiled once for this instruction set.
    ///
    /// # Safety
    /// The processor has the instruction set, and the conditions of the type of `work` hold.
    unsafe fn call<W: Work>(work: W) -> W::Result;

    /// Returns `row`, and hides from the compiler how it was computed.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn opaque(row: Self::Row) -> Self::Row;

    /// [`opaque`](Lanes::opaque) of half a row.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn opaque_half(half: Self::Half) -> Self::Half;

    /// Returns `x` with every lane of the upper half of each group of `2 * SPAN` bytes replaced by the last lane of the
    /// group's lower half. The lanes of lower halves are unspecified: each has the value of some lane.
    ///
    /// # Safety
    /// The processor has the instruction set, and a row consists of values `T`.
    unsafe fn spread<T, const SPAN: usize>(x: Self::Row) -> Self::Row;

    /// Returns the lower halves of `lower` and the upper halves of `upper`, of each group of `2 * SPAN` bytes.
    /// `floats`: whether `upper` was computed by float instructions, not integer ones.
    ///
    /// # Safety
    /// The processor has the instruction set, and a row consists of values `T`.
    unsafe fn halves<T, const SPAN: usize>(lower: Self::Row, upper: Self::Row, floats: bool) -> Self::Row;

    /// Returns the last lane of `x` in every lane.
    ///
    /// # Safety
    /// The processor has the instruction set, and a row consists of values `T`.
    unsafe fn last<T>(x: Self::Row) -> Self::Row;

    /// Returns the last lane of `before`, followed by all lanes of `x` but its last.
    ///
    /// # Safety
    /// The processor has the instruction set, and a row consists of values `T`.
    unsafe fn shifted<T>(before: Self::Row, x: Self::Row) -> Self::Row;

    /// Returns the lanes of `x` in reverse order.
    ///
    /// # Safety
    /// The processor has the instruction set, and a row consists of values `T`.
    unsafe fn reversed<T>(x: Self::Row) -> Self::Row;

    /// Returns the selection `WHAT` of the lanes of `a` and `b`, of 4 or 8 bytes: lane `i` has the source [`taken`].
    ///
    /// # Safety
    /// The processor has the instruction set, and a row consists of values `T`.
    unsafe fn two<T, const WHAT: usize>(a: Self::Row, b: Self::Row) -> Self::Row;

    /// Returns a mask of 64 bytes that are each 0 or 1: bit `i` is byte `i`.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    unsafe fn bits(bytes: &[u8; ROW_BYTES]) -> u64 {
        // Eight bytes at a time: the highest byte of the product has their lowest bits side by side.
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let (eights, _) = bytes.as_chunks::<8>();
        eights.iter().rev().fold(0, |bits, &eight| bits << 8 | u64::from_le_bytes(eight).wrapping_mul(GATHER) >> 56)
    }

    /// Compacts 64 values: copies those whose bits are set in `mask` to `to`, side by side. Up to 64 values may be
    /// written. Returns `false`, and copies nothing, if the set has no instructions for it.
    ///
    /// # Safety
    /// `from` is valid for reads and `to` for writes of 64 values. The values are numbers.
    #[inline(always)]
    unsafe fn compress<T>(_from: *const u8, _mask: u64, _to: *mut u8) -> bool {
        false
    }

    /// Transposes a square of numbers of 4 or 8 bytes: row `i` of the result has lane `i` of each row.
    ///
    /// # Safety
    /// The processor has the instruction set, and a row has `N` lanes of 4 or 8 bytes.
    #[inline(always)]
    unsafe fn transposed<const N: usize>(rows: [Self::Row; N]) -> [Self::Row; N] {
        // SAFETY: a row has `N` lanes, and there are `N` rows.
        unsafe { if ROW_BYTES == 4 * N { by_lane::<_, u32, N>(rows) } else { by_lane::<_, u64, N>(rows) } }
    }

    /// Returns eight columns of a matrix of numbers of 4 or 8 bytes, of as many rows as half a row has lanes. The rows are
    /// `stride` numbers apart.
    ///
    /// # Safety
    /// The processor has the instruction set, and eight numbers of each row can be read.
    #[inline(always)]
    unsafe fn columns<T: Copy>(from: *const T, stride: usize) -> [Self::Half; 8] {
        let mut columns = MaybeUninit::<[Self::Half; 8]>::uninit();
        let (to, lanes) = (columns.as_mut_ptr().cast::<T>(), ROW_BYTES / 2 / size_of::<T>());
        // SAFETY: the numbers are in the rows, and lane `r` in column `c`. All lanes are written.
        unsafe {
            for c in 0..8 {
                for r in 0..lanes {
                    to.add(c * lanes + r).write(from.add(r * stride + c).read());
                }
            }
            columns.assume_init()
        }
    }

    /// Stores eight columns of a matrix: the inverse of [`columns`](Lanes::columns).
    ///
    /// # Safety
    /// The processor has the instruction set, and eight numbers of each row can be written.
    #[inline(always)]
    unsafe fn store_columns<T: Copy>(columns: [Self::Half; 8], to: *mut T, stride: usize) {
        let (from, lanes) = ((&raw const columns).cast::<T>(), ROW_BYTES / 2 / size_of::<T>());
        for r in 0..lanes {
            for c in 0..8 {
                // SAFETY: lane `r` is in column `c`, and the numbers are in the rows.
                unsafe { to.add(r * stride + c).write(from.add(c * lanes + r).read()) };
            }
        }
    }

    /// Compares and exchanges lane by lane: of two numbers of 4 or 8 bytes the lesser goes to `low` and the greater to
    /// `high`.
    ///
    /// # Safety
    /// `low` and `high` are valid and distinct rows.
    unsafe fn exchange<B: KeyBits>(low: *mut Self::Row, high: *mut Self::Row);

    /// Returns the sums of the lanes of two rows of numbers `C`.
    ///
    /// # Safety
    /// The processor has the instruction set, and a row consists of numbers `C`.
    #[inline(always)]
    unsafe fn plus<C: Coefficient>(a: Self::Row, b: Self::Row) -> Self::Row {
        // SAFETY: the rows consist of numbers `C`.
        unsafe { each_lane(a, b, C::plus) }
    }

    /// Returns the products of the lanes of two rows of numbers `C`.
    ///
    /// # Safety
    /// The processor has the instruction set, and a row consists of numbers `C`.
    #[inline(always)]
    unsafe fn times<C: Coefficient>(a: Self::Row, b: Self::Row) -> Self::Row {
        // SAFETY: the rows consist of numbers `C`.
        unsafe { each_lane(a, b, C::times) }
    }

    /// Returns the lanes of a row of numbers `C` in the form in which they are stored.
    ///
    /// # Safety
    /// The processor has the instruction set, and a row consists of numbers `C`.
    #[inline(always)]
    unsafe fn canonical<C: Coefficient>(a: Self::Row) -> Self::Row {
        // SAFETY: the rows consist of numbers `C`.
        unsafe { each_lane(a, a, |x: C, _| x.canonical()) }
    }

    /// Copies a row to memory by a non-temporal store, where the processor has one.
    ///
    /// # Safety
    /// `from` is valid for reads and `to` for writes of 64 bytes, and `to` is aligned to 64 bytes. Nothing reads `to`
    /// before this thread has called `store::fence`.
    unsafe fn stream(from: *const u8, to: *mut u8);
}

/// Applies an operator to two rows, lane by lane.
///
/// # Safety
/// `R` is a row of plain values `T`.
#[inline(always)]
unsafe fn each_lane<R: Copy, T: Copy>(a: R, b: R, operator: impl Fn(T, T) -> T) -> R {
    let mut row = a;
    for i in 0..size_of::<R>() / size_of::<T>() {
        // SAFETY: `R` is a row of values `T`, and `i` is the index of a lane.
        unsafe {
            let (a, b) = ((&raw const a).cast::<T>().add(i).read(), (&raw const b).cast::<T>().add(i).read());
            (&raw mut row).cast::<T>().add(i).write(operator(a, b));
        }
    }
    row
}

/// Transposes a square of `N` rows lane by lane.
///
/// # Safety
/// `R` is a row of `N` plain values `T`.
#[inline(always)]
unsafe fn by_lane<R: Copy, T: Copy, const N: usize>(rows: [R; N]) -> [R; N] {
    let mut square = rows;
    let (from, to) = ((&raw const rows).cast::<T>(), (&raw mut square).cast::<T>());
    for i in 0..N {
        for j in 0..N {
            // SAFETY: `R` is a row of `N` values `T`, and `i` and `j` are less than `N`.
            unsafe { to.add(j * N + i).write(from.add(i * N + j).read()) };
        }
    }
    square
}

/// Portable fallback for every processor: loops over lanes.
pub(crate) struct Portable;

/// Row in memory.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Bytes([MaybeUninit<u8>; ROW_BYTES]);

impl Bytes {
    /// Returns the row whose lane `i` is `lane(i)`.
    #[inline(always)]
    fn of<T>(lane: impl Fn(usize) -> T) -> Self {
        let mut row = Self([MaybeUninit::uninit(); ROW_BYTES]);
        for i in 0..ROW_BYTES / size_of::<T>() {
            // SAFETY: `i` is less than the number of lanes.
            unsafe { (&raw mut row.0).cast::<T>().add(i).write(lane(i)) };
        }
        row
    }

    /// Returns lane `i`.
    ///
    /// # Safety
    /// The row has a `T` at lane `i`.
    #[inline(always)]
    unsafe fn lane<T>(&self, i: usize) -> T {
        // SAFETY: the row has a `T` at lane `i`.
        unsafe { (&raw const self.0).cast::<T>().add(i).read() }
    }
}

/// Half a row in memory.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct HalfBytes([MaybeUninit<u8>; ROW_BYTES / 2]);

impl Lanes for Portable {
    type Row = Bytes;
    type Half = HalfBytes;

    // On other processors this is the only set, so its code is inlined to be fast.
    const IN_MEMORY: bool = cfg!(any(target_arch = "x86_64", feature = "small-loops"));

    #[inline(never)]
    unsafe fn call<W: Work>(work: W) -> W::Result {
        // SAFETY: every processor has these instructions, and the conditions of the work's type hold.
        unsafe { work.run::<Self>() }
    }

    #[inline(always)]
    unsafe fn opaque(row: Bytes) -> Bytes {
        row
    }

    #[inline(always)]
    unsafe fn opaque_half(half: HalfBytes) -> HalfBytes {
        half
    }

    #[inline(always)]
    unsafe fn spread<T, const SPAN: usize>(x: Bytes) -> Bytes {
        let half = SPAN / size_of::<T>();
        // SAFETY: the index is less than the number of lanes.
        Bytes::of(|i| unsafe { x.lane::<T>(i / half * half + half - 1 - i / half % 2 * half) })
    }

    #[inline(always)]
    unsafe fn halves<T, const SPAN: usize>(lower: Bytes, upper: Bytes, _: bool) -> Bytes {
        let half = SPAN / size_of::<T>();
        // SAFETY: the index is less than the number of lanes.
        Bytes::of(|i| unsafe { if (i / half).is_multiple_of(2) { lower.lane::<T>(i) } else { upper.lane::<T>(i) } })
    }

    /// Compares and exchanges lane by lane. Not inlined, as a sorting network has many exchanges.
    #[inline(never)]
    unsafe fn exchange<B: KeyBits>(low: *mut Bytes, high: *mut Bytes) {
        // SAFETY: `low` and `high` are valid and distinct rows.
        unsafe {
            let (a, b) = (low.read(), high.read());
            low.write(each_lane(a, b, B::min));
            high.write(each_lane(a, b, B::max));
        }
    }

    #[inline(always)]
    unsafe fn last<T>(x: Bytes) -> Bytes {
        // SAFETY: the index is less than the number of lanes.
        Bytes::of(|_| unsafe { x.lane::<T>(ROW_BYTES / size_of::<T>() - 1) })
    }

    #[inline(always)]
    unsafe fn shifted<T>(before: Bytes, x: Bytes) -> Bytes {
        let last = ROW_BYTES / size_of::<T>() - 1;
        // SAFETY: the indices are less than the number of lanes.
        Bytes::of(|i| unsafe { if i == 0 { before.lane::<T>(last) } else { x.lane::<T>(i - 1) } })
    }

    #[inline(always)]
    unsafe fn reversed<T>(x: Bytes) -> Bytes {
        // SAFETY: the index is less than the number of lanes.
        Bytes::of(|i| unsafe { x.lane::<T>(ROW_BYTES / size_of::<T>() - 1 - i) })
    }

    #[inline(always)]
    unsafe fn two<T, const WHAT: usize>(a: Bytes, b: Bytes) -> Bytes {
        let lanes = ROW_BYTES / size_of::<T>();
        Bytes::of(|i| {
            let from = taken(WHAT, lanes, i);
            // SAFETY: the index is less than the number of lanes.
            unsafe { if from < lanes { a.lane::<T>(from) } else { b.lane::<T>(from - lanes) } }
        })
    }

    #[inline(always)]
    unsafe fn stream(from: *const u8, to: *mut u8) {
        #[cfg(target_arch = "x86_64")]
        for at in (0..ROW_BYTES).step_by(16) {
            use std::arch::{asm, x86_64::__m128i};
            // SAFETY: a row can be read at `from` and written at `to`, which is aligned. Padding may be uninitialised,
            // which `MaybeUninit` allows. SSE2 is part of the x86-64 baseline.
            unsafe {
                let value = from.add(at).cast::<MaybeUninit<__m128i>>().read_unaligned();
                asm!("movntdq [{to}], {value}", to = in(reg) to.add(at), value = in(xmm_reg) value,
                    options(nostack, preserves_flags));
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        // SAFETY: a row can be read at `from` and written at `to`.
        unsafe {
            from.cast::<Bytes>().read_unaligned().0.as_ptr().copy_to_nonoverlapping(to.cast(), ROW_BYTES);
        }
    }
}
