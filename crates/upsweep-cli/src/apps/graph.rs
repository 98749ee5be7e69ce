//! `upsweep graph`.

use super::{bytes, column, failed, floats, write_values};
use crate::args::apps::{Csr, Graph, Pagerank, Spmv};
use crate::device::{Chosen, DeviceChoice};
use crate::element::{Type, Values};
use crate::failure::{Failure, Result};
use crate::input;
use crate::output::Destination;
use crate::print::print;
use std::path::Path;
use upsweep::prelude::{Array, Sum, function};
use upsweep_apps::graph::{Edges, Matrix, page_rank};

pub(crate) fn run(graph: &Graph) -> Result<()> {
    match graph {
        Graph::Csr(args) => csr(args),
        Graph::Spmv(args) => spmv(args),
        Graph::Pagerank(args) => pagerank(args),
    }
}

/// The entries of a matrix, counted from 0.
#[derive(Debug, Default, PartialEq)]
struct Entries {
    shape: (usize, usize),
    rows: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Entries {
    fn push(&mut self, row: u32, column: u32, value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }

    /// Those of a Matrix Market file: coordinates of real, integer or pattern entries.
    fn parse(text: &[u8], name: &str) -> Result<Self> {
        let text = std::str::from_utf8(text).map_err(|_| Failure::input(name, "is no text"))?;
        let mut lines = text.lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line).to_lowercase();
        let words: Vec<&str> = header.split_whitespace().collect();
        let ["%%matrixmarket", "matrix", "coordinate", kind, symmetry] = words[..] else {
            let expected = "%%MatrixMarket matrix coordinate KIND SYMMETRY";
            return Err(Failure::input(
                name,
                format!("is no sparse Matrix Market file: the first line is not `{expected}`"),
            ));
        };
        let unknown = |what: &str, word: &str| Failure::input(name, format!("{what} {word} is not read"));
        if !["real", "integer", "pattern"].contains(&kind) {
            return Err(unknown("the kind", kind));
        }
        // What an entry means on the other side of the diagonal.
        let mirror = match symmetry {
            "general" => None,
            "symmetric" => Some(1.0),
            "skew-symmetric" => Some(-1.0),
            _ => return Err(unknown("the symmetry", symmetry)),
        };
        let mut lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('%'));
        let wrong = |number: usize, line: &str, what: &str| {
            Failure::input(name, format!("line {}: `{}` is no {what}", number + 1, crate::failure::shown(line)))
        };
        let size = lines.next().and_then(|(_, line)| {
            let numbers: Vec<usize> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            <[usize; 3]>::try_from(numbers).ok()
        });
        let Some([rows, columns, count]) = size else {
            return Err(Failure::input(name, "has no line with the numbers of rows, columns and entries"));
        };
        let mut entries = Self { shape: (rows, columns), ..Self::default() };
        let mut found = 0;
        for (number, line) in lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            let value = match (kind, &words[..]) {
                ("pattern", [_, _]) => Some(1.0),
                ("real" | "integer", [_, _, value]) => value.parse::<f64>().ok(),
                _ => None,
            };
            let place = |word: Option<&&str>, most: usize| {
                word.and_then(|word| word.parse::<u32>().ok())
                    .filter(|&at| at >= 1 && at as usize <= most)
                    .map(|at| at - 1)
            };
            let (Some(row), Some(column), Some(value)) =
                (place(words.first(), rows), place(words.get(1), columns), value)
            else {
                return Err(wrong(number, line, &format!("entry of {rows} rows and {columns} columns")));
            };
            entries.push(row, column, value);
            if let Some(sign) = mirror.filter(|_| row != column) {
                if row as usize >= columns || column as usize >= rows {
                    return Err(wrong(number, line, "entry of a square matrix, as a symmetric one is"));
                }
                entries.push(column, row, sign * value);
            }
            found += 1;
        }
        if found != count {
            return Err(Failure::input(name, format!("has {found} entries and says {count}")));
        }
        Ok(entries)
    }

    /// A Matrix Market file, or a table of edges.
    fn load(path: &Path, device: DeviceChoice) -> Result<(Self, String)> {
        if input::delimiter(path).is_none() {
            let (text, name) = bytes(path)?;
            return Ok((Self::parse(&text, &name)?, name));
        }
        let of = |number| column(path, Some(number), Some(Type::U32), device);
        let ((from, name), (to, _)) = (of("1")?, of("2")?);
        let (Values::U32(rows), Values::U32(columns)) = (from, to) else {
            return Err(Failure::input(&name, "has no numbers of vertices"));
        };
        let vertices = rows.iter().chain(&columns).max().map_or(0, |&most| most as usize + 1);
        let values = vec![1.0; rows.len()];
        Ok((Self { shape: (vertices, vertices), rows, columns, values }, name))
    }

    fn matrix(&self, device: &upsweep::Device) -> upsweep::Result<Matrix<f64>> {
        let (rows, columns) = (device.upload(&self.rows)?, device.upload(&self.columns)?);
        Matrix::build(device, self.shape, (&rows, &columns, &device.upload(&self.values)?))
    }
}

fn csr(args: &Csr) -> Result<()> {
    let device = Chosen::open(args.on.device)?.device;
    let (entries, name) = Entries::load(&args.file, args.on.device)?;
    let library = |e: upsweep::Error| failed(&name, e);
    let matrix = entries.matrix(&device).map_err(library)?;
    if let Some(path) = &args.columns {
        write_values(Some(path), &matrix.rows().targets().to_vec().map_err(library)?.into())?;
    }
    if let Some(path) = &args.values {
        write_values(Some(path), &matrix.values().to_vec().map_err(library)?.into())?;
    }
    write_values(Some(&args.offsets), &matrix.rows().offsets().to_vec().map_err(library)?.into())
}

#[function]
fn times(a: f64, x: f64) -> f64 {
    a * x
}

fn spmv(args: &Spmv) -> Result<()> {
    let device = Chosen::open(args.on.device)?.device;
    let (entries, name) = Entries::load(&args.file, args.on.device)?;
    let (x, vector) = column(&args.vector, None, Some(Type::F64), args.on.device)?;
    let x = floats(x);
    if x.len() != entries.shape.1 {
        let reason = format!("has {} values, and {name} has {} columns", x.len(), entries.shape.1);
        return Err(Failure::input(&vector, reason));
    }
    let library = |e: upsweep::Error| failed(&name, e);
    let matrix = entries.matrix(&device).map_err(library)?;
    let y: Array<f64> = matrix.product(&device, Sum, Times, &device.upload(&x).map_err(library)?).map_err(library)?;
    write_values(args.output.as_deref(), &y.to_vec().map_err(library)?.into())
}

fn pagerank(args: &Pagerank) -> Result<()> {
    if !(0.0..1.0).contains(&args.damping) {
        return Err(Failure::Input(format!("--damping {}: it is from 0 to below 1", args.damping)));
    }
    let device = Chosen::open(args.on.device)?.device;
    let (entries, name) = Entries::load(&args.file, args.on.device)?;
    let library = |e: upsweep::Error| failed(&name, e);
    let (from, to) =
        (device.upload(&entries.rows).map_err(library)?, device.upload(&entries.columns).map_err(library)?);
    let vertices = entries.shape.0.max(entries.shape.1);
    let graph = Edges::new(vertices).build(&device, &from, &to).map_err(library)?;
    // To 1e-12 within some 170 steps with the usual damping.
    let found = page_rank(&device, &graph, args.damping, 1e-12, 10_000).map_err(library)?;
    let ranks = found.ranks.to_vec().map_err(library)?;
    // Vertices of a Matrix Market file are counted from 1.
    let first = usize::from(input::delimiter(&args.file).is_none());
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|&a, &b| ranks[b].total_cmp(&ranks[a]).then(a.cmp(&b)));
    order.truncate(args.top);
    print(&Destination::standard_output(), |out| {
        order.iter().try_for_each(|&vertex| writeln!(out, "{:.10}\t{}", ranks[vertex], vertex + first))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_market() -> Result<()> {
        let of = |text: &str| Entries::parse(text.as_bytes(), "x");
        let general = of("%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 2\n1 3 0.5\n2 1 -1e2\n")?;
        let expected = Entries { shape: (2, 3), rows: vec![0, 1], columns: vec![2, 0], values: vec![0.5, -100.0] };
        assert_eq!(general, expected);
        let skew = of("%%matrixmarket MATRIX coordinate integer skew-symmetric\n2 2 1\n2 1 3\n")?;
        assert_eq!((skew.rows, skew.columns, skew.values), (vec![1, 0], vec![0, 1], vec![3.0, -3.0]));
        assert_eq!(of("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n1 2\n")?.rows, [0, 0, 1]);
        for wrong in [
            "",
            "%%MatrixMarket matrix array real general\n2 2\n",
            "%%MatrixMarket matrix coordinate complex general\n1 1 0\n",
            "%%MatrixMarket matrix coordinate real general\n",
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n",
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n0 1 2\n",
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 2 2\n",
            "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1\n",
            "%%MatrixMarket matrix coordinate real symmetric\n3 2 1\n3 1 1\n",
        ] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
        Ok(())
    }
}
