//! Rows of 64 bytes in registers, and the shuffles that scan them.
//!
//! A row holds the elements of a `T` of 1, 2, 4 or 8 bytes, its *lanes*, the first at the lowest address. Shuffles are
//! named by what they do to the halves of groups of neighbouring lanes; `SPAN` is the bytes of a half.
//!
//! Between two shuffles the operator is applied to whole rows by a plain loop, which LLVM vectorises. But it would then
//! undo the rows: seeing which lane goes where, it takes them for many scalars. An empty assembly statement hides that:
//! see [`Lanes::opaque`].

use std::mem::MaybeUninit;
use upsweep_core::call::recurrence::Coefficient;
use upsweep_core::key::KeyBits;

/// The bytes of a row.
pub(crate) const ROW_BYTES: usize = 64;

/// A kernel with its arguments.
pub(crate) trait Work {
    type Result;
    /// Runs the kernel. Implementations are `#[inline(always)]`, and so is what they call, but for [`Lanes::call`].
    ///
    /// # Safety
    /// The processor has the instructions of `L`; and what the type says.
    unsafe fn run<L: Lanes>(self) -> Self::Result;
}

/// What [`Lanes::two`] takes of two rows: lanes 0, 2, 4 and so on; 1, 3, 5 and so on.
pub(crate) const EVENS: usize = 0;
pub(crate) const ODDS: usize = 1;
/// The lanes of the lower halves, each of the first row before the one of the second; the same of the upper halves.
pub(crate) const LOWER: usize = 2;
pub(crate) const UPPER: usize = 3;
/// All but the first lane of the first row, and the first of the second.
pub(crate) const AFTER: usize = 4;

/// Which of the lanes of two rows of `lanes` goes to lane `i`.
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

/// An instruction set's way with rows.
///
/// # Safety
/// All functions but [`stream`](Lanes::stream) and [`call`](Lanes::call) are safe where the processor has the instruction set, and `T` is a plain
/// value of 1, 2, 4 or 8 bytes in a row.
pub(crate) trait Lanes {
    /// 64 bytes.
    type Row: Copy;

    /// Whether a row is memory, not registers. Code for each of its lanes is large: what is done with many rows in turn is then in functions
    /// of their own, or it would be most of what is compiled.
    const IN_MEMORY: bool = false;

    /// Runs `work` in a function of its own, compiled once for this instruction set.
    ///
    /// # Safety
    /// The processor has the instruction set; and what the type of `work` says.
    unsafe fn call<W: Work>(work: W) -> W::Result;

    /// The same row; what it is made of is not known to the compiler any more.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn opaque(row: Self::Row) -> Self::Row;

    /// `x` with every lane of the upper half of each group replaced by the last lane of the group's lower half. Lanes of
    /// lower halves have the value of some lane.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn spread<T, const SPAN: usize>(x: Self::Row) -> Self::Row;

    /// The lower halves of `lower` and the upper halves of `upper`, which has been computed in `floats` or in integers.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn halves<T, const SPAN: usize>(lower: Self::Row, upper: Self::Row, floats: bool) -> Self::Row;

    /// The last lane of `x` in every lane.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn last<T>(x: Self::Row) -> Self::Row;

    /// The last lane of `before`, and all of `x` but the last.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn shifted<T>(before: Self::Row, x: Self::Row) -> Self::Row;

    /// The lanes of `x` from the last to the first.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn reversed<T>(x: Self::Row) -> Self::Row;

    /// Lanes of `a` and `b` side by side, of 4 or 8 bytes: those that [`taken`] says.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn two<T, const WHAT: usize>(a: Self::Row, b: Self::Row) -> Self::Row;

    /// A bit for each of 64 bytes, which are 0 or 1.
    ///
    /// # Safety
    /// As the trait.
    #[inline(always)]
    unsafe fn bits(bytes: &[u8; ROW_BYTES]) -> u64 {
        // Eight at a time: the product has their lowest bits side by side in its highest byte.
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let (eights, _) = bytes.as_chunks::<8>();
        eights.iter().rev().fold(0, |bits, &eight| bits << 8 | u64::from_le_bytes(eight).wrapping_mul(GATHER) >> 56)
    }

    /// Copies the values among 64 whose bits are set in `mask` to `to`, side by side, if there are instructions for it; returns
    /// whether there are. Up to 64 values may be written.
    ///
    /// # Safety
    /// `from` is valid for reads and `to` for writes of 64 values, which are numbers.
    #[inline(always)]
    unsafe fn compress<T>(_from: *const u8, _mask: u64, _to: *mut u8) -> bool {
        false
    }

    /// Row `i` of the result has lane `i` of each of the rows: numbers of 4 or 8 bytes, as many rows as a row has lanes.
    ///
    /// # Safety
    /// As the trait.
    #[inline(always)]
    unsafe fn transposed<const N: usize>(rows: [Self::Row; N]) -> [Self::Row; N] {
        // SAFETY: a row has `N` lanes, and a square as many rows.
        unsafe { if ROW_BYTES == 4 * N { by_lane::<_, u32, N>(rows) } else { by_lane::<_, u64, N>(rows) } }
    }

    /// In each lane the lesser of two numbers of 4 or 8 bytes goes to `low` and the greater one to `high`.
    ///
    /// # Safety
    /// Both are valid rows, and not the same.
    unsafe fn exchange<B: KeyBits>(low: *mut Self::Row, high: *mut Self::Row);

    /// The sums of the lanes of two rows of numbers `C`.
    ///
    /// # Safety
    /// As the trait.
    #[inline(always)]
    unsafe fn plus<C: Coefficient>(a: Self::Row, b: Self::Row) -> Self::Row {
        // SAFETY: a row of numbers.
        unsafe { each_lane(a, b, C::plus) }
    }

    /// Their products.
    ///
    /// # Safety
    /// As the trait.
    #[inline(always)]
    unsafe fn times<C: Coefficient>(a: Self::Row, b: Self::Row) -> Self::Row {
        // SAFETY: a row of numbers.
        unsafe { each_lane(a, b, C::times) }
    }

    /// The numbers as they are stored.
    ///
    /// # Safety
    /// As the trait.
    #[inline(always)]
    unsafe fn canonical<C: Coefficient>(a: Self::Row) -> Self::Row {
        // SAFETY: a row of numbers.
        unsafe { each_lane(a, a, |x: C, _| x.canonical()) }
    }

    /// Copies a row to memory by a non-temporal store, where the processor has one.
    ///
    /// # Safety
    /// `from` is valid for reads and `to` for writes of 64 bytes, and `to` is aligned to as many. Nothing reads it before
    /// this thread has called `store::fence`.
    unsafe fn stream(from: *const u8, to: *mut u8);
}

/// What an operator makes of the lanes of two rows.
///
/// # Safety
/// `R` is a row of plain values `T`.
#[inline(always)]
unsafe fn each_lane<R: Copy, T: Copy>(a: R, b: R, operator: impl Fn(T, T) -> T) -> R {
    let mut row = a;
    for i in 0..size_of::<R>() / size_of::<T>() {
        // SAFETY: `R` is a row of values `T`, and the index that of a lane.
        unsafe {
            let (a, b) = ((&raw const a).cast::<T>().add(i).read(), (&raw const b).cast::<T>().add(i).read());
            (&raw mut row).cast::<T>().add(i).write(operator(a, b));
        }
    }
    row
}

/// A square transposed lane by lane.
///
/// # Safety
/// `R` is a row of `N` plain values `T`.
#[inline(always)]
unsafe fn by_lane<R: Copy, T: Copy, const N: usize>(rows: [R; N]) -> [R; N] {
    let mut square = rows;
    let (from, to) = ((&raw const rows).cast::<T>(), (&raw mut square).cast::<T>());
    for i in 0..N {
        for j in 0..N {
            // SAFETY: `R` is a row of `N` values `T`, and both indices are in their squares.
            unsafe { to.add(j * N + i).write(from.add(i * N + j).read()) };
        }
    }
    square
}

/// What every processor can do: lanes one after the other.
pub(crate) struct Portable;

/// A row as memory.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Bytes([MaybeUninit<u8>; ROW_BYTES]);

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
        // SAFETY: the row has a `T` at lane `i`.
        unsafe { (&raw const self.0).cast::<T>().add(i).read() }
    }
}

impl Lanes for Portable {
    type Row = Bytes;

    // Where there is no other set, it has to be fast.
    const IN_MEMORY: bool = cfg!(any(target_arch = "x86_64", feature = "small-loops"));

    #[inline(never)]
    unsafe fn call<W: Work>(work: W) -> W::Result {
        // SAFETY: every processor has these instructions, and the memory is as the work's type says.
        unsafe { work.run::<Self>() }
    }

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
    unsafe fn halves<T, const SPAN: usize>(lower: Bytes, upper: Bytes, _: bool) -> Bytes {
        let half = SPAN / size_of::<T>();
        // SAFETY: the index is that of a lane.
        Bytes::of(|i| unsafe { if (i / half).is_multiple_of(2) { lower.lane::<T>(i) } else { upper.lane::<T>(i) } })
    }

    /// In a function of its own, as a network has many of them.
    #[inline(never)]
    unsafe fn exchange<B: KeyBits>(low: *mut Bytes, high: *mut Bytes) {
        // SAFETY: both are valid rows, and not the same.
        unsafe {
            let (a, b) = (low.read(), high.read());
            low.write(each_lane(a, b, B::min));
            high.write(each_lane(a, b, B::max));
        }
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
    unsafe fn two<T, const WHAT: usize>(a: Bytes, b: Bytes) -> Bytes {
        let lanes = ROW_BYTES / size_of::<T>();
        Bytes::of(|i| {
            let from = taken(WHAT, lanes, i);
            // SAFETY: the index is that of a lane.
            unsafe { if from < lanes { a.lane::<T>(from) } else { b.lane::<T>(from - lanes) } }
        })
    }

    #[inline(always)]
    unsafe fn stream(from: *const u8, to: *mut u8) {
        #[cfg(target_arch = "x86_64")]
        for at in (0..ROW_BYTES).step_by(16) {
            use std::arch::{asm, x86_64::__m128i};
            // SAFETY: a row can be read at `from` and written at `to`, which is aligned; padding may be uninitialised, which `MaybeUninit` allows. SSE2 is part of the
            // x86-64 baseline.
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
