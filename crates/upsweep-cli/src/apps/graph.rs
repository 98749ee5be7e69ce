//! Command `upsweep graph`: rows of graphs and sparse matrices, products, page ranks.

mod edges;
mod entries;
mod weights;

use super::{TextFile, column, failed, float, write_values};
use crate::args::apps::{Csr, Graph, OfGraph, Pagerank, Spmv};
use crate::device::{Chosen, Work};
use crate::element::{Values, with_values};
use crate::failure::{Failure, Result, quoted};
use crate::input::Input;
use crate::names;
use crate::output::Destination;
use crate::table::WrittenRows;
use edges::Ends;
use entries::Entries;
use std::path::Path;
use upsweep::Device;
use upsweep::operator::Number;
use upsweep::prelude::{Sum, function};
use upsweep_apps::graph::{Edges, Matrix, page_rank, page_rank_weighted};
use weights::{exact_floats, whole};

pub(crate) fn run(graph: &Graph) -> Result<()> {
    match graph {
        Graph::Csr(args) => csr(args),
        Graph::Spmv(args) => spmv(args),
        Graph::Pagerank(args) => pagerank(args),
    }
}

/// Reads a Matrix Market file, or a table of edges.
fn load(of: &OfGraph, ends: Ends) -> Result<(Entries, String)> {
    if let Some(delimiter) = of.table.delimiter(names::delimiter(&of.file)) {
        return edges::read(of, delimiter, ends);
    }
    let TextFile { bytes, name, .. } = TextFile::read(&of.file, of.table.text(b' '))?;
    let mut entries = Entries::parse(&bytes, &name)?;
    if of.unweighted {
        (entries.values, entries.weighted) = (vec![1i64; entries.rows.len()].into(), false);
    }
    Ok((entries, name))
}

/// Reads a graph whose vertices are numbers. With `names` the vertices of a table may be any texts: they are numbered,
/// and the texts are written to that file in the order of their numbers.
fn load_numbered(of: &OfGraph, names: Option<&Path>) -> Result<(Entries, String)> {
    let ends = if names.is_some() { Ends::Names } else { Ends::Numbers };
    let to = names.map(|path| Destination::of("--names", path)).transpose()?;
    let (entries, name) = load(of, ends)?;
    if let (Some(path), Some(to)) = (names, to) {
        let Some(names) = &entries.names else {
            let reason = "--names is for tables: vertices of a Matrix Market file are numbers";
            return Err(Failure::input(&name, reason));
        };
        let delimiter = names::delimiter(path).unwrap_or(b'\t');
        rows(&to, delimiter, names.iter().map(|name| [name.as_slice()]))?;
    }
    Ok((entries, name))
}

/// Writes rows of `N` cells to `to`, separated by `delimiter`.
fn rows<const N: usize, C: AsRef<[u8]>>(
    to: &Destination,
    delimiter: u8,
    rows: impl Iterator<Item = [C; N]>,
) -> Result<()> {
    to.write(|out| {
        let mut out = WrittenRows::to(out, to.name(), delimiter);
        for cells in rows {
            out.write(cells.iter().map(AsRef::as_ref))?;
        }
        Ok(())
    })
}

/// Builds the sparse matrix with the rows and columns of `entries`, and `values`. Values with the same row and column
/// are added. Whether sums of integers fit their type is not checked here.
fn matrix<T: Number>(device: &Device, entries: &Entries, values: &[T], name: &str) -> Result<Matrix<T>> {
    entries.matrix(device, values).map_err(|e| failed(name, e))
}

/// Checks that the sum of all integer entries with the same row and column fits their type.
fn check(entries: &Entries, name: &str) -> Result<()> {
    let (least, most) = match entries.values {
        Values::I64(_) => (i64::MIN.into(), i64::MAX.into()),
        Values::U64(_) => (0, u64::MAX.into()),
        _ => return Ok(()),
    };
    let values = whole(&entries.values).unwrap_or_default();
    match entries.overflow(&values, least, most) {
        None => Ok(()),
        Some(((row, column), sum)) => {
            let element = entries.values.element().name();
            let reason = format!("the entries of row {row}, column {column} add up to {sum}");
            Err(Failure::input(name, format!("{reason}, which does not fit {element} (both are counted from 0)")))
        }
    }
}

fn csr(args: &Csr) -> Result<()> {
    let device = Chosen::open(args.on.device, Work::Computation)?.device;
    let (entries, name) = load_numbered(&args.of, args.names.as_deref())?;
    check(&entries, &name)?;
    macro_rules! write {
        ($values:expr) => {{
            let matrix = matrix(&device, &entries, $values, &name)?;
            let library = |e: upsweep::Error| failed(&name, e);
            if let Some(path) = &args.columns {
                write_values(Some(path), &matrix.rows().targets().to_vec().map_err(library)?.into())?;
            }
            if let Some(path) = &args.values {
                write_values(Some(path), &matrix.values().to_vec().map_err(library)?.into())?;
            }
            write_values(Some(&args.offsets), &matrix.rows().offsets().to_vec().map_err(library)?.into())
        }};
    }
    match &entries.values {
        Values::I64(x) => write!(x),
        Values::U64(x) => write!(x),
        Values::F64(x) => write!(x),
        _ => Ok(()),
    }
}

#[function]
fn times<T: Number>(a: T, x: T) -> T {
    a * x
}

fn spmv(args: &Spmv) -> Result<()> {
    let device = Chosen::open(args.on.device, Work::Computation)?.device;
    let (entries, name) = load_numbered(&args.of, args.names.as_deref())?;
    let Input { values: x, name: vector, .. } = column(&args.vector, None, None, args.on.device)?;
    if x.len() != entries.shape.1 {
        let reason = format!("has {} values, and {name} has {} columns", x.len(), entries.shape.1);
        return Err(Failure::input(&vector, reason));
    }
    let y = match (whole(&entries.values), whole(&x)) {
        (Some(values), Some(x)) => whole_product(&device, &entries, (&values, &x), (&name, &vector))?,
        _ => {
            let values = exact_floats(&entries.values).map_err(|(at, n)| {
                let (row, column) = (entries.rows[at], entries.columns[at]);
                let place = format!("the entry in row {row}, column {column} (counted from 0) is {n}");
                not_a_float(&name, &place, &format!("{vector} has"))
            })?;
            let x = exact_floats(&x)
                .map_err(|(at, n)| not_a_float(&vector, &format!("value {at} is {n}"), &format!("{name} has")))?;
            product(&device, &entries, (&values, &x), &name)?
        }
    };
    write_values(args.output.as_deref(), &y)
}

fn not_a_float(name: &str, what: &str, other: &str) -> Failure {
    let advice = "give whole numbers alone for the exact product, or round it";
    Failure::input(name, format!("{what}, which is not exactly a value of f64, and {other} fractions: {advice}"))
}

fn product<T: Number>(device: &Device, entries: &Entries, (values, x): (&[T], &[T]), name: &str) -> Result<Values>
where
    Vec<T>: Into<Values>,
{
    let library = |e: upsweep::Error| failed(name, e);
    let (matrix, x) = (matrix(device, entries, values, name)?, device.upload(x).map_err(library)?);
    let y: upsweep::prelude::Array<T> = matrix.product(device, Sum, Times, &x).map_err(library)?;
    Ok(y.to_vec().map_err(library)?.into())
}

/// Multiplies a matrix of integers by the vector `x` of integers. All are computed as i64, or as u64 if some do not fit
/// i64 and none is negative.
fn whole_product(
    device: &Device,
    entries: &Entries,
    (values, x): (&[i128], &[i128]),
    (name, vector): (&str, &str),
) -> Result<Values> {
    // Wrapping sums are right if the exact result fits 64 bits, so only the result is checked, by `outside`.
    let signed: std::result::Result<Vec<i64>, _> = values.iter().chain(x).map(|&n| i64::try_from(n)).collect();
    let unsigned: std::result::Result<Vec<u64>, _> = values.iter().chain(x).map(|&n| u64::try_from(n)).collect();
    let fits = |least: i128, most: i128, element: &str| match outside(entries, (values, x), (least, most)) {
        None => Ok(()),
        Some(row) => {
            let advice = format!("give {vector} as f64 to have it rounded");
            let reason = format!("row {row} (counted from 0) of its product with {vector} does not fit {element}");
            Err(Failure::input(name, format!("{reason}: {advice}")))
        }
    };
    if let Ok(all) = &signed {
        fits(i64::MIN.into(), i64::MAX.into(), "i64")?;
        return product(device, entries, all.split_at(values.len()), name);
    }
    if let Ok(all) = &unsigned {
        fits(0, u64::MAX.into(), "u64")?;
        return product(device, entries, all.split_at(values.len()), name);
    }
    let reason = format!("its whole numbers and those of {vector} are neither all of i64 nor all of u64");
    Err(Failure::input(name, format!("{reason}: give {vector} as f64 to have the product rounded")))
}

/// Returns the first row of the exact product of the matrix with `x` that is not in the range from `least` to `most`.
fn outside(entries: &Entries, (values, x): (&[i128], &[i128]), (least, most): (i128, i128)) -> Option<usize> {
    let largest = |of: &[i128]| of.iter().map(|n| n.unsigned_abs()).max().unwrap_or(0);
    // Usually not even the largest possible sum, the largest product times the number of entries, leaves the range.
    let bound = largest(values).checked_mul(largest(x)).and_then(|each| each.checked_mul(values.len() as u128));
    if bound.is_some_and(|bound| bound <= most.unsigned_abs()) {
        return None;
    }
    let mut sums = vec![Some(0i128); entries.shape.0];
    for ((&row, &column), value) in entries.rows.iter().zip(&entries.columns).zip(values) {
        let sum = &mut sums[row as usize];
        *sum = sum.and_then(|sum| sum.checked_add(value.checked_mul(x[column as usize])?));
    }
    sums.iter().position(|sum| !sum.is_some_and(|sum| (least..=most).contains(&sum)))
}

fn pagerank(args: &Pagerank) -> Result<()> {
    if !(0.0..1.0).contains(&args.damping) {
        return Err(Failure::Input(format!("--damping {}: it is from 0 to below 1", args.damping)));
    }
    let device = Chosen::open(args.on.device, Work::Computation)?.device;
    let (entries, name) = load(&args.of, Ends::Names)?;
    let wrong = |e: upsweep_apps::Error| failed(&name, e);
    let library = |e: upsweep::Error| failed(&name, e);
    // PageRank depends only on ratios of weights, so integers may be rounded to f64.
    let weights: Vec<f64> = with_values!(&entries.values, x => x.iter().map(|&x| float(x)).collect());
    let vertex = |at: u32| match &entries.names {
        Some(names) => names.get(at as usize).cloned().unwrap_or_default(),
        // Vertices of a Matrix Market file are counted from 1.
        None => (u64::from(at) + 1).to_string().into_bytes(),
    };
    if let Some(at) = weights.iter().position(|weight| !(*weight >= 0.0 && weight.is_finite())) {
        let [from, to] = [&entries.rows, &entries.columns]
            .map(|ends| quoted(&String::from_utf8_lossy(&vertex(ends.get(at).copied().unwrap_or(0)))));
        let reason = format!("the edge from {from} to {to} weighs {}", weights[at]);
        return Err(Failure::input(&name, format!("{reason}: a weight is a finite number from 0 on")));
    }
    // The ranks converge to 1e-12 within some 170 steps with the usual damping.
    let (tolerance, most) = (1e-12, 10_000);
    let found = if entries.weighted {
        let graph = entries.matrix(&device, &weights).map_err(library)?;
        page_rank_weighted(&device, &graph, args.damping, tolerance, most).map_err(wrong)?
    } else {
        if entries.shape.0 != entries.shape.1 {
            return Err(wrong(upsweep_apps::Error::Square { rows: entries.shape.0, columns: entries.shape.1 }));
        }
        let upload = |ends: &[u32]| device.upload(ends).map_err(library);
        let (from, to) = (upload(&entries.rows)?, upload(&entries.columns)?);
        let graph = Edges::new(entries.shape.0).build(&device, &from, &to).map_err(library)?;
        page_rank(&device, &graph, args.damping, tolerance, most).map_err(library)?
    };
    let ranks = found.ranks.to_vec().map_err(library)?;
    let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
    let rank = |at: u32| ranks.get(at as usize).copied().unwrap_or(0.0);
    order.sort_by(|&a, &b| rank(b).total_cmp(&rank(a)).then(a.cmp(&b)));
    order.truncate(args.top);
    let cells = order.iter().map(|&at| [format!("{:.10}", rank(at)).into_bytes(), vertex(at)]);
    rows(&Destination::standard_output(), b'\t', cells)
}
