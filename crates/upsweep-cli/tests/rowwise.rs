//! Tests of scans of a table's column part by part: results are those of an array of the values, which is scanned as a whole.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;
use support::{Folder, Random, npy};

/// Bytes of rows in a part: see `table/joined.rs`.
const PART: usize = 1 << 20;

/// Rows of a table of the columns k, x and t.
struct Table {
    rows: Vec<(String, String, String)>,
    fractions: bool,
}

impl Table {
    /// Makes rows of about so many bytes. Keys change after about `mean` rows.
    fn new(random: &mut Random, bytes: usize, mean: usize, fractions: bool) -> Self {
        let (mut rows, mut made, mut key) = (Vec::new(), 0, 0);
        while made < bytes {
            key += usize::from(random.below(mean) == 0);
            let x = match random.below(40) {
                _ if fractions && rows.is_empty() => "0.5".to_owned(),
                0 => "NA".to_owned(),
                n if fractions && n > 1 => format!("{}", random.below(1 << 20) as f64 / 7.0),
                _ => format!("{}", random.below(1000) as i64 - 499),
            };
            let text = random.of(&["", "some text", "\"with, a comma\"", "\"two\nlines\"", "5\"", " x "]).to_owned();
            let row = (format!("k{}", key % 3), x, text + &"y".repeat(random.below(60)));
            // A quote ends its cell.
            let row = if row.2.starts_with('"') { (row.0, row.1, row.2.trim_end_matches('y').to_owned()) } else { row };
            made += row.0.len() + row.1.len() + row.2.len() + 3;
            rows.push(row);
        }
        // Without rows there are integers.
        Self { fractions: fractions && !rows.is_empty(), rows }
    }

    /// Texts of the rows, with one more cell each, and a row of names.
    fn text(&self, name: &str, more: Option<&[String]>) -> String {
        let mut text = format!("k,x,t{name}\n");
        for (at, (k, x, t)) in self.rows.iter().enumerate() {
            let cell = more.map_or_else(String::new, |more| format!(",{}", more[at]));
            text += &format!("{k},{x},{t}{cell}\n");
        }
        text
    }

    /// Writes the values that are not missing to `x.npy`, and flags of those with which keys change to `heads.npy`. Returns the
    /// indices of their rows.
    fn array(&self, f: &Folder) -> Vec<usize> {
        let (mut x, mut heads, mut places, mut key) = (Vec::new(), Vec::new(), Vec::new(), None);
        for (at, (k, value, _)) in self.rows.iter().enumerate().filter(|(_, row)| row.1 != "NA") {
            match self.fractions {
                true => x.extend(value.parse::<f64>().unwrap().to_le_bytes()),
                false => x.extend(value.parse::<i64>().unwrap().to_le_bytes()),
            }
            heads.push(u8::from(key != Some(k)));
            places.push(at);
            key = Some(k);
        }
        let shape = format!("({},)", places.len());
        f.file("x.npy", npy(if self.fractions { "'<f8'" } else { "'<i8'" }, &shape, &x));
        f.file("heads.npy", npy("'|b1'", &shape, &heads));
        places
    }

    /// Checks a scan of the column with these options against that of the array.
    #[track_caller]
    fn check(&self, f: &Folder, options: &[&str], suffix: &str, by_key: bool) {
        let places = self.array(f);
        let by = |option: [&'static str; 2]| if by_key { option.to_vec() } else { Vec::new() };
        let whole = [&["scan", "x.npy", "-o", "y.csv"], options, &by(["--segments", "heads.npy"])].concat();
        f.run(&whole).good();
        let results = String::from_utf8(f.read("y.csv")).unwrap();
        let mut more = vec![String::new(); self.rows.len()];
        places.iter().zip(results.lines()).for_each(|(&at, result)| more[at] = result.to_owned());
        assert_eq!(places.len(), results.lines().count());
        let expected = self.text(&format!(",x_{suffix}"), Some(&more));
        f.file("t.csv", self.text("", None));
        let scan = ["scan", "t.csv", "--column", "x", "--missing", "skip", "--na", "NA"];
        let args = [&scan[..], options, &by(["--by-key", "k"])].concat();
        f.run(&[&args[..], &["-o", "out.csv"]].concat()).good();
        assert!(f.read("out.csv") == expected.as_bytes(), "{args:?}");
        assert!(f.run(&args).good() == expected, "{args:?} to a pipe");
        f.run(&[&args[..], &["-o", "out.npy"]].concat()).good();
        f.run(&[&whole[..2], &whole[4..], &["-o", "y.npy"]].concat()).good();
        assert!(f.read("out.npy") == f.read("y.npy"), "{args:?} to .npy");
    }
}

const OPTIONS: &[(&[&str], &str)] = &[
    (&[], "sum"),
    (&["--exclusive"], "sum"),
    (&["--init", "3"], "sum"),
    (&["--init", "0.1", "--sum-type", "f64", "--exclusive"], "sum"),
    (&["--sum-type", "f32"], "sum"),
    (&["--op", "max"], "max"),
    (&["--op", "min", "--exclusive", "--init", "7"], "min"),
    (&["--op", "product", "--wrap"], "product"),
];

#[test]
fn parts_have_the_results_of_a_whole() {
    let (f, mut random) = (Folder::new(), Random(5));
    for fractions in [false, true] {
        // Segments within a part, over parts, and one of all.
        for (bytes, mean) in
            [(0, 5), (300, 3), (PART + 999, 4), (3 * PART, 9000), (3 * PART + 7, 40_000), (PART, 1 << 40)]
        {
            let table = Table::new(&mut random, bytes, mean, fractions);
            for by_key in [false, true] {
                let (options, suffix) = random.of(OPTIONS);
                let options: Vec<&str> =
                    options.iter().copied().filter(|option| !fractions || *option != "--wrap").collect();
                table.check(&f, &options, suffix, by_key);
            }
        }
    }
}

#[test]
fn every_option_by_key() {
    let (f, mut random) = (Folder::new(), Random(8));
    for fractions in [false, true] {
        let table = Table::new(&mut random, 2 * PART + 5, 20_000, fractions);
        for (options, suffix) in OPTIONS {
            let options: Vec<&str> =
                options.iter().copied().filter(|option| !fractions || *option != "--wrap").collect();
            table.check(&f, &options, suffix, true);
        }
    }
}

#[test]
fn windows_over_parts() {
    let (f, mut random) = (Folder::new(), Random(6));
    for fractions in [false, true] {
        let table = Table::new(&mut random, 2 * PART, 1 << 40, fractions);
        for (options, suffix) in [
            (&["--window", "3"][..], "sum_3"),
            (&["--window", "5000", "--op", "mean"], "mean_5000"),
            (&["--window", "70", "--op", "max"], "max_70"),
            (&["--op", "lag"], "lag"),
            (&["--op", "diff"], "diff"),
        ] {
            let places = table.array(&f);
            f.run(&[&["scan", "x.npy", "-o", "y.csv"], options].concat()).good();
            let results = String::from_utf8(f.read("y.csv")).unwrap();
            let mut more = vec![String::new(); table.rows.len()];
            let without = places.len() - results.lines().count();
            places.iter().skip(without).zip(results.lines()).for_each(|(&at, result)| more[at] = result.to_owned());
            f.file("t.csv", table.text("", None));
            let scan = ["scan", "t.csv", "--column", "x", "--missing", "skip", "--na", "NA", "-o", "out.csv"];
            f.run(&[&scan[..], options].concat()).good();
            let expected = table.text(&format!(",x_{suffix}"), Some(&more));
            assert!(f.read("out.csv") == expected.as_bytes(), "{options:?}");
        }
    }
}

#[test]
fn totals_of_parts() {
    let (f, mut random) = (Folder::new(), Random(7));
    for fractions in [false, true] {
        let table = Table::new(&mut random, 2 * PART, 9, fractions);
        table.array(&f);
        f.file("t.csv", table.text("", None));
        for options in [
            &[][..],
            &["--op", "max"],
            &["--op", "product", "--sum-type", "f64"],
            &["--init", "0.1", "--sum-type", "f32"],
            &["--op", "min"],
        ] {
            let whole = f.prints(&[&["reduce", "x.npy"], options].concat());
            let column = ["reduce", "t.csv", "--column", "x", "--missing", "skip", "--na", "NA"];
            assert_eq!(f.prints(&[&column[..], options].concat()), whole, "{options:?}");
        }
    }
}

/// The first fraction may come after results were written: to a file they are computed once more, and to a pipe the type is found
/// before.
#[test]
fn a_late_fraction() {
    let f = Folder::new();
    let rows = 400_000;
    let cell = |k: usize| if k == rows - 1 { "0.5".to_owned() } else { (k % 10).to_string() };
    let lines = |of: &dyn Fn(usize) -> String| (0..rows).map(|k| of(k) + "\n").collect::<String>();
    let mut sum = 0.0;
    let sums: Vec<f64> = (0..rows)
        .map(|k| {
            sum += cell(k).parse::<f64>().unwrap();
            sum
        })
        .collect();
    f.file("t.csv", format!("x\n{}", lines(&cell)));
    let expected = format!("x,x_sum\n{}", lines(&|k| format!("{},{:?}", cell(k), sums[k])));
    assert!(f.prints(&["scan", "t.csv"]) == expected);
    f.prints(&["scan", "t.csv", "-o", "out.csv"]);
    assert!(f.read("out.csv") == expected.as_bytes());
    f.prints(&["scan", "t.csv", "-o", "out.f64"]);
    assert!(f.read("out.f64") == sums.iter().flat_map(|sum| sum.to_le_bytes()).collect::<Vec<u8>>());
    f.fails(&["scan", "t.csv", "-o", "new.i64"], b"", 2, &["new.i64: the values are f64, not i64"]);
    f.fails(&["scan", "t.csv", "--op", "xor", "-o", "new.csv"], b"", 2, &["xor"]);
    // An integer that no float is, in a part before.
    f.file("t.csv", format!("x\n9007199254740993\n{}", lines(&cell)));
    let told = "row 400002: column x: 0.5 makes the values f64: 9007199254740993 is not exactly";
    f.fails(&["scan", "t.csv", "-o", "new.csv"], b"", 2, &[told]);
    f.fails(&["scan", "t.csv"], b"", 2, &[told]);
}

/// Errors far behind have the row, and leave no file.
#[test]
fn what_is_wrong_far_behind() {
    let f = Folder::new();
    let rows = 300_000;
    let table = |last: &str| {
        let row = |k: usize| format!("{},{}\n", if k % 3 == 1 { "" } else { "1" }, k / 5);
        format!("x,k\n{}{last}\n", (0..rows).map(row).collect::<String>())
    };
    let skip = ["scan", "t.csv", "--column", "x", "--missing", "skip", "-o", "new.csv"];
    f.file("t.csv", table("9223372036854775807,0"));
    f.fails(&skip, b"", 2, &["t.csv: row 300002: the sum is 9223372036854975807", "which does not fit i64"]);
    let reduce = ["reduce", "t.csv", "--column", "x", "--missing", "skip"];
    let told = "t.csv: row 300002: from here on the sum does not fit i64, in the end it is 9223372036854975807";
    f.fails(&reduce, b"", 2, &[told]);
    f.file("t.csv", table("9223372036854775807,0\n,0\n1,0"));
    let told = "t.csv: row 300004: the sum is 9223372036854775808, which does not fit i64";
    f.fails(&[&skip[..], &["--by-key", "k"]].concat(), b"", 2, &[told]);
    let diff = ["--op", "diff", "--by-key", "k"];
    f.file("t.csv", table("-9223372036854775808,0\n,0\n1,0"));
    let told = "t.csv: row 300004: the difference is 9223372036854775809, which does not fit i64";
    f.fails(&[&skip[..], &diff].concat(), b"", 2, &[told]);
    f.file("t.csv", table("x,0"));
    f.fails(&skip, b"", 2, &["t.csv: row 300002: column x: `x` is not a number"]);
    f.file("t.csv", table("1"));
    f.fails(&skip, b"", 2, &["t.csv: row 300002: has 1 cell where the first row has 2"]);
}
