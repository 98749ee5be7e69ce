//! Command `upsweep tree`: depths, sizes and sums of subtrees.

use super::icicle::{self, Icicle};
use super::{TextFile, column, failed, float, values, write_values};
use crate::args::apps::{Tree as Asked, TreeArgs};
use crate::device::{Chosen, Work};
use crate::element::{Type, Values, with_values};
use crate::failure::{Failure, Result, shown};
use crate::input::Input;
use crate::output::Destination;
use crate::print::print;
use std::collections::HashMap;
use upsweep::Device;
use upsweep::prelude::{Array, Sum};
use upsweep_apps::tree::{NONE, Tree};
use upsweep_dynamic::Number;

/// Property that is computed of each vertex: its depth, or the size or the sum of its subtree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Depth,
    Size,
    Sum,
}

pub(crate) fn run(tree: &Asked) -> Result<()> {
    let (args, of) = match tree {
        Asked::Depth(args) => (args, Of::Depth),
        Asked::Size(args) => (args, Of::Size),
        Asked::Sum(args) => (args, Of::Sum),
    };
    let device = Chosen::open(args.on.device, Work::Computation)?.device;
    if args.path { of_paths(args, of, &device) } else { of_parents(args, of, &device) }
}

fn of_parents(args: &TreeArgs, of: Of, device: &Device) -> Result<()> {
    let (parents, name) = values(&args.reading, Some(Type::I64), args.on.device)?;
    let Values::I64(parents) = parents else { return Err(Failure::input(&name, "has no integers")) };
    let wrong = |e: upsweep_apps::Error| failed(&name, e);
    let library = |e: upsweep::Error| failed(&name, e);
    let parent = |(vertex, &parent): (usize, &i64)| match parent {
        -1 => Ok(NONE),
        _ => u32::try_from(parent).ok().filter(|&parent| parent != NONE).ok_or_else(|| {
            Failure::input(&name, format!("the parent of vertex {vertex} is {parent}: a root's is -1 or itself"))
        }),
    };
    let parents: Vec<u32> = parents.iter().enumerate().map(parent).collect::<Result<_>>()?;
    let tree = Tree::build(device, &device.upload(&parents).map_err(library)?).map_err(wrong)?;
    let results: Values = match of {
        Of::Depth => tree.depths().to_vec().map_err(library)?.into(),
        Of::Size => tree.sizes().to_vec().map_err(library)?.into(),
        Of::Sum => {
            let Some(path) = &args.values else {
                return Err(Failure::Input("tree sum: of what? give --values, or --path".to_owned()));
            };
            let Input { values: of_vertices, name, .. } = column(path, None, None, args.on.device)?;
            if matches!(of_vertices.element(), Type::F16 | Type::F32 | Type::F64) {
                let x: Vec<f64> = with_values!(&of_vertices, x => x.iter().map(|&x| float(x)).collect());
                sums(&tree, device, &x).map_err(|e| failed(&name, e))?.into()
            } else {
                let x: Vec<i64> = with_values!(&of_vertices, x => {
                    x.iter().enumerate().map(|(at, &x)| whole(&name, at, x)).collect::<Result<_>>()?
                });
                fits(&name, x.iter().map(|&x| i128::from(x).abs()))?;
                sums(&tree, device, &x).map_err(|e| failed(&name, e))?.into()
            }
        }
    };
    write_values(args.output.as_deref(), &results)
}

/// Converts `value`, number `at` of the file `name`, to i64. Fails if it is no integer of i64.
fn whole(name: &str, at: usize, value: impl Into<Number>) -> Result<i64> {
    let number = value.into();
    let whole = number.integer().and_then(|n| i64::try_from(n).ok());
    whole.ok_or_else(|| Failure::input(name, format!("value {at} is {number}, which does not fit i64")))
}

/// Checks that the sum of `values`, the absolute values of a file's integers, fits i64. Then every sum of these
/// integers does.
fn fits(name: &str, values: impl Iterator<Item = i128>) -> Result<()> {
    if values.sum::<i128>() <= i128::from(i64::MAX) {
        return Ok(());
    }
    Err(Failure::input(name, "sums of its integers may not fit i64: give floats"))
}

fn sums<T: upsweep::operator::Number>(
    tree: &Tree,
    device: &Device,
    values: &[T],
) -> std::result::Result<Vec<T>, upsweep_apps::Error> {
    let sums: Array<T> = tree.sums_up(device, Sum, &device.upload(values)?)?;
    Ok(sums.to_vec()?)
}

/// Tree whose vertices are the folders and files in a list of paths.
struct Paths {
    /// Path of each vertex, without slashes at its end. Folders that are not listed are vertices, too, if listed paths
    /// lie in them.
    names: Vec<String>,
    parents: Vec<u32>,
    values: Vec<i64>,
}

impl Paths {
    /// Parses lines of a path, a comma and an integer. Values of a path that is listed twice are added.
    fn parse(text: &[u8], name: &str) -> Result<Self> {
        let mut paths = Self { names: vec![], parents: vec![], values: vec![] };
        let mut known = HashMap::new();
        for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
            let line = String::from_utf8_lossy(line);
            let line = line.trim_end_matches('\r');
            if line.is_empty() {
                continue;
            }
            let wrong = || Failure::input(name, format!("line {}: {} is no PATH,VALUE", number + 1, shown(line)));
            let (path, value) = line.rsplit_once(',').ok_or_else(wrong)?;
            let value: i64 = value.trim().parse().map_err(|_| wrong())?;
            let vertex = paths.vertex(path, &mut known);
            paths.values[vertex as usize] = paths.values[vertex as usize].checked_add(value).ok_or_else(wrong)?;
        }
        fits(name, paths.values.iter().map(|&value| i128::from(value).abs()))?;
        Ok(paths)
    }

    /// Returns the vertex of a path. It is created if it is new, and so are all folders above it. `known` has the
    /// vertex of each path so far.
    fn vertex(&mut self, path: &str, known: &mut HashMap<String, u32>) -> u32 {
        let trimmed = path.trim_end_matches('/');
        let (mut path, mut below) = (if trimmed.is_empty() { "/" } else { trimmed }, None::<u32>);
        let mut first = NONE;
        loop {
            let (vertex, new) = match known.get(path) {
                Some(&vertex) => (vertex, false),
                None => {
                    let vertex = self.names.len() as u32;
                    known.insert(path.to_owned(), vertex);
                    self.names.push(path.to_owned());
                    self.parents.push(NONE);
                    self.values.push(0);
                    (vertex, true)
                }
            };
            if let Some(below) = below {
                self.parents[below as usize] = vertex;
            } else {
                first = vertex;
            }
            let above = match path.rsplit_once('/') {
                _ if path == "/" => None,
                Some(("", _)) => Some("/"),
                Some((above, _)) => Some(above.trim_end_matches('/')).filter(|above| !above.is_empty()).or(Some("/")),
                None => None,
            };
            let (true, Some(above)) = (new, above) else { return first };
            (path, below) = (above, Some(vertex));
        }
    }
}

fn of_paths(args: &TreeArgs, of: Of, device: &Device) -> Result<()> {
    let TextFile { bytes, name, .. } = TextFile::read(args.reading.path(), args.reading.text(b','))?;
    let paths = Paths::parse(&bytes, &name)?;
    let wrong = |e: upsweep_apps::Error| failed(&name, e);
    let library = |e: upsweep::Error| failed(&name, e);
    let tree = Tree::build(device, &device.upload(&paths.parents).map_err(library)?).map_err(wrong)?;
    let results: Vec<i64> = match of {
        Of::Depth => tree.depths().to_vec().map_err(library)?.into_iter().map(i64::from).collect(),
        Of::Size => tree.sizes().to_vec().map_err(library)?.into_iter().map(i64::from).collect(),
        Of::Sum => sums(&tree, device, &paths.values).map_err(wrong)?,
    };
    if let Some(path) = &args.svg {
        let order = tree.preorder().to_vec().map_err(library)?;
        let depths = tree.depths().to_vec().map_err(library)?;
        let sums = if of == Of::Sum { results.clone() } else { sums(&tree, device, &paths.values).map_err(wrong)? };
        let picture =
            Icicle { names: &paths.names, parents: &paths.parents, depths: &depths, sums: &sums, order: &order };
        let svg = Destination::of("--svg", path)?;
        let text = icicle::render(&picture);
        svg.write(|out| out.write_all(text.as_bytes()).map_err(|e| Failure::writing(svg.name(), &e)))?;
    }
    let mut order: Vec<usize> = (0..results.len()).collect();
    order.sort_by_key(|&vertex| (std::cmp::Reverse(results[vertex]), vertex));
    order.truncate(args.top);
    print(&Destination::standard_output(), |out| {
        order.iter().try_for_each(|&vertex| writeln!(out, "{}\t{}", results[vertex], paths.names[vertex]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_make_a_tree() -> Result<()> {
        let of = |text: &str| Paths::parse(text.as_bytes(), "x");
        let paths = of(".,4\n./a,10\n./a/b/c,7\r\n/,1\n/etc/x,2\n./a,1\nd/,3\n")?;
        let parent = |name: &str| {
            let vertex = paths.names.iter().position(|known| known == name).unwrap_or(usize::MAX);
            let parent = paths.parents.get(vertex).copied();
            (
                parent.map(|parent| paths.names.get(parent as usize).map(String::as_str)),
                paths.values.get(vertex).copied(),
            )
        };
        assert_eq!(parent("."), (Some(None), Some(4)));
        assert_eq!(parent("./a"), (Some(Some(".")), Some(11)));
        assert_eq!(parent("./a/b"), (Some(Some("./a")), Some(0)));
        assert_eq!(parent("./a/b/c"), (Some(Some("./a/b")), Some(7)));
        assert_eq!(parent("/"), (Some(None), Some(1)));
        assert_eq!(parent("/etc"), (Some(Some("/")), Some(0)));
        assert_eq!(parent("d"), (Some(None), Some(3)));
        assert_eq!(paths.names.len(), 8);
        for wrong in ["a", "a,b", "a,1.5", "a,9223372036854775807\nb,1"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
        Ok(())
    }
}
