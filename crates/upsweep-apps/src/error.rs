//! Errors of the applications: the library's own, and those that only applications find.

use std::fmt;

/// Result of every call of an application.
pub type Result<T> = std::result::Result<T, Error>;

/// Error of a call of an application, with the values that show it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// Error of the library, such as of a length, of the place of a buffer, of memory or of a driver.
    Library(upsweep::Error),
    /// Points of an interpolation that are equal, or not finite.
    Points {
        /// Position of the first of the two points.
        first: usize,
        /// Position of the second point; the first position again for a point that is not finite.
        second: usize,
        /// Value x of the second point, which is equal to the first or not finite.
        x: f64,
    },
    /// Differences of the points of an interpolation whose product is 0 or outside the range of f64.
    Scale {
        /// Index of the first coefficient that is no finite number.
        coefficient: usize,
    },
    /// Modulus of 0.
    Modulus,
    /// Number given as a parent that is not the number of a vertex.
    Parent {
        /// Vertex that has the parent.
        vertex: u32,
        /// Number that was given as the vertex's parent.
        parent: u32,
        /// Number of vertices of the tree.
        vertices: u32,
    },
    /// Vertices of a tree that are their own ancestors.
    Cycle {
        /// One vertex of the cycle.
        vertex: u32,
    },
    /// Rule of a lexer, or pattern, that is not valid.
    Rule {
        /// Name of the rule.
        name: String,
        /// Reason why it is not valid.
        reason: String,
    },
    /// Automaton with too many states.
    States {
        /// Number of states of the automaton.
        states: usize,
        /// Largest number of states allowed.
        most: usize,
    },
    /// Brackets that do not match.
    Bracket {
        /// Position of the first bracket without a partner, or with one of another kind.
        at: u64,
    },
    /// Sum of an image's values that its type does not hold.
    Overflow {
        /// Number of values that are summed.
        values: usize,
        /// Sum of the values.
        sum: u64,
        /// Largest whole number up to which the type of the sums holds every whole number.
        most: u64,
        /// Name of the type of the sums.
        accumulator: &'static str,
    },
    /// Number, of an option or of an input, that breaks a rule.
    Number {
        /// Name of the number.
        what: &'static str,
        /// Value of the number.
        value: f64,
        /// Rule that the value breaks, in words.
        rule: &'static str,
    },
    /// Weight of a random choice that is negative, infinite or NaN.
    Weight {
        /// Index of the first such weight.
        at: usize,
        /// Value of the weight.
        weight: String,
    },
    /// Weights of a random choice that are all 0, or none.
    NoWeight {
        /// Number of weights.
        weights: usize,
    },
    /// Weights of a random choice whose sum is too large.
    Total {
        /// Number of weights.
        weights: usize,
        /// Name of the type of the sums.
        sums: &'static str,
    },
    /// Point outside a raster.
    Outside {
        /// Row of the point.
        row: usize,
        /// Column of the point.
        column: usize,
        /// Number of rows of the raster.
        rows: usize,
        /// Number of columns of the raster.
        columns: usize,
    },
    /// Matrix that is to be a graph, and is not square.
    Square {
        /// Number of rows of the matrix.
        rows: usize,
        /// Number of columns of the matrix.
        columns: usize,
    },
    /// Tree with too many vertices.
    Vertices {
        /// Number of vertices of the tree.
        vertices: usize,
        /// Largest number of vertices allowed.
        most: usize,
    },
    /// Number of edges that is not one less than the number of vertices, as in a tree.
    Edges {
        /// Number of edges that are given.
        edges: usize,
        /// Number of vertices of the tree.
        vertices: u32,
    },
    /// Vertex that no edges connect with the root.
    Unreached {
        /// Vertex that is not connected with the root.
        vertex: u32,
        /// Root of the tree.
        root: u32,
    },
}

/// First 100 characters of a text, with `...` if it is longer.
fn shortened(text: &str) -> String {
    const MOST: usize = 100;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library(error) => error.fmt(f),
            Self::Points { first, second, x } if first == second => {
                write!(f, "the point {x} at position {first} is no finite number")
            }
            Self::Points { first, second, x } => write!(
                f,
                "the points at positions {first} and {second} are both {x}: a polynomial has one value there; leave one out"
            ),
            Self::Scale { coefficient } => write!(
                f,
                "coefficient {coefficient} of the interpolation is no finite number: scale the points to an interval of length \
                 4, and order them by stable_order"
            ),
            Self::Parent { vertex, parent, vertices } => {
                write!(f, "the parent of vertex {vertex} is {parent}, and there are the vertices below {vertices} only")
            }
            Self::Cycle { vertex } => write!(f, "vertex {vertex} is its own ancestor: its parents lead back to it"),
            Self::Rule { name, reason } => write!(f, "the rule {}: {}", shortened(name), shortened(reason)),
            Self::States { states, most } => {
                write!(
                    f,
                    "the rules make an automaton of {states} states or more, and may make one of {most}: simplify them"
                )
            }
            Self::Bracket { at } => write!(f, "the bracket at {at} has no partner of its kind"),
            Self::Overflow { values, sum, most, accumulator } => write!(
                f,
                "{values} values add up to {sum}, and {accumulator} holds at most {most} exactly: take a wider type of sums"
            ),
            Self::Number { what, value, rule } => write!(f, "{what} is {value}: {rule}"),
            Self::Weight { at, weight } => write!(
                f,
                "the weight at position {at} is {weight}: weights are finite numbers from 0 on, and 0 is never drawn"
            ),
            Self::NoWeight { weights: 0 } => f.write_str("there are no weights, so nothing can be drawn"),
            Self::NoWeight { weights } => write!(
                f,
                "nothing can be drawn, as every weight is 0 (there are {weights}): what is to be drawn has one above 0"
            ),
            Self::Total { weights, sums } => write!(
                f,
                "the sum of the {weights} weights is too large for {sums}: give smaller ones, such as these as f64, divided by the \
                 largest"
            ),
            Self::Outside { row, column, rows, columns } => {
                write!(f, "row {row}, column {column} is no cell of {rows} rows and {columns} columns, counted from 0")
            }
            Self::Square { rows, columns } => {
                write!(f, "{rows} rows and {columns} columns: the matrix of a graph has as many columns as rows")
            }
            Self::Vertices { vertices, most } => write!(f, "{vertices} vertices: a tree has at most {most}"),
            Self::Edges { edges, vertices } => {
                write!(f, "{edges} edges of {vertices} vertices: a tree has one edge less than vertices")
            }
            Self::Unreached { vertex, root } => {
                write!(f, "no edges lead from the root {root} to vertex {vertex}, and others are on a cycle")
            }
            Self::Modulus => f.write_str("the modulus is 0: take a prime"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Library(error) => Some(error),
            _ => None,
        }
    }
}

impl From<upsweep::Error> for Error {
    fn from(error: upsweep::Error) -> Self {
        Self::Library(error)
    }
}
