//! Evaluation of an expression for one row, or for one element.
//!
//! Integers are computed exactly, in 128 bits. With a float operand the computation is in f64, and so is every division
//! by `/`. Numbers are compared exactly: no integer is rounded to be compared with a float. NaN differs from
//! everything.

use super::{Expression, Found, Kind, Order, Sum};
use crate::element::Value;
use std::cmp::Ordering;
use upsweep_dynamic::Number;

/// Source of the values of columns: a row's cells, or an array's element. Columns have the indices that
/// [`Columns`](super::Columns) returns. An error describes a wrong cell.
pub(crate) trait Row {
    fn number(&self, column: usize) -> Found<Number>;
    /// Returns a text as bytes: in a file it need not be UTF-8.
    fn text(&self, column: usize) -> Found<&[u8]>;
    fn bool(&self, column: usize) -> Found<bool>;
    /// Whether the column has no value: an empty cell, or NaN.
    fn is_null(&self, column: usize) -> bool;
}

impl Expression {
    /// Whether a condition holds. Evaluation is lazy: of `a or b`, `b` is not computed if `a` holds.
    pub(crate) fn holds(&self, row: &dyn Row) -> Found<bool> {
        match self {
            Self::Bool(value) => Ok(*value),
            Self::Column(column, _) => row.bool(*column),
            Self::Not(inner) => Ok(!inner.holds(row)?),
            Self::And(both) => Ok(both[0].holds(row)? && both[1].holds(row)?),
            Self::Or(both) => Ok(both[0].holds(row)? || both[1].holds(row)?),
            Self::Compared(order, Kind::Text, both) => {
                Ok(order.holds(Some(both[0].text(row)?.cmp(both[1].text(row)?))))
            }
            Self::Compared(order, Kind::Bool, both) => {
                Ok(order.holds(Some(both[0].holds(row)?.cmp(&both[1].holds(row)?))))
            }
            Self::Compared(order, _, both) => Ok(order.holds(compare(both[0].number(row)?, both[1].number(row)?))),
            Self::Contains(both) => Ok(memchr::memmem::find(both[0].text(row)?, both[1].text(row)?).is_some()),
            Self::Matches(text, pattern) => Ok(pattern.0.is_match(text.text(row)?)),
            Self::Null(column) => Ok(row.is_null(*column)),
            // None of these is a condition, and the parser has checked the kinds: this arm is never reached.
            Self::Number(_) | Self::Text(_) | Self::Negative(_) | Self::Absolute(_) | Self::Computed(..) => Ok(false),
        }
    }

    /// Appends the value, which is of this kind, as text to `to`. A column alone is as it is written.
    pub(crate) fn write(&self, kind: Kind, row: &dyn Row, to: &mut Vec<u8>) -> Found<()> {
        match kind {
            Kind::Number => match self.number(row)? {
                Number::Integer(n) => to.extend(n.to_string().into_bytes()),
                Number::Float(x) => Value::format(x, to),
            },
            Kind::Bool => to.extend(self.holds(row)?.to_string().into_bytes()),
            Kind::Text | Kind::Open => to.extend(self.text(row)?),
        }
        Ok(())
    }

    fn text<'a>(&'a self, row: &'a dyn Row) -> Found<&'a [u8]> {
        match self {
            Self::Text(text) => Ok(text.as_bytes()),
            Self::Column(column, _) => row.text(*column),
            _ => Ok(b""),
        }
    }

    fn number(&self, row: &dyn Row) -> Found<Number> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Column(column, _) => row.number(*column),
            Self::Negative(inner) => negative(inner.number(row)?),
            Self::Absolute(inner) => match inner.number(row)? {
                Number::Float(x) => Ok(Number::Float(x.abs())),
                Number::Integer(n) if n < 0 => negative(Number::Integer(n)),
                number => Ok(number),
            },
            Self::Computed(sum, both) => compute(*sum, both[0].number(row)?, both[1].number(row)?),
            _ => Ok(Number::Float(f64::NAN)),
        }
    }
}

fn negative(number: Number) -> Found<Number> {
    match number {
        Number::Integer(n) => n.checked_neg().map(Number::Integer).ok_or_else(too_large),
        Number::Float(x) => Ok(Number::Float(-x)),
    }
}

fn too_large() -> String {
    "a result has more digits than are computed with: write a number with a point, such as 2.0".to_owned()
}

fn float(number: Number) -> f64 {
    match number {
        Number::Integer(n) => n as f64,
        Number::Float(x) => x,
    }
}

fn compute(sum: Sum, a: Number, b: Number) -> Found<Number> {
    if let (Number::Integer(a), Number::Integer(b)) = (a, b) {
        let exact = match sum {
            Sum::Plus => Some(a.checked_add(b)),
            Sum::Minus => Some(a.checked_sub(b)),
            Sum::Times => Some(a.checked_mul(b)),
            // The sign of the remainder is the divisor's, as in NumPy and Python. A remainder by 0 is computed in
            // floats.
            Sum::Rest if b != 0 => Some(Some(
                a.checked_rem(b).map_or(0, |rest| if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }),
            )),
            Sum::Rest | Sum::Over => None,
        };
        if let Some(exact) = exact {
            return exact.map(Number::Integer).ok_or_else(too_large);
        }
    }
    let (a, b) = (float(a), float(b));
    Ok(Number::Float(match sum {
        Sum::Plus => a + b,
        Sum::Minus => a - b,
        Sum::Times => a * b,
        Sum::Over => a / b,
        Sum::Rest => {
            let rest = a % b;
            if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
        }
    }))
}

/// Compares two numbers exactly; `None` if one is NaN.
pub(crate) fn compare(a: Number, b: Number) -> Option<Ordering> {
    match (a, b) {
        (Number::Integer(a), Number::Integer(b)) => Some(a.cmp(&b)),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b),
        (Number::Integer(a), Number::Float(b)) => compare_with_float(a, b),
        (Number::Float(a), Number::Integer(b)) => compare_with_float(b, a).map(Ordering::reverse),
    }
}

fn compare_with_float(n: i128, x: f64) -> Option<Ordering> {
    // 2^127: floats from here on are larger than every i128, and a conversion would saturate.
    const BEYOND: f64 = 170141183460469231731687303715884105728.0;
    if x.is_nan() {
        None
    } else if x >= BEYOND {
        Some(Ordering::Less)
    } else if x < -BEYOND {
        Some(Ordering::Greater)
    } else {
        Some(n.cmp(&(x.floor() as i128)).then(if x.fract() == 0.0 { Ordering::Equal } else { Ordering::Less }))
    }
}

impl Order {
    fn holds(self, found: Option<Ordering>) -> bool {
        match self {
            Self::Equal => found == Some(Ordering::Equal),
            Self::Differs => found != Some(Ordering::Equal),
            Self::Less => found == Some(Ordering::Less),
            Self::LessOrEqual => matches!(found, Some(Ordering::Less | Ordering::Equal)),
            Self::Greater => found == Some(Ordering::Greater),
            Self::GreaterOrEqual => matches!(found, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::super::{Columns, Name, parse};
    use super::*;

    /// Row with numbers named a and b, a text t, and a condition c.
    struct Sample(Number, Number, &'static str, bool);

    impl Columns for Sample {
        fn find(&self, column: &Name) -> Found<(usize, Kind)> {
            match column {
                Name::Called(name) => match &name[..] {
                    "a" => Ok((0, Kind::Number)),
                    "b" => Ok((1, Kind::Open)),
                    "t" | "odd name" => Ok((2, Kind::Open)),
                    "c" => Ok((3, Kind::Open)),
                    _ => Err("there is no such column".to_owned()),
                },
                Name::Numbered(number) => Ok((number - 1, Kind::Open)),
            }
        }
    }
    impl Row for Sample {
        fn number(&self, column: usize) -> Found<Number> {
            [self.0, self.1].get(column).copied().ok_or_else(|| "is no number".to_owned())
        }
        fn text(&self, _: usize) -> Found<&[u8]> {
            Ok(self.2.as_bytes())
        }
        fn bool(&self, _: usize) -> Found<bool> {
            Ok(self.3)
        }
        fn is_null(&self, column: usize) -> bool {
            column == 3
        }
    }

    const ROW: Sample = Sample(Number::Integer(7), Number::Float(-2.5), "N \"1\"", true);

    fn holds(text: &str) -> bool {
        let expression = parse(text, &ROW).unwrap_or_else(|wrong| panic!("{text}: {}", wrong.within(text)));
        expression.holds(&ROW).unwrap()
    }

    #[test]
    fn conditions_hold_or_do_not() {
        for text in [
            "a == 7",
            "a != 8",
            "a > 6.5 and b < 0",
            "a < 0 or b <= -2.5",
            "not a < 7",
            "!(a < 7) && true",
            "a == 7.0",
            "-a == -7",
            "t == 'N \"1\"'",
            "t == \"N \"\"1\"\"\"",
            "`odd name` != 'n'",
            "c",
            "c == true",
            "not not c",
            "c and (a > 1 or a / 0 > 1)",
            "a + 2 * 3 == 13",
            "(a + 2) * 3 == 27",
            "a - 2 - 3 == 2",
            "a / 2 == 3.5",
            "a % 4 == 3",
            "-a % 4 == 1",
            "b % 2 == 1.5",
            "abs(b) == 2.5",
            "abs(a - 9) == 2",
            "--a == 7",
            "1e3 > a",
            "2.5e-1 < a",
            "$1 == 7",
            "$2 == b",
            "b == b",
            "t < 'O'",
            "a % 0 != a % 0",
            "a / 0 > 1e300",
            "a<8 and a>6",
            "b + a == 4.5",
            "a in (1, 7, 9)",
            "a in(7)",
            "a not in (1, 2.5)",
            "b in (0 - 2.5, 3)",
            "a + 1 in (8)",
            "t in ('x', 'N \"1\"')",
            "t not in ('n')",
            "a between 7 and 7",
            "a between 6.5 and 8 and b < 0",
            "a not between 8 and 9",
            "not a between 8 and 9 or b > 0",
            "t between 'M' and 'O'",
            "t contains '\"1'",
            "t contains ''",
            "t not contains 'n'",
            "t matches '^N .[0-9].$'",
            "t matches '(?i)^n'",
            "t not matches '^ ' and c",
            "c is null",
            "a is not null",
            "a is not null and not (c is not null)",
            ".5 < a",
        ] {
            assert!(holds(text), "{text}");
            assert!(!holds(&format!("not ({text})")), "{text}");
        }
    }

    #[test]
    fn numbers_are_compared_as_what_they_are() {
        let largest = i128::MAX;
        for (n, x, order) in [
            (1i128 << 53, (1i64 << 53) as f64, Some(Ordering::Equal)),
            ((1 << 53) + 1, (1i64 << 53) as f64, Some(Ordering::Greater)),
            (largest, 2f64.powi(127), Some(Ordering::Less)),
            (largest, f64::INFINITY, Some(Ordering::Less)),
            (i128::MIN, -2f64.powi(127), Some(Ordering::Equal)),
            (i128::MIN, f64::NEG_INFINITY, Some(Ordering::Greater)),
            (-3, -2.5, Some(Ordering::Less)),
            (-2, -2.5, Some(Ordering::Greater)),
            (0, f64::NAN, None),
        ] {
            assert_eq!(compare(Number::Integer(n), Number::Float(x)), order, "{n} {x}");
            assert_eq!(compare(Number::Float(x), Number::Integer(n)), order.map(Ordering::reverse), "{x} {n}");
        }
    }

    #[test]
    fn what_is_wrong_is_pointed_at() {
        for (text, expected) in [
            ("a >> 3", "at character 4, `>`: a value must stand here: a number, a \"text\", a column or a bracket"),
            ("a > ", "at its end: a value must stand here: a number, a \"text\", a column or a bracket"),
            ("", "at its end: a value must stand here: a number, a \"text\", a column or a bracket"),
            ("a", "at character 1, `a`: is a number, where a condition must stand, such as x > 0"),
            ("a > 1 and b + 1", "at character 11, `b + 1`: is a number, where a condition must stand, such as x > 0"),
            ("a = 3", "at character 3, `=`: equality is written =="),
            ("a == 'N'", "at character 6, `'N'`: is a text, where a number must stand"),
            ("t + 'N' == 'NN'", "at character 5, `'N'`: is a text, where a number must stand"),
            ("1 < a < 9", "at character 7, `<`: comparisons do not follow each other: write a < b and b < c"),
            ("(a > 1", "at character 1, `(`: the bracket is not closed"),
            ("(a > 1 b", "at character 8, `b`: a closing bracket must stand here"),
            ("a > 1)", "at character 6, `)`: nothing may follow here, but and, or and operators"),
            ("t == 'N", "at character 6, `'N`: the quote is not closed"),
            ("price > 1", "at character 1, `price`: there is no such column"),
            ("sqrt(a) > 1", "at character 1, `sqrt`: there is no function sqrt: there is abs"),
            ("ä == 1 # no", "at character 8, `#`: means nothing here"),
            ("a > 3x", "at character 5, `3x`: `3x` is not a number"),
            ("$0 > 1", "at character 1, `$0`: $ is followed by the number of a column, from 1 on"),
            ("c < true", "at character 1, `c`: is a condition, which is neither less nor greater than another"),
            ("a > 1 & c", "at character 7, `&`: conditions are joined by and, or"),
            ("a in 7", "at character 6, `7`: the values are between brackets: in (1, 2)"),
            ("a in ()", "at character 7, `)`: a value must stand here: a number, a \"text\", a column or a bracket"),
            ("a in (1, 'x')", "at character 10, `'x'`: is a text, where a number must stand"),
            ("a in (1 2)", "at character 9, `2`: a comma or a closing bracket must stand here"),
            ("a between 1", "at its end: between has two ends: between 1 and 9"),
            ("a between 'x' and 3", "at character 11, `'x'`: is a text, where a number must stand"),
            ("a contains 'x'", "at character 1, `a`: is a number, where a text must stand"),
            ("t matches b", "at character 11, `b`: a regular expression in quotes must stand here"),
            ("t matches '('", "at character 11, `'('`: is no regular expression: unclosed group"),
            ("a is 3", "at character 6, `3`: null or not null must stand here"),
            ("a + 1 is null", "at character 1, `a + 1`: is no column, and only a column is null"),
            ("a not 3", "at character 7, `3`: in, between, contains or matches must stand here"),
        ] {
            let wrong = parse(text, &ROW).map(drop).unwrap_err();
            assert_eq!(wrong.within(text), expected, "{text}");
        }
        for deep in ["(", "-", "not ", "abs("] {
            let wrong = parse(&deep.repeat(400), &ROW).map(drop).unwrap_err();
            assert!(wrong.reason.starts_with("there are too many brackets"), "{}", wrong.reason);
        }
        assert!(holds(&format!("{}a > 1{}", "(".repeat(90), ")".repeat(90))));
        let long = |conditions: usize| format!("a > 1{}", " and a + 1 > 1".repeat(conditions));
        assert!(holds(&long(300)));
        assert!(parse(&long(100_000), &ROW).unwrap_err().reason.starts_with("there are more than 2000 words"));
    }

    #[test]
    fn results_that_are_too_large_are_errors() {
        let text = "a * 99999999999999999999999999999999999999 > 1";
        assert!(parse(text, &ROW).unwrap().holds(&ROW).is_err());
        assert!(parse("c or b + 'x' == 1", &ROW).is_err());
    }
}
