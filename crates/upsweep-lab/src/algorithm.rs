//! Algorithms of the laboratory: their inputs, their results, and how they are run.

use crate::lesson::Lesson;
use crate::machine::{Array, Banks, Fault, Machine, Run, Shape, WARP, Word};
use crate::operator::{Affine, Operator, Stretch};
use crate::variant::{Barriers, Order, Variant};
use std::cmp::Ordering;
use std::error::Error as StdError;
use std::fmt::{self, Display};

/// Largest number of threads of a block.
pub const MAX_THREADS: usize = 1024;

/// Input of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a, T> {
    /// Elements to scan, to reduce or to sort.
    pub values: &'a [T],
    /// Head flags, one for each element: a segment begins there. Element 0 begins one in any case. Only segmented scans
    /// read them.
    pub heads: &'a [bool],
}

/// Kind of an algorithm's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computes {
    /// Reduction to one value: x₀ ⊕ ... ⊕ xₙ₋₁.
    Reduction,
    /// Inclusive scan: yᵢ = x₀ ⊕ ... ⊕ xᵢ.
    InclusiveScan,
    /// Exclusive scan: yᵢ = x₀ ⊕ ... ⊕ xᵢ₋₁; y₀ is the identity.
    ExclusiveScan,
    /// Exclusive scan that begins anew at each head.
    SegmentedScan,
    /// Stable sort. Nothing is combined.
    Sort,
}

impl Computes {
    /// Name of the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reduction => "reduction",
            Self::InclusiveScan => "inclusive scan",
            Self::ExclusiveScan => "exclusive scan",
            Self::SegmentedScan => "segmented scan",
            Self::Sort => "sort",
        }
    }

    /// Computes the expected results of an algorithm of this kind by a plain loop.
    #[must_use]
    pub fn oracle<T: Word>(self, operator: &Operator<T>, input: &Input<'_, T>) -> Vec<T> {
        if self == Self::Sort {
            let mut sorted = input.values.to_vec();
            sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
            return sorted;
        }
        let mut sum = operator.identity;
        let mut results = Vec::with_capacity(input.values.len());
        for (index, &value) in input.values.iter().enumerate() {
            if self == Self::SegmentedScan && input.heads[index] {
                sum = operator.identity;
            }
            let with = (operator.combine)(sum, value);
            results.push(if self == Self::InclusiveScan { with } else { sum });
            sum = with;
        }
        if self == Self::Reduction { vec![sum] } else { results }
    }
}

/// Algorithm of the laboratory.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Name on the command line.
    pub name: &'static str,
    /// Stem of the names of its source file and its CUDA file; forms of one algorithm share it.
    pub file: &'static str,
    /// Title, in a line.
    pub title: &'static str,
    /// Source in the literature.
    pub source: &'static str,
    /// Kind of the algorithm's result.
    pub computes: Computes,
    /// Largest number of elements that the algorithm takes.
    pub limit: usize,
    pub(crate) variant: Variant,
    /// Text at the beginning of the algorithm's module: its documentation.
    pub(crate) module: &'static str,
    pub(crate) of_i64: Body<i64>,
    pub(crate) of_affine: Body<Affine>,
    pub(crate) of_stretch: Body<Stretch>,
}

/// Function that runs the kernels on a machine and returns the array of results.
type Body<T> = fn(&mut Machine<T>, &Input<'_, T>, Variant) -> Array;

/// Element that algorithms can combine.
pub trait Element: Word {
    #[doc(hidden)]
    fn run(algorithm: &Algorithm, machine: &mut Machine<Self>, input: &Input<'_, Self>) -> Array;
}

impl Element for i64 {
    fn run(algorithm: &Algorithm, machine: &mut Machine<Self>, input: &Input<'_, Self>) -> Array {
        (algorithm.of_i64)(machine, input, algorithm.variant)
    }
}

impl Element for Affine {
    fn run(algorithm: &Algorithm, machine: &mut Machine<Self>, input: &Input<'_, Self>) -> Array {
        (algorithm.of_affine)(machine, input, algorithm.variant)
    }
}

impl Element for Stretch {
    fn run(algorithm: &Algorithm, machine: &mut Machine<Self>, input: &Input<'_, Self>) -> Array {
        (algorithm.of_stretch)(machine, input, algorithm.variant)
    }
}

/// Results and counts of a run.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// Results of the algorithm.
    pub results: Vec<T>,
    /// Steps of the run, with their counts.
    pub run: Run,
}

/// Reason why an algorithm was not run, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Number of elements that is 0, or too large.
    Length {
        /// Name of the algorithm that does not take this number.
        algorithm: &'static str,
        /// Number of elements that were given.
        found: usize,
        /// Largest number of elements that the algorithm takes.
        limit: usize,
    },
    /// Number of head flags that is not the number of elements.
    Heads {
        /// Number of head flags that were given.
        found: usize,
        /// Number of elements, which is also the number of flags expected.
        expected: usize,
    },
    /// Operator that does not commute, for an algorithm that combines elements out of their order.
    Order {
        /// Name of the algorithm that combines elements out of their order.
        algorithm: &'static str,
        /// Name of the operator that does not commute.
        operator: &'static str,
    },
    /// Shape that no machine has, such as a warp of three threads.
    Shape(Shape),
    /// Fault that the model found in the kernel.
    Fault(Fault),
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { algorithm, found, limit } if *limit == usize::MAX => {
                write!(f, "{algorithm} takes one element or more, not {found}")
            }
            Self::Length { algorithm, found, limit } => {
                write!(f, "{algorithm} takes 1 to {limit} elements, not {found}")
            }
            Self::Heads { found, expected } => write!(f, "{found} head flags for {expected} elements"),
            Self::Order { algorithm, operator } => write!(
                f,
                "{algorithm} combines elements out of their order, and {operator} does not commute; {algorithm}-ordered \
                 keeps the order"
            ),
            Self::Shape(Shape { warp, tile: Some(tile), .. })
                if warp.is_power_of_two() && (2..=WARP).contains(warp) =>
            {
                write!(
                    f,
                    "tiles of {tile} elements: with warps of {warp} threads a tile has a power of two from {warp} to {}",
                    warp * warp
                )
            }
            Self::Shape(Shape { warp, .. }) => {
                write!(f, "warps of {warp} threads: a warp has a power of two from 2 to {WARP}")
            }
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

impl StdError for Error {}

impl Algorithm {
    /// Text of the algorithm's module.
    #[must_use]
    pub fn lesson(&self) -> Lesson {
        Lesson::of(self.module)
    }

    /// Checks that the algorithm takes `found` elements.
    ///
    /// # Errors
    /// [`Error::Length`]: the algorithm does not take this number.
    pub fn takes(&self, found: usize) -> Result<(), Error> {
        self.takes_on(Shape::from(Banks::ThirtyTwo), found)
    }

    /// Checks that the algorithm takes `found` elements on this machine, whose blocks may have fewer threads.
    ///
    /// # Errors
    /// [`Error::Shape`]: there is no such machine. [`Error::Length`]: it does not take this number.
    pub fn takes_on(&self, shape: Shape, found: usize) -> Result<(), Error> {
        if !shape.is_valid() {
            return Err(Error::Shape(shape));
        }
        let limit = match self.limit {
            usize::MAX => usize::MAX,
            limit => limit / MAX_THREADS * shape.most_threads(),
        };
        match found == 0 || found > limit {
            true => Err(Error::Length { algorithm: self.name, found, limit }),
            false => Ok(()),
        }
    }

    /// Whether the result is right with this operator: some algorithms need one that commutes.
    #[must_use]
    pub fn suits<T>(&self, operator: &Operator<T>) -> bool {
        operator.commutes || self.variant.order != Order::Halves
    }

    /// Whether several blocks share the elements, so that a tile has a size.
    #[must_use]
    pub fn has_tiles(&self) -> bool {
        self.limit == usize::MAX && self.file != "sequential"
    }

    /// Whether the algorithm is wrong on purpose: the model finds a race in it, and it has no CUDA kernel.
    #[must_use]
    pub fn is_faulty(&self) -> bool {
        self.variant.barriers == Barriers::One
    }

    /// Whether the algorithm has a CUDA kernel. Those that are wrong on purpose have none, nor those of one thread
    /// alone in shared memory, nor the sort.
    #[must_use]
    pub fn has_kernel(&self) -> bool {
        !self.is_faulty() && !["fenwick_updates", "quicksort"].contains(&self.file)
    }

    /// Checks that the algorithm takes this input.
    pub(crate) fn check<T>(&self, operator: &Operator<T>, shape: Shape, input: &Input<'_, T>) -> Result<(), Error> {
        let found = input.values.len();
        self.takes_on(shape, found)?;
        if input.heads.len() != found {
            return Err(Error::Heads { found: input.heads.len(), expected: found });
        }
        match self.suits(operator) {
            true => Ok(()),
            false => Err(Error::Order { algorithm: self.name, operator: operator.name }),
        }
    }

    /// Runs the algorithm on the machine model.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Heads`], [`Error::Order`] for an input that it does not take; [`Error::Fault`] where
    /// the model finds the kernel wrong.
    pub fn run<T: Element>(&self, setup: Setup<T>, input: &Input<'_, T>) -> Result<Outcome<T>, Error> {
        match self.run_to_fault(setup, input)? {
            (results, run, None) => Ok(Outcome { results, run }),
            (_, _, Some(fault)) => Err(Error::Fault(fault)),
        }
    }

    /// Runs the algorithm on the machine model, and returns the steps up to the first fault, too.
    pub(crate) fn run_to_fault<T: Element>(
        &self,
        setup: Setup<T>,
        input: &Input<'_, T>,
    ) -> Result<(Vec<T>, Run, Option<Fault>), Error> {
        self.check(&setup.operator, setup.shape, input)?;
        let mut machine = Machine::new(setup.operator, setup.shape);
        if setup.records {
            machine = machine.recording();
        }
        let array = T::run(self, &mut machine, input);
        let results = machine.read(array);
        let (run, fault) = machine.stop();
        Ok((results, run, fault))
    }
}

/// Operator and machine of a run.
#[derive(Clone, Copy, Debug)]
pub struct Setup<T> {
    /// Operator that combines the elements.
    pub operator: Operator<T>,
    /// Sizes of the machine, and the order in which its blocks run.
    pub shape: Shape,
    /// Whether the run records the events of each thread.
    pub records: bool,
}
