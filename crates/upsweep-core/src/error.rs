//! The one error type: a variant for each broken precondition, with its values.

use std::fmt;

/// Result of every call of upsweep.
pub type Result<T> = std::result::Result<T, Error>;

/// Error of a call, with the values that show it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Two buffers that must have equally many elements do not.
    Length {
        /// Name of the wrong buffer: `"output"`, `"head flags"`, `"keys"`, ...
        what: &'static str,
        /// Number of elements it has.
        found: usize,
        /// Number of elements it must have.
        expected: usize,
    },
    /// A buffer has fewer elements than any call needs.
    TooFew {
        /// Name of the buffer: `"offsets"`, `"edges"`.
        what: &'static str,
        /// Number of elements it has.
        found: usize,
        /// Smallest number of elements that the buffer must have.
        least: usize,
    },
    /// The elements are not whole pixels.
    Pixels {
        /// Number of elements.
        len: usize,
        /// Number of channels of a pixel.
        channels: usize,
    },
    /// The shape's product is not the number of elements.
    Shape {
        /// The shape given to `axis`.
        shape: Vec<usize>,
        /// The number of elements in the input.
        len: usize,
    },
    /// The size of an image that must be halved is odd, and not 1.
    Halves {
        /// Name of the size: `"height"`, `"width"`.
        what: &'static str,
        /// Size in pixels.
        size: usize,
        /// Level that has this size: 0 is the image.
        level: usize,
    },
    /// A window has more columns than a block of a CUDA device has room for.
    Window {
        /// Columns of the window that exist in the array.
        columns: usize,
        /// Largest number of columns that a window can have.
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
        /// Call that needs the identity.
        needed_by: &'static str,
    },
    /// Options that exclude each other.
    Options {
        /// The options, as the caller wrote them.
        options: &'static str,
        /// Reason why they exclude each other, and an alternative.
        reason: &'static str,
    },
    /// The functions of a call hold more bytes of values than a kernel's parameters have room for.
    Values {
        /// The bytes of all values of the call's functions.
        bytes: usize,
        /// Largest number of bytes: [`MAX_VALUES_BYTES`](crate::operator::MAX_VALUES_BYTES).
        most: usize,
    },
    /// Segment offsets that do not ascend, or that are outside the input.
    Offsets {
        /// Position of the wrong offset in the buffer of offsets.
        index: usize,
        /// Value of the wrong offset.
        offset: i128,
        /// Rule that the offset breaks.
        rule: &'static str,
    },
    /// A rank that does not exist among the elements.
    Rank {
        /// Kind of rank: `"the first"`, `"place"`.
        what: &'static str,
        /// Number of elements, or position, that the call requested.
        rank: usize,
        /// The number of elements, in a row or in all.
        len: usize,
    },
    /// A segment with fewer elements than a call needs of each.
    Segment {
        /// Number of the segment, from 0 on.
        segment: usize,
        /// The number of its elements.
        len: usize,
        /// The number of elements that it needs.
        needed: usize,
    },
    /// A histogram without bins, or with too many.
    Bins {
        /// Number of bins that the call requested.
        bins: usize,
        /// Largest number of bins: [`MAX_BINS`](crate::bins::MAX_BINS).
        most: usize,
    },
    /// A histogram of no channels, of more than the input has, or of too many.
    Channels {
        /// Number of channels of the input.
        channels: usize,
        /// Number of channels to be counted.
        counted: usize,
        /// Largest number of channels: `MAX_CHANNELS` of `histogram`.
        most: usize,
    },
    /// A range that cannot be cut into the bins.
    Range {
        /// Lower end of the range.
        low: String,
        /// Upper end of the range.
        high: String,
        /// Number of bins.
        bins: usize,
        /// Rule that the range breaks.
        rule: &'static str,
    },
    /// Edges of bins that do not ascend.
    Edges {
        /// The position of the edge that is less than the one before it, or NaN.
        index: usize,
    },
    /// A linked list that does not have all elements of its array: it has a cycle, or two elements have the same
    /// successor.
    List {
        /// Number of elements of the array.
        len: usize,
    },
    /// A coefficient that a recurrence cannot have, or too many of them.
    Coefficients {
        /// Name of the coefficient: `"a[0]"`, `"the coefficients a"`, ...
        what: String,
        /// Value of the coefficient, or the number of coefficients.
        value: String,
        /// Rule that the coefficient breaks.
        rule: &'static str,
    },
    /// An automaton without states, or above a size limit.
    Automaton {
        /// Name of the size: `"states"`, `"events of a step"`, ...
        what: &'static str,
        /// Size that was found: more than `most`, or 0 states.
        found: usize,
        /// Largest allowed size of this name in an automaton.
        most: usize,
    },
    /// A step of an automaton to a state, or with a list of events, that does not exist.
    Step {
        /// Kind of number: `"state"`, `"list of events"`.
        what: &'static str,
        /// Number that the step names.
        found: usize,
        /// Number of states, or of lists of events, of the automaton. They are counted from 0.
        number: usize,
    },
    /// A buffer has room for fewer elements than there are. Nothing was written past its end.
    Capacity {
        /// Name of the buffer: `"output"`, `"counted input"`, ...
        what: &'static str,
        /// Number of elements.
        needed: usize,
        /// Number of elements that the buffer has room for.
        capacity: usize,
    },
    /// An index outside a table that is read, or outside an output that results are scattered to.
    Index {
        /// Position of the wrong index in the indices.
        at: usize,
        /// Value of the wrong index.
        index: i128,
        /// Number of elements of the table or output.
        len: usize,
    },
    /// A buffer is not where the device computes; upsweep makes no hidden copies.
    Place {
        /// Name of the buffer.
        what: &'static str,
        /// Memory that holds the buffer.
        found: &'static str,
        /// Memory that must hold the buffer.
        expected: &'static str,
    },
    /// Input and output overlap without being the same memory.
    Overlap,
    /// A carry that is damaged, or that belongs to another call.
    Carry {
        /// What is wrong with it, with the values found and expected.
        reason: String,
    },
    /// No such device, or no driver for it.
    Device {
        /// The device requested, and what was found.
        reason: String,
    },
    /// A CUDA driver call failed.
    Driver {
        /// Operation during which the call failed.
        doing: &'static str,
        /// The driver's message.
        reason: String,
    },
    /// The device or the host has not enough memory.
    OutOfMemory {
        /// Bytes requested.
        bytes: usize,
    },
    /// NVRTC is missing or could not compile a kernel.
    Compile {
        /// The options given to NVRTC.
        options: Vec<String>,
        /// NVRTC's log, or the name of what is missing.
        log: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { what, found, expected } => {
                write!(f, "the number of elements of the {what} is {found}, and must be {expected}")
            }
            Self::TooFew { what, found, least } => {
                write!(f, "the number of elements of the {what} is {found}, and must be at least {least}")
            }
            Self::Pixels { len, channels } => write!(f, "{len} elements are no whole pixels of {channels} channels"),
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
                let operator = without_paths(operator);
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
            Self::Segment { segment, len, needed } => write!(
                f,
                "segment {segment} has {len} elements, and {needed} are needed: give by `or` the value that stands where there is none"
            ),
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
            Self::Step { what, found, number: 0 } => write!(f, "a step names the {what} {found}: there is none"),
            Self::Step { what, found, number: 1 } => write!(f, "a step names the {what} {found}: there is only 0"),
            Self::Step { what, found, number } => {
                write!(f, "a step names the {what} {found}: there are those from 0 to {}", number - 1)
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
            Self::Carry { reason } => write!(f, "the carry {reason}"),
            Self::Device { reason } => f.write_str(reason),
            Self::Driver { doing, reason } => write!(f, "{doing}: {reason}"),
            Self::OutOfMemory { bytes: usize::MAX } => {
                f.write_str("not enough memory: the size in bytes is larger than any address")
            }
            Self::OutOfMemory { bytes } => write!(f, "not enough memory for {bytes} bytes"),
            Self::Compile { options, log } => write!(f, "NVRTC with the options {options:?}: {log}"),
        }
    }
}

impl std::error::Error for Error {}

/// Returns a type's name without the paths of modules.
#[must_use]
pub fn without_paths(name: &str) -> String {
    let mut short = String::new();
    for part in name.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        short.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    short
}

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
        let step = |number| Error::Step { what: "state", found: 7, number }.to_string();
        assert_eq!(step(0), "a step names the state 7: there is none");
        assert_eq!(step(1), "a step names the state 7: there is only 0");
        assert_eq!(step(3), "a step names the state 7: there are those from 0 to 2");
    }

    #[test]
    fn names_of_types_have_no_paths() {
        for (long, short) in [
            ("First", "First"),
            ("upsweep_core::operator::builtin::First", "First"),
            ("a::Of<b::c::Of<u32>, (d::E, [f::G_1; 4])>", "Of<Of<u32>, (E, [G_1; 4])>"),
            ("", ""),
        ] {
            assert_eq!(without_paths(long), short);
        }
    }
}
