//! What applications find wrong, beside the library's own errors.

use std::fmt;

/// The result of every call of an application.
pub type Result<T> = std::result::Result<T, Error>;

/// What was wrong with a call of an application, with the values that show it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// An error of the library: a length, a place, memory, a driver.
    Library(upsweep::Error),
    /// Points of an interpolation that are the same, or no numbers.
    Points {
        /// The position of the first of them.
        first: usize,
        /// The position of the other; of a point that is no finite number its own.
        second: usize,
        /// The point.
        x: f64,
    },
    /// The differences of the points of an interpolation multiply to more than f64 holds, or to 0.
    Scale {
        /// The first coefficient that is no finite number.
        coefficient: usize,
    },
    /// Numbers modulo 0.
    Modulus,
    /// A parent that is no vertex.
    Parent {
        /// Whose parent it is.
        vertex: u32,
        /// The parent.
        parent: u32,
        /// The number of vertices.
        vertices: u32,
    },
    /// Vertices of a tree that are their own ancestors.
    Cycle {
        /// One of them.
        vertex: u32,
    },
    /// A rule of a lexer, or a pattern, that cannot be one.
    Rule {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// An automaton with too many states.
    States {
        /// How many it has.
        states: usize,
        /// The most it may have.
        most: usize,
    },
    /// Brackets that do not match.
    Bracket {
        /// The place of the first that has no partner, or one of another kind.
        at: u64,
    },
    /// Sums of an image's values that their type does not hold.
    Overflow {
        /// How many values are added.
        values: usize,
        /// What they add up to.
        sum: u64,
        /// The most that the type holds exactly.
        most: u64,
        /// The type of the sums.
        accumulator: &'static str,
    },
    /// A number that an option cannot be.
    Number {
        /// What it was to be.
        what: &'static str,
        /// The number.
        value: f64,
        /// What it has to be.
        rule: &'static str,
    },
    /// A point that is not in a raster.
    Outside {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A matrix that is to be a graph, and is not square.
    Square {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// Too many vertices of a tree.
    Vertices {
        /// How many there are.
        vertices: usize,
        /// The most there may be.
        most: usize,
    },
    /// Not one edge less than vertices, as a tree has.
    Edges {
        /// The number of edges.
        edges: usize,
        /// The number of vertices.
        vertices: u32,
    },
    /// A vertex that no edges connect with the root.
    Unreached {
        /// The vertex.
        vertex: u32,
        /// The root.
        root: u32,
    },
}

/// The first characters of a text that may be of any length.
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
