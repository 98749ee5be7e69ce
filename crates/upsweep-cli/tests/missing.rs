//! Tests of missing values in tables: `--na` and `--missing`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;
use support::{Folder, npy};

const TABLE: &str = "k,v,w\na,1,1\na,,2\nb,NA,3\nb,4, \nc,N/A,5\na,6,6\n";
const NA: [&str; 2] = ["--na", "NA,N/A"];

#[test]
fn missing_values_are_left_out_or_stand_for_something() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    let of = |args: &[&str]| f.prints(&[args, &NA[..]].concat());
    // (how, sum, running sums of the column v)
    let running = [("skip", "11", ["1", "", "", "5", "", "11"]), ("zero", "11", ["1", "1", "1", "5", "5", "11"])];
    for (how, sum, sums) in running {
        assert_eq!(of(&["reduce", "t.csv", "--column", "v", "--missing", how]), format!("{sum}\n"));
        let mut expected = String::new();
        for (line, sum) in TABLE.lines().zip(["v_sum"].into_iter().chain(sums)) {
            expected.push_str(&format!("{line},{sum}\n"));
        }
        assert_eq!(of(&["scan", "t.csv", "--column", "v", "--missing", how]), expected, "{how}");
    }
    assert_eq!(of(&["reduce", "t.csv", "--column", "v", "--missing", "propagate"]), "NaN\n");
    let nans = "k,v,w,v_sum\na,1,1,1.0\na,,2,NaN\nb,NA,3,NaN\nb,4, ,NaN\nc,N/A,5,NaN\na,6,6,NaN\n";
    assert_eq!(of(&["scan", "t.csv", "--column", "v", "--missing", "propagate"]), nans);
    // Other commands read the same values.
    assert_eq!(of(&["median", "t.csv", "--column", "v", "--missing", "skip"]), "4.0\n");
    assert_eq!(of(&["quantile", "t.csv", "--column", "v", "--missing", "zero", "--q", "0.5"]), "0.5\n");
    assert_eq!(of(&["top", "t.csv", "--column", "v", "--missing", "skip"]), "6\t5\n4\t3\n1\t0\n");
    assert_eq!(
        of(&["sample", "t.csv", "--column", "v", "--missing", "skip", "-n", "3", "--systematic"]).lines().last(),
        Some("5")
    );
    assert_eq!(of(&["unique", "t.csv", "--column", "v", "--missing", "zero"]), "0\n1\n4\n6\n");
    assert_eq!(of(&["histogram", "t.csv", "--column", "v", "--missing", "skip", "--bins", "1"]), "1.0\t6.0\t3\n");
    f.prints(&[&["scan", "t.csv", "--column", "v", "--missing", "skip", "-o", "out.i64"], &NA[..]].concat());
    assert_eq!(f.read("out.i64").len(), 3 * 8);
    // A column smoothed beside its rows.
    let smooth = of(&["signal", "filter", "t.csv", "--column", "v", "--missing", "skip", "--b", "2"]);
    assert_eq!(
        smooth.lines().map(|line| line.rsplit(',').next().unwrap()).collect::<Vec<_>>(),
        ["v_filter", "2.0", "", "", "8.0", "", "12.0"]
    );
    // The empty cell needs no --na.
    assert_eq!(f.prints(&["reduce", "t.csv", "--column", "w", "--missing", "skip"]), "17\n");
    assert_eq!(f.prints(&["reduce", "t.csv", "--column", "w", "--missing", "zero", "--op", "min"]), "0\n");
}

/// Keys and groups are those of the rows that are left.
#[test]
fn segments_and_groups_of_what_is_left() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    let of = |args: &[&str]| f.run(&[args, &NA[..]].concat());
    let by_key = of(&["reduce", "t.csv", "--column", "v", "--missing", "skip", "--by-key", "k", "-o", "-"]);
    assert_eq!(String::from_utf8(by_key.stdout).unwrap(), "a\t1\nb\t4\na\t6\n");
    let groups = ["reduce", "t.csv", "--column", "v", "--group-by", "k", "--op", "sum,mean,count"];
    let of = |how: &str| of(&[&groups[..], &["--missing", how]].concat()).good();
    assert_eq!(of("skip"), "a\t7\t3.5\t2\nb\t4\t4.0\t1\nc\t\t\t0\n");
    assert_eq!(of("zero"), "a\t7\t2.3333333333333335\t3\nb\t4\t2.0\t2\nc\t0\t0.0\t1\n");
    assert_eq!(of("propagate"), "a\tNaN\tNaN\t3\nb\tNaN\tNaN\t2\nc\tNaN\tNaN\t1\n");
    // The values of each column are left out on their own.
    let both = ["reduce", "t.csv", "--column", "v,w", "--op", "sum,count", "--missing", "skip", "--na", "NA,N/A"];
    assert_eq!(f.prints(&both), "11\t3\t17\t5\n");
    assert_eq!(f.prints(&[&both[..], &["--group-by", "k"]].concat()), "a\t7\t2\t9\t3\nb\t4\t1\t3\t1\nc\t\t0\t5\t1\n");
    let counts = ["reduce", "t.csv", "--column", "k,v", "--op", "count", "--missing", "skip", "--na", "NA,N/A"];
    assert_eq!(f.prints(&counts), "6\t3\n");
    // Counts alone are of rows.
    let counts = ["reduce", "t.csv", "--group-by", "k", "--op", "count", "--missing", "skip"];
    assert_eq!(f.prints(&counts), "a\t3\nb\t2\nc\t1\n");
}

#[test]
fn what_is_wrong_has_its_row() {
    let f = Folder::new();
    f.file("t.csv", TABLE).file("x.npy", npy("'|u1'", "(1,)", &[1]));
    let v = ["t.csv", "--column", "v"];
    f.fails(&[&["reduce"], &v[..]].concat(), b"", 2, &["t.csv: row 3: column v: the cell is empty", "--missing skip"]);
    f.fails(&[&["reduce"], &v[..], &["--missing", "skip"]].concat(), b"", 2, &["t.csv: row 4: column v: `NA` is not"]);
    let na = [&["reduce"], &v[..], &["--na", ",NA"]].concat();
    f.fails(&na, b"", 2, &["row 3"]);
    let groups = ["--group-by", "k", "--missing", "skip"];
    f.fails(&[&["reduce"], &v[..], &groups].concat(), b"", 2, &["t.csv: row 4: column v: `NA` is not"]);
    f.file("n.csv", "v\n1\nNA\n");
    f.fails(&["reduce", "n.csv", "--column", "v", "--na", "NA"], b"", 2, &["row 3", "has no value, as --na says"]);
    // Behind a row that was left out, a row has the number that it has in the file.
    f.file("o.csv", "v\n9223372036854775807\n\n\"\"\n1\n");
    f.file("o.csv", "v,k\n9223372036854775807,a\n,b\n,c\n1,d\n");
    f.fails(&["scan", "o.csv", "--column", "v", "--missing", "skip"], b"", 2, &["o.csv: row 5: the sum is"]);
    f.fails(&["scan", "x.npy", "--missing", "skip"], b"", 2, &["x.npy: is no table, and --missing is for tables"]);
    f.fails(&["reduce", "-", "--na", "NA"], b"1 2", 2, &["standard input: is no table, and --missing"]);
}

/// The summary on a terminal says how many values were missing.
#[cfg(target_os = "linux")]
#[test]
fn the_summary_counts_them() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    for (how, told) in
        [("skip", "3 missing left out"), ("zero", "3 missing taken as 0"), ("propagate", "3 missing taken as NaN")]
    {
        let shown = support::on_terminal(&f, &["scan", "t.csv", "--column", "v", "--na", "NA,N/A", "--missing", how]);
        assert!(shown.contains(told), "{shown}");
        // The last row is row 7 of the file.
        assert!(shown.lines().any(|line| line.trim_start().starts_with("7 ")), "{shown}");
    }
}
