//! Options that all builders share, and their checks.

use upsweep_core::error::{Error, Result};
use upsweep_core::init::{InitSource, NoInit};
use upsweep_core::operator::{Element, Operator, Same};
use upsweep_core::segments::{SegmentsBy, Whole};
use upsweep_core::shape::Shape;

/// Options of a scan or reduction: the operator `Op`, the map `M`, the finish `F`, the segments `G`, the initial value
/// `V`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a, Op, M, F, G, V> {
    pub(crate) operator: Op,
    pub(crate) map: M,
    pub(crate) finish: F,
    pub(crate) segments: G,
    pub(crate) init: V,
    pub(crate) axis: Option<(&'a [usize], usize)>,
}

impl<Op> Options<'_, Op, Same, Same, Whole, NoInit> {
    pub(crate) fn new(operator: Op) -> Self {
        Self { operator, map: Same, finish: Same, segments: Whole, init: NoInit, axis: None }
    }
}

impl<'a, Op, M, F, G, V> Options<'a, Op, M, F, G, V> {
    pub(crate) fn with_init<N>(self, init: N) -> Options<'a, Op, M, F, G, N> {
        let Self { operator, map, finish, segments, axis, .. } = self;
        Options { operator, map, finish, segments, init, axis }
    }

    pub(crate) fn with_segments<N>(self, segments: N) -> Options<'a, Op, M, F, N, V> {
        let Self { operator, map, finish, init, axis, .. } = self;
        Options { operator, map, finish, segments, init, axis }
    }

    pub(crate) fn with_map<N>(self, map: N) -> Options<'a, Op, N, F, G, V> {
        let Self { operator, finish, segments, init, axis, .. } = self;
        Options { operator, map, finish, segments, init, axis }
    }

    pub(crate) fn with_finish<N>(self, finish: N) -> Options<'a, Op, M, N, G, V> {
        let Self { operator, map, segments, init, axis, .. } = self;
        Options { operator, map, finish, segments, init, axis }
    }

    /// Returns the shape of an input of `len` elements, as lines along the axis.
    #[inline]
    pub(crate) fn shape(&self, len: usize) -> Result<Shape> {
        Shape::new(self.axis, len)
    }
}

impl<Op: Copy, M: Copy, F: Copy, G: Copy, V: Copy> Options<'_, Op, M, F, G, V> {
    /// Returns the same options along an axis of a row-major array.
    pub(crate) fn with_axis<'s>(&self, shape: &'s [usize], axis: usize) -> Options<'s, Op, M, F, G, V> {
        let Self { operator, map, finish, segments, init, .. } = *self;
        Options { operator, map, finish, segments, init, axis: Some((shape, axis)) }
    }
}

/// Checks that a call can begin: with an initial value, or with the operator's identity.
///
/// # Errors
/// [`Error::NoIdentity`] when `needed_by` needs an identity and there is neither one nor an initial value.
#[inline]
pub(crate) fn expect_identity<T: Element, Op: Operator<T>>(
    operator: &Op,
    has_init: bool,
    needed_by: &'static str,
) -> Result<()> {
    if has_init || operator.identity().is_some() {
        return Ok(());
    }
    Err(Error::NoIdentity { operator: std::any::type_name::<Op>(), needed_by })
}

/// Checks the length of the buffer that errors call `what`.
///
/// # Errors
/// [`Error::Length`] when `what` has another length than is expected.
pub(crate) fn expect_length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Length { what, found, expected }) }
}

/// Facts about a scan or reduction by which it is checked, independent of its types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) axis: Option<(&'a [usize], usize)>,
    /// Number of elements; for a counted input, the room for them.
    pub(crate) len: usize,
    /// Whether the number of elements is in the device's memory (a count), unknown to the host.
    pub(crate) counted: bool,
    pub(crate) segments: SegmentsBy,
    /// Number of results that the output has room for; `None` if it takes any number.
    pub(crate) output: Option<usize>,
    /// Name of the operator, if it has no identity and the call has no initial value.
    pub(crate) begins_with_nothing: Option<&'static str>,
}

impl Asked<'_> {
    /// Checks the axis and the segments, and returns the shape of the array as lines along the axis.
    ///
    /// # Errors
    /// [`Error::Shape`], [`Error::Axis`], [`Error::Length`]; [`Error::Options`] with an axis and segments, or with an
    /// axis and a number of elements that the device holds.
    #[inline]
    pub(crate) fn shape(&self) -> Result<Shape> {
        let shape = Shape::new(self.axis, self.len)?;
        self.segments.check(self.len, self.axis.is_some())?;
        if self.counted && self.axis.is_some() {
            let reason = "an array whose length the device knows has no shape: give its segments by offsets";
            return Err(Error::Options { options: "axis with a count", reason });
        }
        Ok(shape)
    }

    /// Checks that the call can begin: with an initial value, or with the operator's identity.
    ///
    /// # Errors
    /// [`Error::NoIdentity`] when `needed_by` needs an identity and there is neither one nor an initial value.
    #[inline]
    pub(crate) fn expect_begin(&self, needed_by: &'static str) -> Result<()> {
        match self.begins_with_nothing {
            None => Ok(()),
            Some(operator) => Err(Error::NoIdentity { operator, needed_by }),
        }
    }
}

/// Returns the operator's name, if it has no identity and the call has no initial value.
#[inline(always)]
pub(crate) fn begins_with_nothing<T: Element, Op: Operator<T>>(
    operator: &Op,
    init: &InitSource<'_, T>,
) -> Option<&'static str> {
    (init.is_none() && operator.identity().is_none()).then(std::any::type_name::<Op>)
}

/// Defines the methods of a builder that set these options: `$Builder` has a field `options` and the fields `$own`.
macro_rules! shared_options {
    ($Builder:ident { $($own:ident),* }, $Does:literal, $noun:literal, $axis:literal) => {
        impl<'a, Op, M, F, G, V> $Builder<'a, Op, M, F, G, V> {
            #[doc = concat!($Does, " along `axis` (counted from 0) of a row-major array of this `shape`.", $axis)]
            pub fn axis(mut self, shape: &'a [usize], axis: usize) -> Self {
                self.options.axis = Some((shape, axis));
                self
            }

            #[doc = concat!("Every ", $noun, " begins with `value`.")]
            pub fn init<T: Element>(self, value: T) -> $Builder<'a, Op, M, F, G, InitValue<T>> {
                $Builder { options: self.options.with_init(InitValue(value)), $($own: self.$own),* }
            }

            #[doc = concat!("Every ", $noun, " begins with element 0 of `buffer`, which lies where the device computes.")]
            pub fn init_from<B: Input + ?Sized>(self, buffer: &B) -> $Builder<'a, Op, M, F, G, InitFrom<'_, B>> {
                $Builder { options: self.options.with_init(InitFrom(buffer)), $($own: self.$own),* }
            }

            #[doc = concat!($Does, " each segment by itself: see [`Segments`](crate::Segments).")]
            pub fn segments<N: Segmentation>(self, segments: N) -> $Builder<'a, Op, M, F, N, V> {
                $Builder { options: self.options.with_segments(segments), $($own: self.$own),* }
            }

            /// Combines `function(x)` instead of each element `x`.
            pub fn map<N>(self, function: N) -> $Builder<'a, Op, MapWith<N>, F, G, V> {
                $Builder { options: self.options.with_map(MapWith(function)), $($own: self.$own),* }
            }

            /// Combines `(x, position)` instead of an element `x`, for
            /// [`ArgMin`](upsweep_core::operator::builtin::ArgMin) and
            /// [`ArgMax`](upsweep_core::operator::builtin::ArgMax). The position is the element's own, also in reverse:
            /// along an axis, its place on the line; with segments, its place in the flat array, not in the segment.
            pub fn enumerate(self) -> $Builder<'a, Op, Enumerate, F, G, V> {
                $Builder { options: self.options.with_map(Enumerate), $($own: self.$own),* }
            }

            /// Combines in the wider type `U`, so that sums of small integers do not wrap.
            pub fn accumulate<U: Element>(self) -> $Builder<'a, Op, Widen<U>, F, G, V> {
                $Builder { options: self.options.with_map(Widen::new()), $($own: self.$own),* }
            }

            /// Stores `function(result)` instead of the result.
            pub fn finish<N>(self, function: N) -> $Builder<'a, Op, M, N, G, V> {
                $Builder { options: self.options.with_finish(function), $($own: self.$own),* }
            }
        }
    };
}
pub(crate) use shared_options;
