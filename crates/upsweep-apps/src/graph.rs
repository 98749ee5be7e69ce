//! Graphs and sparse matrices in compressed rows (CSR): built from lists of edges, transposed, multiplied with vectors.
//!
//! ```
//! use upsweep::prelude::*;
//! use upsweep_apps::graph::{Edges, Matrix};
//!
//! let device = Device::cpu();
//! let graph = Edges::new(4).build(&device, &[2u32, 0, 0, 2], &[1u32, 3, 1, 0])?;
//! assert_eq!(graph.offsets().to_vec()?, [0, 2, 2, 4, 4]);
//! assert_eq!(graph.targets().to_vec()?, [1, 3, 0, 1]);
//!
//! #[function]
//! fn times(a: f64, x: f64) -> f64 {
//!     a * x
//! }
//! #[function]
//! fn plus(a: f64, x: f64) -> f64 {
//!     a + x
//! }
//! // [1 2; 0 5], whose lower right value comes in two parts.
//! let matrix = Matrix::build(&device, (2, 2), (&[1u32, 0, 0, 1], &[1u32, 0, 1, 1], &[2.0, 1.0, 2.0, 3.0]))?;
//! assert_eq!(matrix.product(&device, Sum, Times, &[10.0, 1.0])?.to_vec()?, [12.0, 5.0]);
//! // Any semiring: the shortest way by one edge more.
//! assert_eq!(matrix.product(&device, Min, Plus, &[0.0, 7.0])?.to_vec()?, [1.0, 12.0]);
//! # Ok::<(), upsweep::Error>(())
//! ```
//!
//! **Cost.** Building sorts the list of edges by 64-bit keys, row and column. A product reads each value, its column
//! and an element of the vector once, and adds in the order of the columns, grouped by the number of values: the same
//! bits in every run.

mod rank;

pub use self::rank::{PageRank, page_rank, page_rank_weighted};

use crate::part::{Part, PartMut, element, map};
use upsweep::operator::{Map, MapWith, Number};
use upsweep::prelude::*;
use upsweep::{Error, Input, Result};

/// Largest number of vertices of a graph, and of rows of a matrix.
pub const MAX_ROWS: usize = u32::MAX as usize;

/// Builder of a graph from its edges.
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is built until build is called"]
pub struct Edges {
    vertices: usize,
    symmetric: bool,
    distinct: bool,
}

/// Encoding of a matrix entry's position as a sort key. The row has the highest bits and the column the bits below it,
/// so the sort finds the bits that vary at the top.
#[derive(Clone, Copy, Debug)]
struct Places {
    shape: (usize, usize),
}

#[function]
fn key(#[param] row: u32, #[param] column: u32, from: u32, to: u32) -> u64 {
    (from as u64) << row | (to as u64) << column
}

#[function]
fn column_of(#[param] column: u32, #[param] columns: u32, key: u64) -> u32 {
    (key >> column) as u32 & columns
}

/// First sort key of the row `at`. After the last row it is `u64::MAX`, so that a search finds the number of edges.
#[function]
fn row_key(#[param] row: u32, #[param] rows: u64, at: u64) -> u64 {
    if at < rows { at << row } else { u64::MAX }
}

impl Places {
    /// Encoding for a matrix of the shape (rows, columns).
    ///
    /// # Errors
    /// [`Error::Options`] when there are more than [`MAX_ROWS`] rows.
    fn of(shape: (usize, usize)) -> Result<Self> {
        if shape.0 > MAX_ROWS {
            let reason = "vertices and rows are numbers of 32 bits: there are at most 4,294,967,295 of them";
            return Err(Error::Options { options: "more than 2^32 - 1 vertices or rows", reason });
        }
        Ok(Self { shape })
    }

    /// Number of bits of the indices below `count`, at least 1 and at most 32.
    fn bits(count: usize) -> u32 {
        (usize::BITS - count.saturating_sub(1).leading_zeros()).clamp(1, 32)
    }

    fn row_shift(self) -> u32 {
        u64::BITS - Self::bits(self.shape.0)
    }

    fn key(self) -> Key {
        let row = self.row_shift();
        Key { row, column: row - Self::bits(self.shape.1) }
    }

    fn column_of(self) -> ColumnOf {
        ColumnOf { column: self.key().column, columns: u32::MAX >> (32 - Self::bits(self.shape.1)) }
    }

    fn row_key(self) -> RowKey {
        RowKey { row: self.row_shift(), rows: self.shape.0 as u64 }
    }
}

/// Index `at` of an edge whose source or target is not in the matrix; `u64::MAX` for an edge with both in it.
#[function]
fn outside(#[param] rows: u64, #[param] columns: u64, from: u32, to: u32, at: u64) -> u64 {
    if (from as u64) < rows && (to as u64) < columns { u64::MAX } else { at }
}

#[function]
fn length(begin: u64, end: u64) -> u32 {
    (end - begin) as u32
}

impl Edges {
    /// Builder of a graph with this number of vertices.
    pub fn new(vertices: usize) -> Self {
        Self { vertices, symmetric: false, distinct: false }
    }

    /// Adds each edge in both directions.
    pub fn symmetric(mut self) -> Self {
        self.symmetric = true;
        self
    }

    /// Keeps one of several edges with the same source and the same target.
    pub fn distinct(mut self) -> Self {
        self.distinct = true;
        self
    }

    /// Builds the graph whose edges go from `from[i]` to `to[i]`. On CUDA this waits.
    ///
    /// # Errors
    /// - [`Error::Index`]: an edge of a vertex that does not exist
    /// - [`Error::Length`]: the two lists differ in length
    /// - [`Error::Options`]: more than [`MAX_ROWS`] vertices
    /// - [`Error::Place`], [`Error::OutOfMemory`]; CUDA's own
    pub fn build<A, B>(&self, device: &Device, from: &A, to: &B) -> Result<Csr>
    where
        A: Input<Item = u32> + ?Sized,
        B: Input<Item = u32> + ?Sized,
    {
        self.build_on(device, &Part::all(from), &Part::all(to))
    }

    fn build_on(&self, device: &Device, from: &Part<'_, u32>, to: &Part<'_, u32>) -> Result<Csr> {
        let places = Places::of((self.vertices, self.vertices))?;
        let edges = check(device, places.shape, (from, to))?;
        let keys: Array<u64> = if self.symmetric {
            let mut keys = device.room(2 * edges)?;
            let (there, back) = (Apply(places.key(), (from, to)), Apply(places.key(), (to, from)));
            Transform::copy().run(device, there, &mut PartMut::of(&mut keys, 0..edges)?)?;
            Transform::copy().run(device, back, &mut PartMut::of(&mut keys, edges..2 * edges)?)?;
            keys
        } else {
            map(device, places.key(), (from, to))?
        };
        let mut keys = Sort::new().run_to_array(device, &keys)?;
        if self.distinct {
            keys = distinct(device, &keys)?;
        }
        Csr::of(device, places, &keys)
    }
}

/// Returns the number of edges, after checking that the ends of all edges are in a matrix of the shape (rows, columns).
fn check(
    device: &Device,
    (rows, columns): (usize, usize),
    (from, to): (&Part<'_, u32>, &Part<'_, u32>),
) -> Result<usize> {
    let edges = from.view().len();
    let outside = Outside { rows: rows as u64, columns: columns as u64 };
    let at: u64 = Reduce::new(Min).map(outside).run_to_host(device, (from, to, 0..edges as u64))?;
    let Ok(at) = usize::try_from(at) else { return Ok(edges) };
    if at >= edges {
        return Ok(edges);
    }
    let row = element(device, from, at)?;
    if row as usize >= rows {
        return Err(Error::Index { at, index: row.into(), len: rows });
    }
    Err(Error::Index { at, index: element(device, to, at)?.into(), len: columns })
}

fn distinct(device: &Device, sorted: &Array<u64>) -> Result<Array<u64>> {
    Dedup::new().run_to_array(device, sorted)
}

/// Graph: the edges from vertex `v` go to `targets[offsets[v]..offsets[v + 1]]`, which ascend.
#[derive(Debug)]
pub struct Csr {
    offsets: Array<u64>,
    targets: Array<u32>,
}

impl Csr {
    /// Creates the graph from the sorted keys of its edges.
    fn of(device: &Device, places: Places, keys: &Array<u64>) -> Result<Self> {
        let begins: Array<u64> = map(device, places.row_key(), 0..places.shape.0 as u64 + 1)?;
        let offsets = Search::lower(keys).run_to_array(device, &begins)?;
        Ok(Self { offsets, targets: map(device, places.column_of(), keys)? })
    }

    /// Number of vertices of the graph; for the positions of a matrix, number of its rows.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Index of the first edge of each vertex, and after the last vertex the number of edges.
    #[must_use]
    pub fn offsets(&self) -> &Array<u64> {
        &self.offsets
    }

    /// Target of each edge: the edges are ordered by source, then by target.
    #[must_use]
    pub fn targets(&self) -> &Array<u32> {
        &self.targets
    }

    /// Number of edges of each vertex.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; CUDA's own.
    pub fn degrees(&self, device: &Device) -> Result<Array<u32>> {
        let n = self.vertices();
        map(device, Length, (&Part::of(&self.offsets, 0..n)?, &Part::of(&self.offsets, 1..n + 1)?))
    }

    /// Source of each edge.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; CUDA's own.
    pub fn sources(&self, device: &Device) -> Result<Array<u32>> {
        Expand::new().run_to_array(device, &self.degrees(device)?)
    }

    /// Graph with all edges reversed.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; CUDA's own.
    pub fn transposed(&self, device: &Device) -> Result<Self> {
        Edges::new(self.vertices()).build(device, &self.targets, &self.sources(device)?)
    }
}

/// Sparse matrix in compressed rows: the positions of its values, and the values.
#[derive(Debug)]
pub struct Matrix<T> {
    rows: Csr,
    columns: usize,
    values: Array<T>,
}

impl<T: Number> Matrix<T> {
    /// Builds the matrix of `shape.0` rows and `shape.1` columns with `values[i]` in row `rows[i]` and column
    /// `columns[i]`. Values of the same row and column are added, in input order. On CUDA this waits.
    ///
    /// # Errors
    /// As [`Edges::build`].
    pub fn build<R, C, V>(device: &Device, shape: (usize, usize), (rows, columns, values): (&R, &C, &V)) -> Result<Self>
    where
        R: Input<Item = u32> + ?Sized,
        C: Input<Item = u32> + ?Sized,
        V: Input<Item = T> + ?Sized,
    {
        let (at, values) = ((&Part::all(rows), &Part::all(columns)), &Part::all(values));
        let places = Places::of(shape)?;
        let entries = check(device, shape, at)?;
        let keys: Array<u64> = map(device, places.key(), at)?;
        let (mut sorted, mut ordered) = (device.room(entries)?, device.room(entries)?);
        Sort::pairs().run(device, (&keys, values), (&mut sorted, &mut ordered))?;
        let distinct = distinct(device, &sorted)?;
        let mut values = device.room(distinct.len())?;
        if entries > 0 {
            Reduce::new(Sum).segments(Segments::Keys(&sorted)).run(device, &ordered, &mut values)?;
        }
        Ok(Self { rows: Csr::of(device, places, &distinct)?, columns: shape.1, values })
    }

    /// Matrix with rows and columns exchanged: a graph with weights and reversed edges. On CUDA this waits.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; CUDA's own.
    pub fn transposed(&self, device: &Device) -> Result<Self> {
        let shape = (self.columns, self.rows.vertices());
        Self::build(device, shape, (&self.rows.targets, &self.rows.sources(device)?, &self.values))
    }

    /// Positions of the values, in compressed rows.
    #[must_use]
    pub fn rows(&self) -> &Csr {
        &self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Values, row by row, in the order of the columns.
    #[must_use]
    pub fn values(&self) -> &Array<T> {
        &self.values
    }

    /// Product with a vector over a semiring: `y[i]` is the combination by `plus` of all `times(a[i][j], x[j])`, and
    /// the identity for a row without values. `Sum` and a product are the usual semiring. `Min` and a sum find shortest
    /// paths, `Or` and an `and` reachable vertices. On CUDA the work is enqueued and the call returns at once.
    ///
    /// # Errors
    /// - [`Error::Length`]: the vector's length is not the number of columns
    /// - [`Error::NoIdentity`]: `plus` has none
    /// - [`Error::Place`], [`Error::OutOfMemory`]; CUDA's own
    pub fn product<Op, F, X, Y>(&self, device: &Device, plus: Op, times: F, x: &X) -> Result<Array<Y>>
    where
        X: Input + ?Sized,
        Y: Element,
        Op: Operator<Y>,
        F: Copy + Send + Sync + 'static,
        MapWith<F>: Map<(T, X::Item), (T, X::Item), Output = Y>,
    {
        let found = x.view().len();
        if found != self.columns {
            return Err(Error::Length { what: "vector", found, expected: self.columns });
        }
        let reduce = Reduce::new(plus).map(times).segments(Segments::Offsets(&self.rows.offsets));
        reduce.run_to_array(device, (&self.values, Gather::of(x).at(&self.rows.targets)))
    }
}
