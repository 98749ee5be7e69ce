//! The one error type: a variant for each broken precondition, with its values.

use std::fmt;

/// The result of every call of upsweep.
pub type Result<T> = std::result::Result<T, Error>;

/// What was wrong with a call, with the values that show it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Two buffers that must have as many elements as each other have not.
    Length {
        /// Which buffer is wrong: `"output"`, `"head flags"`, `"keys"`, ...
        what: &'static str,
        /// How many elements it has.
        found: usize,
        /// How many it must have.
        expected: usize,
    },
    /// The shape's product is not the number of elements.
    Shape {
        /// The shape given to `axis`.
        shape: Vec<usize>,
        /// The number of elements in the input.
        len: usize,
    },
    /// The size of an image that is to be halved is odd, and not 1.
    Halves {
        /// Which size: `"height"`, `"width"`.
        what: &'static str,
        /// How many pixels it is.
        size: usize,
        /// The level of which it is the size: 0 is the image.
        level: usize,
    },
    /// A window has more columns than a block of a CUDA device.
    Window {
        /// How many columns it has, of those that there are.
        columns: usize,
        /// The most that it may have.
        most: usize,
    },
    /// The axis does not exist in the shape.
    Axis {
        /// The axis asked for, counted from 0.
        axis: usize,
        /// The number of axes.
        axes: usize,
    },
    /// The operator has no identity and the call needs one: an exclusive scan or an empty reduction without `init`.
    NoIdentity {
        /// The operator's type.
        operator: &'static str,
        /// What needs the identity.
        needed_by: &'static str,
    },
    /// Options that mean nothing together.
    Options {
        /// The options, as the caller wrote them.
        options: &'static str,
        /// Why they exclude each other and what to do instead.
        reason: &'static str,
    },
    /// The functions of a call hold more bytes of values than a kernel's parameters have room for.
    Values {
        /// The bytes of all values of the call's functions.
        bytes: usize,
        /// The most bytes there may be: [`MAX_VALUES_BYTES`](crate::operator::MAX_VALUES_BYTES).
        most: usize,
    },
    /// Segment offsets that do not ascend, or that leave the input.
    Offsets {
        /// The position in the offsets.
        index: usize,
        /// The offset there.
        offset: i128,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// A place in the order of some elements that they have not.
    Rank {
        /// What is asked for: `"the first"`, `"place"`.
        what: &'static str,
        /// How many, or which one.
        rank: usize,
        /// The number of elements, in a row or in all.
        len: usize,
    },
    /// A histogram without bins, or with too many.
    Bins {
        /// The bins asked for.
        bins: usize,
        /// The most bins there may be: [`MAX_BINS`](crate::bins::MAX_BINS).
        most: usize,
    },
    /// A histogram of no channels, of more than there are, or of too many.
    Channels {
        /// The channels of the input.
        channels: usize,
        /// How many of them are to be counted.
        counted: usize,
        /// The most channels there may be: `MAX_CHANNELS` of `histogram`.
        most: usize,
    },
    /// A range that cannot be cut into so many bins.
    Range {
        /// Where it begins.
        low: String,
        /// Where it ends.
        high: String,
        /// The bins.
        bins: usize,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// Edges of bins that do not ascend.
    Edges {
        /// The position of the edge that is less than the one before it, or NaN.
        index: usize,
    },
    /// A linked list that does not have all elements of its array: some go round in circles, or two have the same one behind them.
    List {
        /// The elements of the array.
        len: usize,
    },
    /// A coefficient of a recurrence that it cannot have, or too many of them.
    Coefficients {
        /// Which one: `"a[0]"`, `"the coefficients a"`, ...
        what: String,
        /// Its value, or their number.
        value: String,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// An automaton that is larger than one may be, or that has a step to nowhere.
    Automaton {
        /// What is too large: `"states"`, `"the next state of a step"`, ...
        what: &'static str,
        /// How large it is.
        found: usize,
        /// How large it may be.
        most: usize,
    },
    /// A buffer has room for fewer elements than there are. Nothing was written past it.
    Capacity {
        /// Which buffer: `"output"`, `"counted input"`, ...
        what: &'static str,
        /// How many elements there are.
        needed: usize,
        /// How many it has room for.
        capacity: usize,
    },
    /// An index that names no element: of a table that is read, or of an output that results go to.
    Index {
        /// The position in the indices.
        at: usize,
        /// The index there.
        index: i128,
        /// The number of elements that there are.
        len: usize,
    },
    /// A buffer is not where the device computes; upsweep makes no hidden copies.
    Place {
        /// Which buffer.
        what: &'static str,
        /// Where it is.
        found: &'static str,
        /// Where it must be.
        expected: &'static str,
    },
    /// Input and output overlap without being the same memory.
    Overlap,
    /// No such device, or no driver for it.
    Device {
        /// What was looked for and what was found.
        reason: String,
    },
    /// A CUDA driver call failed.
    Driver {
        /// What upsweep was doing.
        doing: &'static str,
        /// The driver's own words.
        reason: String,
    },
    /// The device has not enough memory.
    OutOfMemory {
        /// The bytes asked for.
        bytes: usize,
    },
    /// NVRTC is missing or could not compile a kernel.
    Compile {
        /// The options given to NVRTC.
        options: Vec<String>,
        /// NVRTC's own log, or what is missing.
        log: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { what, found, expected } => {
                write!(f, "the number of elements of the {what} is {found}, and must be {expected}")
            }
            Self::Shape { shape, len } => {
                write!(f, "the shape {shape:?} has another number of elements than the input, which has {len}")
            }
            Self::Halves { what, size, level } => {
                write!(f, "the {what} of level {level} is {size}: what is halved must be even, or 1")
            }
            Self::Window { columns, most } => {
                write!(
                    f,
                    "the window has {columns} columns, and on CUDA at most {most}: take differences of a scan's results instead"
                )
            }
            Self::Axis { axis, axes: 0 } => write!(f, "there is no axis {axis}: the shape has none"),
            Self::Axis { axis, axes: 1 } => write!(f, "there is no axis {axis}: the shape has axis 0 only"),
            Self::Axis { axis, axes } => write!(f, "there is no axis {axis}: the shape has the axes 0 to {}", axes - 1),
            Self::NoIdentity { operator, needed_by } => {
                write!(f, "{needed_by} needs an identity, which {operator} has not: give an initial value with init")
            }
            Self::Options { options, reason } => write!(f, "{options}: {reason}"),
            Self::Values { bytes, most } => write!(
                f,
                "the values that the functions hold have {bytes} bytes together, and may have {most}: give what is larger as an \
                 input"
            ),
            Self::Offsets { index, offset, rule } => {
                write!(f, "the segment offset {offset} at position {index} {rule}")
            }
            Self::Rank { what, rank, len: 0 } => write!(f, "{what} {rank}: there are no elements"),
            Self::Rank { what: what @ "place", rank, len } => {
                write!(f, "{what} {rank}: {len} elements have the places 0 to {}", len - 1)
            }
            Self::Rank { what, rank, len } => write!(f, "{what} {rank}: there are {len} elements"),
            Self::Bins { bins, most } => write!(f, "{bins} bins: a histogram has 1 to {most}"),
            Self::Channels { channels, counted, most } => {
                write!(f, "{counted} of {channels} channels: a histogram counts 1 to all of up to {most} channels")
            }
            Self::Range { low, high, bins, rule } => write!(f, "the range from {low} to {high} in {bins} bins {rule}"),
            Self::List { len } => {
                let why = "some go round in circles, or two have the same one behind them";
                write!(f, "not all of the {len} elements are on the list that begins with the first: {why}")
            }
            Self::Edges { index } => {
                write!(f, "the edge at position {index} is less than the one before it, or is NaN: edges ascend")
            }
            Self::Coefficients { what, value, rule } => write!(f, "{what} is {value}: {rule}"),
            Self::Automaton { what, found: 0, most } => write!(f, "an automaton without {what}: it has 1 to {most}"),
            Self::Automaton { what, found, most } => {
                write!(f, "an automaton: {what}: {found}, and may be at most {most}")
            }
            Self::Capacity { what, needed, capacity } => {
                write!(f, "the {what} has room for {capacity} elements, and there are {needed}: give a larger one")
            }
            Self::Index { at, index, len: 0 } => {
                write!(f, "the index {index} at position {at} names no element: there are none")
            }
            Self::Index { at, index, len } => {
                write!(f, "the index {index} at position {at} names no element: there are those from 0 to {}", len - 1)
            }
            Self::Place { what, found, expected } => {
                write!(
                    f,
                    "the {what} is in {found} memory and the device computes in {expected} memory: upload or download it first"
                )
            }
            Self::Overlap => f.write_str(
                "input and output overlap without being the same memory: use separate buffers, or run_in_place",
            ),
            Self::Device { reason } => f.write_str(reason),
            Self::Driver { doing, reason } => write!(f, "{doing}: {reason}"),
            Self::OutOfMemory { bytes } => write!(f, "not enough memory on the device for {bytes} bytes"),
            Self::Compile { options, log } => write!(f, "NVRTC with the options {options:?}: {log}"),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fit_one_and_many() {
        let keys = Error::Length { what: "keys", found: 1, expected: 5 };
        let output = Error::Length { what: "output", found: 0, expected: 1 };
        let shape = Error::Shape { shape: vec![2, 3], len: 1 };
        let axis = |axis, axes| Error::Axis { axis, axes }.to_string();
        let index = |index, len| Error::Index { at: 7, index, len }.to_string();
        assert_eq!(keys.to_string(), "the number of elements of the keys is 1, and must be 5");
        assert_eq!(output.to_string(), "the number of elements of the output is 0, and must be 1");
        assert_eq!(shape.to_string(), "the shape [2, 3] has another number of elements than the input, which has 1");
        assert_eq!(axis(3, 3), "there is no axis 3: the shape has the axes 0 to 2");
        assert_eq!(axis(1, 1), "there is no axis 1: the shape has axis 0 only");
        assert_eq!(axis(0, 0), "there is no axis 0: the shape has none");
        assert_eq!(index(-1, 5), "the index -1 at position 7 names no element: there are those from 0 to 4");
        assert_eq!(index(0, 0), "the index 0 at position 7 names no element: there are none");
    }
}
