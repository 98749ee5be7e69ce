//! Stream compaction: the choice of elements, what is stored of the selected ones, and the call with its buffers.

mod computed;

pub use self::computed::Computed;
use crate::buffer::{Input, View};
use crate::error::{Error, Result};
use crate::operator::{Element, Function, Map, MapWith, Source, Spread, Values as FunctionValues};
use crate::outputs::Target;
use crate::sealed::Sealed;
use crate::segments::Equal;
use std::marker::PhantomData;

/// A run of neighbouring elements, and the elements next to it.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'a, I> {
    /// Index of the run's first element in the input.
    pub start: usize,
    /// Elements of the run; none where nobody reads the elements ([`Among::Unread`]).
    pub own: &'a [I],
    /// Element before the run, if there is one. It is set only for choices in which a [neighbour](Choose::NEIGHBOUR)
    /// decides.
    pub before: Option<I>,
    /// Element after the run, if there is one. It is set only for choices in which a neighbour decides.
    pub after: Option<I>,
}

/// Neighbour that decides whether an element is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbour {
    /// An element is selected unless it equals the one before.
    Before,
    /// An element is selected unless it equals the one after.
    After,
}

/// A choice of elements on the CPU, which marks the selected ones.
pub trait Marks<I>: Copy + Send + Sync {
    /// Sets `keep[i]` to 1 if element `i` of the run `x` is selected, else to 0. `keep` is as long as the run.
    fn mark(&self, x: Stretch<'_, I>, keep: &mut [u8]);
}

/// A choice of elements, as the backends evaluate it: `Args` are the arguments that a predicate takes of an element. It
/// is implemented for the choices of `Select` alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not choose among these elements",
    label = "no choice among `{I}`",
    note = "a predicate is made of a function, as it runs on the GPU too; a closure is none. Write `#[function] fn name(x: T) -> \
            bool {{ .. }}`, of several inputs with as many arguments, and give `Name`"
)]
pub trait Choose<I: Element, Args = (I,)>: Sealed<(I, Args)> {
    /// Predicate on an element alone, in one buffer or of several inputs. It is not called if flags or neighbours
    /// decide.
    type Predicate: Map<I, Output = bool> + Map<I, Args, Output = bool>;
    /// Equality of two neighbours. It is not called if neighbours do not decide.
    type Same: Function<(I, I), Output = bool>;
    /// Element type of the flags, if flags decide whether an element is selected.
    type Flag: Flag;
    /// Type that marks the selected elements on the CPU.
    type Marks<'m>: Marks<I>
    where
        Self: 'm;
    /// Whether the predicate decides.
    const ALONE: bool = false;
    /// Neighbour that decides whether an element is selected, if one does.
    const NEIGHBOUR: Option<Neighbour> = None;

    /// Returns the predicate by which elements are selected.
    fn predicate(&self) -> Self::Predicate;
    /// Returns the equality of neighbours by which elements are selected.
    fn same(&self) -> Self::Same;
    /// Returns the flags by which elements are selected, if flags decide.
    fn flags(&self) -> Option<View<'_, Self::Flag>> {
        None
    }
    /// Returns what marks the selected elements on the CPU.
    ///
    /// # Errors
    /// [`Error::Place`] when flags are not in host memory.
    fn marks(&self) -> Result<Self::Marks<'_>>;
}

/// An element type of `Select::flags`: `bool`, or a byte, which is set unless it is 0. It is implemented for these
/// types alone, as kernels read a byte.
pub trait Flag: Element + Sealed {
    /// Whether the flag is set, which selects its element.
    fn is_set(self) -> bool;
}
impl Flag for bool {
    #[inline(always)]
    fn is_set(self) -> bool {
        self
    }
}
impl Flag for u8 {
    #[inline(always)]
    fn is_set(self) -> bool {
        self != 0
    }
}

/// Selects the elements for which a predicate holds.
#[derive(Clone, Copy, Debug)]
pub struct Where<P>(pub P);

impl<I: Element + Spread<Args>, Args: 'static, P: Function<Args, Output = bool>> Sealed<(I, Args)> for Where<P> {}
impl<I: Element + Spread<Args>, Args: 'static, P: Function<Args, Output = bool>> Choose<I, Args> for Where<P> {
    type Predicate = Holds<P, Args>;
    type Same = Equal;
    type Flag = bool;
    type Marks<'m> = Holds<P, Args>;
    const ALONE: bool = true;

    fn predicate(&self) -> Holds<P, Args> {
        Holds::new(self.0)
    }
    fn same(&self) -> Equal {
        Equal
    }
    fn marks(&self) -> Result<Holds<P, Args>> {
        Ok(Holds::new(self.0))
    }
}

/// A predicate that takes `Args` of an element, as a map of elements wherever they lie.
#[derive(Debug)]
pub struct Holds<P, Args>(MapWith<P>, PhantomData<fn() -> Args>);

impl<P, Args> Holds<P, Args> {
    /// Makes the map of a predicate.
    pub fn new(predicate: P) -> Self {
        Self(MapWith(predicate), PhantomData)
    }
}
impl<P: Copy, Args> Clone for Holds<P, Args> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P: Copy, Args> Copy for Holds<P, Args> {}

impl<I, Args, Any, P> Map<I, Any> for Holds<P, Args>
where
    I: Element + Spread<Args>,
    Args: 'static,
    P: Function<Args, Output = bool>,
{
    type Output = bool;

    #[inline(always)]
    fn apply(&self, x: I, index: u64) -> bool {
        Map::<I, Args>::apply(&self.0, x, index)
    }
    fn values(&self, values: &mut FunctionValues) {
        Map::<I, Args>::values(&self.0, values);
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        Map::<I, Args>::cuda_function(&self.0, source)
    }
}

impl<I: Element + Spread<Args>, Args: 'static, P: Function<Args, Output = bool>> Marks<I> for Holds<P, Args> {
    #[inline(always)]
    fn mark(&self, x: Stretch<'_, I>, keep: &mut [u8]) {
        for (keep, &x) in keep.iter_mut().zip(x.own) {
            *keep = u8::from(self.0.0.call(x.spread()));
        }
    }
}

/// Selects the elements whose flag is set.
#[derive(Debug)]
pub struct Flagged<'a, B: ?Sized>(pub &'a B);

impl<B: ?Sized> Clone for Flagged<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<B: ?Sized> Copy for Flagged<'_, B> {}

impl<I: Element, Args, B: Input<Item: Flag> + ?Sized> Sealed<(I, Args)> for Flagged<'_, B> {}
impl<I: Element, Args, B: Input<Item: Flag> + ?Sized> Choose<I, Args> for Flagged<'_, B> {
    type Predicate = Holds<Unasked, (I,)>;
    type Same = Equal;
    type Flag = B::Item;
    type Marks<'m>
        = FlagsOnHost<'m, B::Item>
    where
        Self: 'm;

    fn predicate(&self) -> Holds<Unasked, (I,)> {
        Holds::new(Unasked)
    }
    fn same(&self) -> Equal {
        Equal
    }
    fn flags(&self) -> Option<View<'_, B::Item>> {
        Some(self.0.view())
    }
    fn marks(&self) -> Result<FlagsOnHost<'_, B::Item>> {
        self.0.view().on_host("flags").map(FlagsOnHost)
    }
}

/// Flags of [`Flagged`] in host memory.
#[derive(Clone, Copy, Debug)]
pub struct FlagsOnHost<'a, F>(&'a [F]);

impl<I, F: Flag> Marks<I> for FlagsOnHost<'_, F> {
    #[inline(always)]
    fn mark(&self, x: Stretch<'_, I>, keep: &mut [u8]) {
        let flags = self.0.get(x.start..).unwrap_or_default();
        for (keep, flag) in keep.iter_mut().zip(flags) {
            *keep = u8::from(flag.is_set());
        }
    }
}

/// Selects each element that does not equal the one before: the first of each run.
#[derive(Clone, Copy, Debug)]
pub struct FirstOf<E>(pub E);

/// Selects each element that does not equal the one after: the last of each run.
#[derive(Clone, Copy, Debug)]
pub struct LastOf<E>(pub E);

macro_rules! neighbours {
    ($($Of:ident $neighbour:ident),*) => { $(
        impl<I: Element, Args, E: Function<(I, I), Output = bool>> Sealed<(I, Args)> for $Of<E> {}
        impl<I: Element, Args, E: Function<(I, I), Output = bool>> Choose<I, Args> for $Of<E> {
            type Predicate = Holds<Unasked, (I,)>;
            type Same = E;
            type Flag = bool;
            type Marks<'m> = Self;
            const NEIGHBOUR: Option<Neighbour> = Some(Neighbour::$neighbour);

            fn predicate(&self) -> Holds<Unasked, (I,)> {
                Holds::new(Unasked)
            }
            fn same(&self) -> E {
                self.0
            }
            fn marks(&self) -> Result<Self> {
                Ok(*self)
            }
        }
    )* };
}
neighbours! { FirstOf Before, LastOf After }

impl<I: Element, E: Function<(I, I), Output = bool>> Marks<I> for FirstOf<E> {
    #[inline(always)]
    fn mark(&self, x: Stretch<'_, I>, keep: &mut [u8]) {
        let [first, ..] = x.own else { return };
        let Some((keep_first, keep)) = keep.split_first_mut() else { return };
        *keep_first = u8::from(x.before.is_none_or(|before| !self.0.call((before, *first))));
        for ((keep, &a), &b) in keep.iter_mut().zip(x.own).zip(x.own.get(1..).unwrap_or_default()) {
            *keep = u8::from(!self.0.call((a, b)));
        }
    }
}

impl<I: Element, E: Function<(I, I), Output = bool>> Marks<I> for LastOf<E> {
    #[inline(always)]
    fn mark(&self, x: Stretch<'_, I>, keep: &mut [u8]) {
        let [.., last] = x.own else { return };
        let Some((keep_last, keep)) = keep.split_last_mut() else { return };
        *keep_last = u8::from(x.after.is_none_or(|after| !self.0.call((*last, after))));
        for ((keep, &a), &b) in keep.iter_mut().zip(x.own).zip(x.own.get(1..).unwrap_or_default()) {
            *keep = u8::from(!self.0.call((a, b)));
        }
    }
}

/// Placeholder predicate of choices that have none; never called.
#[derive(Clone, Copy, Debug)]
pub struct Unasked;

impl<I: Element> Function<(I,)> for Unasked {
    type Output = bool;
    fn call(&self, _: (I,)) -> bool {
        false
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        let ty = I::cuda_type(source);
        source.define(&format!("unasked {ty}"), "unasked", |_, name| {
            format!("__device__ __forceinline__ bool {name}({ty}) {{ return false; }}")
        })
    }
}

/// Stored form of a selected element. It is implemented for [`Values`] and [`Indices`] alone.
#[diagnostic::on_unimplemented(
    message = "the output holds `{O}`, which is not what is stored of `{I}`",
    label = "not an output for these results",
    note = "elements are stored as they are; of `.indices()` the output has u32, u64, usize, i32 or i64"
)]
pub trait Yields<I, O>: Copy + Send + Sync + 'static + Sealed<(I, O)> {
    /// Whether the index of a selected element is stored, not the element.
    const INDEX: bool;
    /// Returns what is stored of an element at `index`, which is at most [`MOST`](Yields::MOST). `x` reads the element;
    /// it is not called where the index is stored.
    fn of(x: impl FnOnce() -> I, index: usize) -> O;
    /// Returns what is stored of an element that stands `by` further in the whole array than in the part for which
    /// `stored` is. The sum of its index and `by` is at most [`MOST`](Yields::MOST).
    fn moved(stored: O, by: usize) -> O;
    /// Largest index that a result can hold.
    const MOST: usize;
}

/// Function that [moves](Yields::moved) what `V` stores of elements `I`.
#[derive(Debug)]
pub struct Moved<V, I> {
    by: u64,
    stores: PhantomData<fn() -> (V, I)>,
}

impl<V, I> Moved<V, I> {
    /// Makes the function that moves results by `by` elements.
    pub fn new(by: u64) -> Self {
        Self { by, stores: PhantomData }
    }
}
impl<V, I> Clone for Moved<V, I> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<V, I> Copy for Moved<V, I> {}

impl<V: Yields<I, O>, I: 'static, O: Element> Function<(O,)> for Moved<V, I> {
    type Output = O;
    #[inline(always)]
    fn call(&self, (stored,): (O,)) -> O {
        V::moved(stored, self.by as usize)
    }
    fn values(&self, values: &mut FunctionValues) {
        values.push(self.by);
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        let (ty, by) = (O::cuda_type(source), source.value::<u64>());
        let moved = if V::INDEX { format!("{ty}(u64(stored) + {by})") } else { "stored".to_owned() };
        source.define(&format!("moved {ty} {moved}"), "moved", |_, name| {
            format!("__device__ __forceinline__ {ty} {name}({ty} stored) {{ return {moved}; }}")
        })
    }
}

/// Stores the selected elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Values;

impl<I> Sealed<(I, I)> for Values {}
impl<I> Yields<I, I> for Values {
    const INDEX: bool = false;
    const MOST: usize = usize::MAX;
    #[inline(always)]
    fn of(x: impl FnOnce() -> I, _: usize) -> I {
        x()
    }
    #[inline(always)]
    fn moved(stored: I, _: usize) -> I {
        stored
    }
}

/// Stores the indices of the selected elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Indices;

macro_rules! indices {
    ($($t:ty)*) => { $(
    impl<I> Sealed<(I, $t)> for Indices {}
    impl<I> Yields<I, $t> for Indices {
        const INDEX: bool = true;
        const MOST: usize = if size_of::<$t>() < size_of::<usize>() { <$t>::MAX as usize } else { usize::MAX };
        #[inline(always)]
        fn of(_: impl FnOnce() -> I, index: usize) -> $t {
            index as $t
        }
        #[inline(always)]
        fn moved(stored: $t, by: usize) -> $t {
            (stored as usize).wrapping_add(by) as $t
        }
    })* };
}
indices! { u32 u64 usize i32 i64 }

/// Elements among which a selection chooses.
pub enum Among<'a, I> {
    /// Elements of a buffer that is separate from the outputs.
    Buffer(View<'a, I>),
    /// Elements of the output's memory: a selection in place.
    OfOutput,
    /// So many elements that nobody reads: what decides is elsewhere, and indices are stored.
    Unread(usize),
}

/// Error of a selection that stores elements which nobody can read. The builders prevent it.
pub const UNREAD: Error = Error::Options {
    options: "a selection of computed elements",
    reason: "the elements are in no buffer: store their indices",
};

/// A stream compaction with its buffers.
pub struct Choosing<'a, C, I: Element, O: Element> {
    pub choice: &'a C,
    pub input: Among<'a, I>,
    /// Number of elements to be read, in device memory; without it, all elements of the input are read.
    pub length: Option<View<'a, u64>>,
    /// Output of the selected elements; none if only their number is computed.
    pub output: Option<Target<'a, O>>,
    pub others: Others<'a, O>,
}

impl<C, I: Element, O: Element> Choosing<'_, C, I, O> {
    /// Returns the capacity of the input, in elements.
    pub fn len(&self) -> usize {
        match &self.input {
            Among::Buffer(view) => view.len(),
            Among::OfOutput => self.output.as_ref().map_or(0, Target::len),
            Among::Unread(len) => *len,
        }
    }
}

/// Returns the flags by which `choice` selects among `len` elements; `None` if flags do not decide.
///
/// # Errors
/// [`Error::Length`] when there is another number of flags.
pub fn flags_of<I: Element, A, C: Choose<I, A>>(choice: &C, len: usize) -> Result<Option<View<'_, C::Flag>>> {
    let flags = choice.flags();
    match flags.as_ref().map(View::len).filter(|&found| found != len) {
        Some(found) => Err(Error::Length { what: "flags", found, expected: len }),
        None => Ok(flags),
    }
}

/// Destination of the rejected elements.
pub enum Others<'a, O: Element> {
    /// Rejected elements are not stored.
    Dropped,
    /// A separate output.
    Apart(Target<'a, O>),
    /// The same output, after the selected elements, whose number an earlier call has already stored in the count.
    Behind,
}
