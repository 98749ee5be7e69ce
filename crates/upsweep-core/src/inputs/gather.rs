//! A gather: elements of a table at indices that are an input themselves.

use super::{Faults, Inputs, Read, Streams};
#[cfg(feature = "cuda")]
use super::{Lend, Opening, Reading, type_of};
use crate::buffer::{Input, View};
use crate::error::Result;
use crate::operator::{Element, Item, Single};
use crate::segments::Offset;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// A gather from a table: `Gather::of(&table).at(index)` is `table[index[i]]` at position `i`.
///
/// An index is a `u32`, `u64`, `usize`, `i32` or `i64`. An index outside the table is
/// [`Error::Index`](crate::Error::Index), with its position. On the CPU this call returns the error. On CUDA the next
/// call that waits returns it, as for errors of segment offsets. The results are then undefined, and nothing outside
/// the table has been read.
#[derive(Debug)]
pub struct Gather<'a, B: ?Sized>(&'a B);

impl<'a, B: Input + ?Sized> Gather<'a, B> {
    /// Starts a gather from `table`.
    pub fn of(table: &'a B) -> Self {
        Self(table)
    }

    /// Gathers at `index`, which is any input of indices.
    pub fn at<X>(self, index: X) -> GatherOf<'a, B, X> {
        GatherOf { table: self.0, index }
    }
}

/// A gather of elements of `table` at the indices `index`, as [`Gather::at`] returns it.
#[derive(Debug)]
pub struct GatherOf<'a, B: ?Sized, X> {
    table: &'a B,
    index: X,
}

/// Type that stands for the values of a [`Gather`] at each position (its `Item`): elements `T`, at indices of the type
/// `A`.
#[derive(Debug)]
pub struct Gathered<T, A>(PhantomData<fn() -> (T, A)>);
impl<T, A> Clone for Gathered<T, A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, A> Copy for Gathered<T, A> {}

impl<T: Element, A: Single> Item for Gathered<T, A> {
    type Value = T;
    type Args = (T,);
}
impl<T: Element, A: Single> Single for Gathered<T, A> {}

impl<'a, B, X> Inputs<'a> for GatherOf<'a, B, X>
where
    B: Input + ?Sized,
    X: Inputs<'a>,
    X::Item: Single<Value: Offset>,
{
    type Value = B::Item;
    type Args = (B::Item,);
    type Item = Gathered<B::Item, X::Item>;

    fn given(self) -> (View<'a, B::Item>, <X::Item as Read>::Given<'a>) {
        (self.table.view(), self.index.given())
    }
}

/// A table and its indices in host memory.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Table<T, P> {
    start: *const T,
    len: usize,
    index: P,
    faults: *const Faults,
}

// SAFETY: an index is compared with the table's length before the table is read at it.
unsafe impl<T: Element, A: Single<Value: Offset> + Read> Read for Gathered<T, A> {
    type Given<'a> = (View<'a, T>, A::Given<'a>);
    type Place = Table<T, A::Place>;

    fn again<'g>((table, index): &'g Self::Given<'_>) -> Self::Given<'g> {
        (table.view(), A::again(index))
    }

    fn len((_, index): &Self::Given<'_>, what: &'static str) -> Result<Option<usize>> {
        A::len(index, what)
    }

    const COUNTED: bool = A::COUNTED;

    fn length<'g>((_, index): &'g Self::Given<'_>) -> Option<&'g View<'g, u64>> {
        A::length(index)
    }

    fn place((table, index): &Self::Given<'_>, what: &'static str, faults: &Faults) -> Result<Self::Place> {
        let table = table.on_host("table")?;
        Ok(Table { start: table.as_ptr(), len: table.len(), index: A::place(index, what, faults)?, faults })
    }

    #[inline(always)]
    unsafe fn read(place: &Self::Place, at: usize) -> T {
        // SAFETY: the caller guarantees that the pointers of `place.index`, the input of indices, are valid and that
        // `at` is less than its length, as `A::read` requires.
        let index = unsafe { A::read(&place.index, at) };
        match index.to_usize() {
            // SAFETY: `index` is less than the table's length.
            Some(index) if index < place.len => unsafe { place.start.add(index).read() },
            _ => {
                // SAFETY: `place.faults` points to the call's faults, which live as long as `place`; zero bits are a
                // value of every element type.
                unsafe {
                    (*place.faults).index(at, index.to_i128(), place.len);
                    MaybeUninit::zeroed().assume_init()
                }
            }
        }
    }

    #[inline(always)]
    fn address(place: &Self::Place, at: usize) -> (*const u8, usize) {
        A::address(&place.index, at)
    }

    #[inline(always)]
    fn fetch(place: &Self::Place, at: usize, len: usize, fetch: impl Fn(*const u8, usize) + Copy) {
        A::fetch(&place.index, at, len, fetch);
    }

    #[inline(always)]
    fn gathered_from(place: &Self::Place) -> usize {
        (place.len * size_of::<T>()).max(A::gathered_from(&place.index))
    }

    #[inline(always)]
    unsafe fn fetch_gathered(place: &Self::Place, at: usize, fetch: impl Fn(*const u8) + Copy) {
        // SAFETY: as in `read`. An index outside the table is found there: nothing is read from this address.
        let index = unsafe { A::read(&place.index, at) };
        fetch(place.start.wrapping_add(index.to_usize().unwrap_or(0)).cast());
    }

    const STREAMS: Streams = A::STREAMS;
    #[cfg(feature = "cuda")]
    const MAY_FAULT: bool = true;

    #[cfg(feature = "cuda")]
    const APART: bool = true;

    #[cfg(feature = "cuda")]
    type Functions = (A::Functions, bool);
    // Whether the table is empty is a part of the generated text, which never reads an empty table.
    #[cfg(feature = "cuda")]
    fn functions((table, index): &Self::Given<'_>) -> Self::Functions {
        (A::functions(index), table.is_empty())
    }

    #[cfg(feature = "cuda")]
    fn open<'a, L: Lend<'a>>(
        (table, index): &'a Self::Given<'_>,
        what: &'static str,
        opening: &mut Opening<'_, L>,
    ) -> Result<()> {
        opening.buffer("table", table)?;
        opening.number(table.len() as u64);
        opening.number((table.len() as u64).saturating_sub(1).min(A::Value::LARGEST));
        A::open(index, what, opening)
    }

    #[cfg(feature = "cuda")]
    fn text((functions, empty): &Self::Functions, reading: &mut Reading<'_>, at: &str) -> String {
        let (ty, index_ty) = (type_of::<T>(reading), type_of::<A::Value>(reading));
        let (elements, len) = (reading.number::<u64>(), reading.number::<u64>());
        let table = format!("Table<{ty}, {index_ty}, {empty}>({elements}, {})", reading.number::<u64>());
        let index = A::text(functions, reading, at);
        reading.index(&table, &index, &len, at);
        format!("{table}.at({index})")
    }
}
