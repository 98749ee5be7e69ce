//! Dense matrices of Matrix Market: `array` files, whose numbers follow each other column by column.
//!
//! ```text
//! %%MatrixMarket matrix array real general       or integer; symmetric and skew-symmetric have what is below the diagonal
//! % a comment
//! 2 3                                            rows and columns
//! 1.5                                            numbers, one a line
//! ```

use crate::collect::{Refused, collector};
use crate::element::{Type, Values};
use crate::failure::{Failure, Result, shown};
use crate::names;
use std::path::Path;

/// Whether the name is that of a Matrix Market file.
pub(crate) fn is_mtx(path: &Path) -> bool {
    names::ends_in(path, "mtx")
}

/// Parses a dense matrix, and returns its values row by row, and its shape. `target` is the type that is asked for.
pub(crate) fn parse(text: &[u8], (target, typed): (Option<Type>, bool), name: &str) -> Result<(Values, [usize; 2])> {
    let wrong = |reason: String| Failure::input(name, reason);
    let text = std::str::from_utf8(text).map_err(|_| wrong("is no text".to_owned()))?;
    let mut lines = text.lines().enumerate();
    let header = lines.next().map_or("", |(_, line)| line).to_lowercase();
    let words: Vec<&str> = header.split_whitespace().collect();
    let (kind, symmetry) = match words[..] {
        ["%%matrixmarket", "matrix", "array", kind, symmetry] => (kind, symmetry),
        ["%%matrixmarket", "matrix", "coordinate", ..] => {
            return Err(wrong("is a sparse matrix, which `upsweep graph` reads".to_owned()));
        }
        _ => return Err(wrong("is no Matrix Market file: its first line does not say so".to_owned())),
    };
    if !["real", "integer"].contains(&kind) {
        return Err(wrong(format!("the kind {} is not read", shown(kind))));
    }
    // First row below the diagonal that has an entry, and the sign of those above it.
    let mirror = match symmetry {
        "general" => None,
        "symmetric" => Some((0, false)),
        "skew-symmetric" => Some((1, true)),
        _ => return Err(wrong(format!("the symmetry {} is not read", shown(symmetry)))),
    };
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('%'));
    let size = lines.next().and_then(|(_, line)| {
        let numbers: Vec<usize> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        <[usize; 2]>::try_from(numbers).ok()
    });
    let Some([rows, columns]) = size else {
        return Err(wrong("has no line with the numbers of rows and columns".to_owned()));
    };
    if mirror.is_some() && rows != columns {
        return Err(wrong(format!("has {rows} rows and {columns} columns, and a symmetric matrix has as many")));
    }
    let mut found = collector(target.or((kind == "real").then_some(Type::F64)), typed && target.is_some());
    for (number, line) in lines {
        for word in line.split_whitespace() {
            let refused = |refused: Refused| {
                refused.failure(name, |reason| Failure::input(name, format!("line {}: {reason}", number + 1)))
            };
            found.push(word).map_err(refused)?;
        }
    }
    let found = found.finish();
    let count = match mirror {
        None => rows.checked_mul(columns),
        Some((0, _)) => rows.checked_add(1).and_then(|more| rows.checked_mul(more)).map(|twice| twice / 2),
        Some(_) => rows.checked_mul(rows.saturating_sub(1)).map(|twice| twice / 2),
    };
    if count != Some(found.len()) {
        let shape = format!("{rows} rows and {columns} columns");
        return Err(wrong(format!("has {} numbers, which are not those of {shape}", found.len())));
    }
    let mut all = Values::zeroed(found.element(), rows * columns).map_err(|e| Failure::computing(name, &e))?;
    let mut negative: Vec<usize> = Vec::new();
    macro_rules! placed {
        ($($element:ident)*) => { match (&mut all, &found) {
            $((Values::$element(all), Values::$element(found)) => {
                let mut next = found.iter();
                for column in 0..columns {
                    let first = mirror.map_or(0, |(first, _)| column + first);
                    for (row, &value) in (first..rows).zip(&mut next) {
                        all[row * columns + column] = value;
                        if mirror.is_some() && row != column {
                            all[column * columns + row] = value;
                            negative.push(column * columns + row);
                        }
                    }
                }
            })*
            _ => {}
        } };
    }
    placed! { Bool I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 }
    if mirror.is_some_and(|(_, negated)| negated) {
        negate(&mut all, &negative).map_err(|element| {
            wrong(format!("is skew-symmetric, and {element} does not hold the negative of each number"))
        })?;
    }
    Ok((all, [rows, columns]))
}

/// Negates the values at these places. Fails with the type of the values if that does not hold the negative of each.
fn negate(values: &mut Values, places: &[usize]) -> std::result::Result<(), Type> {
    let element = values.element();
    macro_rules! whole {
        ($x:expr) => {
            places.iter().try_for_each(|&at| $x[at].checked_neg().map(|negative| $x[at] = negative)).ok_or(element)
        };
    }
    macro_rules! float {
        ($x:expr) => {{
            places.iter().for_each(|&at| $x[at] = -$x[at]);
            Ok(())
        }};
    }
    match values {
        Values::Bool(x) => {
            if places.iter().all(|&at| !x[at]) {
                Ok(())
            } else {
                Err(element)
            }
        }
        Values::I8(x) => whole!(x),
        Values::I16(x) => whole!(x),
        Values::I32(x) => whole!(x),
        Values::I64(x) => whole!(x),
        Values::U8(x) => whole!(x),
        Values::U16(x) => whole!(x),
        Values::U32(x) => whole!(x),
        Values::U64(x) => whole!(x),
        Values::F16(x) => float!(x),
        Values::F32(x) => float!(x),
        Values::F64(x) => float!(x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> std::result::Result<(Values, [usize; 2]), String> {
        parse(text.as_bytes(), (None, true), "x.mtx").map_err(|failure| failure.to_string())
    }

    #[test]
    fn columns_become_rows() {
        let general = read("%%MatrixMarket matrix array real general\n% c\n\n2 3\n1\n2\n3\n4\n5\n6\n").unwrap();
        assert_eq!(general, (vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0].into(), [2, 3]));
        let whole = read("%%matrixmarket MATRIX array integer symmetric\n3 3\n1 2 3\n4 5\n6\n").unwrap();
        assert_eq!(whole, (vec![1i64, 2, 3, 2, 4, 5, 3, 5, 6].into(), [3, 3]));
        let skew = read("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n").unwrap();
        assert_eq!(skew, (vec![0.0, -1.0, -2.0, 1.0, 0.0, -3.0, 2.0, 3.0, 0.0].into(), [3, 3]));
        assert_eq!(read("%%MatrixMarket matrix array real general\n0 4\n").unwrap().1, [0, 4]);
    }

    #[test]
    fn damage_is_told() {
        for (text, says) in [
            ("", "is no Matrix Market file"),
            ("%%MatrixMarket matrix coordinate real general\n1 1 0\n", "is a sparse matrix"),
            ("%%MatrixMarket matrix array complex general\n1 1\n1 2\n", "the kind complex is not read"),
            ("%%MatrixMarket matrix array real hermitian\n1 1\n1\n", "the symmetry hermitian is not read"),
            ("%%MatrixMarket matrix array real general\n", "has no line with the numbers"),
            ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "has 3 numbers"),
            ("%%MatrixMarket matrix array real general\n1 1\n1\n2\n", "has 2 numbers"),
            ("%%MatrixMarket matrix array real general\n18446744073709551615 2\n1\n", "has 1 numbers"),
            ("%%MatrixMarket matrix array real symmetric\n2 3\n1\n", "as many"),
            ("%%MatrixMarket matrix array real general\n1 1\nx\n", "line 3: `x` is not a number"),
        ] {
            let found = read(text).map(|_| ()).unwrap_err();
            assert!(found.contains(says), "{text:?}: {found}");
        }
        let skew = b"%%MatrixMarket matrix array integer skew-symmetric\n2 2\n3\n";
        let failed = parse(skew, (Some(Type::U8), true), "x.mtx").map(|_| ()).unwrap_err().to_string();
        assert!(failed.contains("u8 does not hold the negative"), "{failed}");
    }
}
