//! What an algorithm of the laboratory is: what it takes, what it computes, and how it is run.

use crate::lesson::Lesson;
use crate::machine::{Array, Banks, Fault, Machine, Run, Shape, WARP, Word};
use crate::operator::{Affine, Operator, Stretch};
use crate::variant::{Barriers, Order, Variant};
use std::cmp::Ordering;
use std::error::Error as StdError;
use std::fmt::{self, Display};

/// The most threads of a block.
pub const MAX_THREADS: usize = 1024;

/// What an algorithm works on.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a, T> {
    /// The elements.
    pub values: &'a [T],
    /// Whether a segment begins at an element; element 0 begins one in any case. As many as there are elements. Only
    /// segmented scans look at them.
    pub heads: &'a [bool],
}

/// What an algorithm computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computes {
    /// One value: x₀ ⊕ ... ⊕ xₙ₋₁.
    Reduction,
    /// yᵢ = x₀ ⊕ ... ⊕ xᵢ.
    InclusiveScan,
    /// yᵢ = x₀ ⊕ ... ⊕ xᵢ₋₁; y₀ is the identity.
    ExclusiveScan,
    /// An exclusive scan that begins anew at each head.
    SegmentedScan,
    /// The elements in their order; equal ones in the order in which they came. Nothing is combined.
    Sort,
}

impl Computes {
    /// Its name.
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

    /// What the algorithm should find, one element after the other.
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

/// One of the laboratory's algorithms.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Its name on the command line.
    pub name: &'static str,
    /// The stem of its files.
    pub file: &'static str,
    /// What it is, in a line.
    pub title: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it computes.
    pub computes: Computes,
    /// The most elements that it takes.
    pub limit: usize,
    pub(crate) variant: Variant,
    /// The text with which its module begins.
    pub(crate) module: &'static str,
    pub(crate) of_i64: Body<i64>,
    pub(crate) of_affine: Body<Affine>,
    pub(crate) of_stretch: Body<Stretch>,
}

/// Runs kernels on a machine; returns the array of results.
type Body<T> = fn(&mut Machine<T>, &Input<'_, T>, Variant) -> Array;

/// What can be combined in the laboratory.
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

/// What an algorithm found, and what was counted on the way.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// The results.
    pub results: Vec<T>,
    /// The steps.
    pub run: Run,
}

/// Why an algorithm was not run, or not to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There are no elements, or too many.
    Length {
        /// The algorithm.
        algorithm: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        limit: usize,
    },
    /// There is not one head flag an element.
    Heads {
        /// How many there are.
        found: usize,
        /// How many elements there are.
        expected: usize,
    },
    /// The algorithm combines elements out of their order, and the operator does not commute.
    Order {
        /// The algorithm.
        algorithm: &'static str,
        /// The operator.
        operator: &'static str,
    },
    /// There is no machine of these sizes.
    Shape(Shape),
    /// The model found something wrong.
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
    /// What its module says about it.
    #[must_use]
    pub fn lesson(&self) -> Lesson {
        Lesson::of(self.module)
    }

    /// Whether it takes so many elements.
    ///
    /// # Errors
    /// [`Error::Length`]: it does not.
    pub fn takes(&self, found: usize) -> Result<(), Error> {
        self.takes_on(Shape::from(Banks::ThirtyTwo), found)
    }

    /// Whether it takes so many elements on this machine, whose blocks may have fewer threads.
    ///
    /// # Errors
    /// [`Error::Shape`]: there is no such machine. [`Error::Length`]: it does not.
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

    /// Whether it gives the right result with this operator: some need one that commutes.
    #[must_use]
    pub fn suits<T>(&self, operator: &Operator<T>) -> bool {
        operator.commutes || self.variant.order != Order::Halves
    }

    /// Whether several blocks share the elements, so that a tile has a size.
    #[must_use]
    pub fn has_tiles(&self) -> bool {
        self.limit == usize::MAX && self.file != "sequential"
    }

    /// Whether it is there to be wrong: the model finds a race in it, and it has no CUDA kernel.
    #[must_use]
    pub fn is_faulty(&self) -> bool {
        self.variant.barriers == Barriers::One
    }

    /// Whether it has a CUDA kernel: not what is there to be wrong, what one thread does alone in shared memory,
    /// and the sort.
    #[must_use]
    pub fn has_kernel(&self) -> bool {
        !self.is_faulty() && !["fenwick_updates", "quicksort"].contains(&self.file)
    }

    /// Whether it takes this input.
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

    /// Runs it on the machine model.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Heads`], [`Error::Order`] for what it does not take; [`Error::Fault`] where the model
    /// finds the kernel wrong.
    pub fn run<T: Element>(&self, setup: Setup<T>, input: &Input<'_, T>) -> Result<Outcome<T>, Error> {
        match self.run_to_fault(setup, input)? {
            (results, run, None) => Ok(Outcome { results, run }),
            (_, _, Some(fault)) => Err(Error::Fault(fault)),
        }
    }

    /// Runs it on the machine model, and returns the steps up to the first fault, too.
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

/// What an algorithm runs with.
#[derive(Clone, Copy, Debug)]
pub struct Setup<T> {
    /// What is combined.
    pub operator: Operator<T>,
    /// The machine.
    pub shape: Shape,
    /// Whether the run keeps who did what.
    pub records: bool,
}
