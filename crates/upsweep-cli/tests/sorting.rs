//! Tests of `upsweep sort`, `top` and `median`. `numpy_sorts.py` compares random tables and arrays with NumPy.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use support::{Folder, bytes_of, npy, npy_data};

const SALES: &str = "region,amount,note\nS,9,a\nN,10,\"b, c\"\nS,,d\nN,9.5,e\nE,9,\"f \"\"g\"\"\"\n";

#[test]
fn rows_are_sorted() {
    let f = Folder::new();
    f.file("sales.csv", SALES);
    let sort = |options: &[&str]| f.prints(&[&["sort", "sales.csv"], options].concat());
    let names = "region,amount,note\n";
    let [s9, n10, empty, n95, e9] = ["S,9,a\n", "N,10,\"b, c\"\n", "S,,d\n", "N,9.5,e\n", "E,9,\"f \"\"g\"\"\"\n"];
    // Numbers, not texts; the empty cell last; equal rows stay in their order, in both directions.
    assert_eq!(sort(&["--column", "amount"]), [names, s9, e9, n95, n10, empty].concat());
    assert_eq!(sort(&[]), [names, s9, e9, n95, n10, empty].concat());
    assert_eq!(sort(&["--column", "2", "--desc"]), [names, n10, n95, s9, e9, empty].concat());
    assert_eq!(sort(&["--column", "region", "--column", "amount"]), [names, e9, n95, n10, s9, empty].concat());
    assert_eq!(
        sort(&["--column", "region", "--column", "amount", "--desc"]),
        [names, s9, empty, n10, n95, e9].concat()
    );
    assert_eq!(sort(&["--column", "amount", "--argsort"]), "0\n4\n3\n1\n2\n");
    sort(&["--column", "note", "-o", "by_note.tsv"]);
    assert_eq!(
        f.read("by_note.tsv"),
        b"region\tamount\tnote\nS\t9\ta\nN\t10\tb, c\nS\t\td\nN\t9.5\te\nE\t9\t\"f \"\"g\"\"\"\n"
    );
    sort(&["--argsort", "-o", "at.npy"]);
    assert_eq!(npy_data(&f.read("at.npy")), bytes_of!(u64: 0, 4, 3, 1, 2));
    // NaN comes before empty cells; large integers are compared exactly; a column of texts and numbers is one of texts.
    f.file("t.csv", "x\n2\nnan\n\"\"\n-inf\n");
    assert_eq!(f.prints(&["sort", "t.csv", "--desc"]), "x\n2\n-inf\nnan\n\"\"\n");
    f.file("i.csv", "x\n9007199254740993\n9007199254740992\n");
    assert_eq!(f.prints(&["sort", "i.csv"]), "x\n9007199254740992\n9007199254740993\n");
    let mixed = f.run_with(&["sort", "-", "--format", "csv", "--column", "id"], b"id\n9\n10\nb\n");
    assert_eq!((mixed.code, &mixed.stdout[..]), (Some(0), &b"id\n10\n9\nb\n"[..]));
    assert!(mixed.stderr.contains("column id is ordered as text: in row 4 it has `b`"), "{}", mixed.stderr);
    f.file("none.csv", "a,b\n");
    assert_eq!(f.prints(&["sort", "none.csv", "--column", "a"]), "a,b\n");
}

#[test]
fn values_are_sorted() {
    let f = Folder::new();
    assert_eq!(f.run_with(&["sort", "-"], b"3 -1 7 0").good(), "-1\n0\n3\n7\n");
    assert_eq!(f.run_with(&["sort", "-", "--desc"], b"3 nan 7.5 -0.0 0").good(), "7.5\n3.0\n-0.0\n0.0\nNaN\n");
    // Zeros of both signs are equal.
    assert_eq!(f.run_with(&["sort", "-"], b"0.0 1.5 -0.0 0.0 -1").good(), "-1.0\n0.0\n-0.0\n0.0\n1.5\n");
    assert_eq!(f.run_with(&["sort", "-", "--argsort"], b"0.0 1.5 -0.0 0.0 -1").good(), "4\n0\n2\n3\n1\n");
    assert_eq!(f.run_with(&["top", "-", "-k", "2"], b"0.0 -1.5 -0.0 -3").good(), "0.0\t0\n-0.0\t2\n");
    assert_eq!(f.run_with(&["sort", "-", "--argsort", "--desc"], b"3 7 7 0").good(), "1\n2\n0\n3\n");
    assert_eq!(f.run_with(&["sort", "-"], b"").good(), "");
    f.file("x.npy", npy("'<i2'", "(2, 3)", &bytes_of!(i16: 3, -1, 7, 0, 4, -16)));
    let sort = |options: &[&str]| {
        f.prints(&[&["sort", "x.npy", "-o", "y.npy"], options].concat());
        npy_data(&f.read("y.npy")).to_vec()
    };
    assert_eq!(sort(&["--axis", "-1"]), bytes_of!(i16: -1, 3, 7, -16, 0, 4));
    assert_eq!(sort(&["--axis", "0", "--desc"]), bytes_of!(i16: 3, 4, 7, 0, -1, -16));
    assert_eq!(sort(&["--axis", "1", "--argsort"]), bytes_of!(u64: 1, 0, 2, 2, 0, 1));
    assert_eq!(sort(&[]), bytes_of!(i16: -16, -1, 0, 3, 4, 7));
}

#[test]
fn the_first_values_and_the_middle_one() {
    let f = Folder::new();
    assert_eq!(f.run_with(&["top", "-", "-k", "3"], b"3 9 1 9 4").good(), "9\t1\n9\t3\n4\t4\n");
    assert_eq!(f.run_with(&["top", "-", "-k", "2", "--least"], b"3 nan -inf 1").good(), "-inf\t2\n1.0\t3\n");
    assert_eq!(f.run_with(&["top", "-", "-k", "3"], b"nan -inf 1").good(), "1.0\t2\n-inf\t1\nNaN\t0\n");
    assert_eq!(f.run_with(&["top", "-", "-k", "2", "--indices"], b"3 9 4").good(), "1\n2\n");
    assert_eq!(f.run_with(&["top", "-"], b"3 9 4").good(), "9\t1\n4\t2\n3\t0\n");
    assert_eq!(f.run_with(&["top", "-"], b"").good(), "");
    let eleven = f.run_with(&["top", "-", "--least"], b"1 2 3 4 5 6 7 8 9 10 11").good();
    assert_eq!(eleven.lines().count(), 10);
    f.file("t.csv", "a,b\nx,5\ny,-2\n");
    f.prints(&["top", "t.csv", "-k", "1", "-o", "best.csv"]);
    assert_eq!(f.read("best.csv"), b"value,index\n5,0\n");
    assert_eq!(f.run_with(&["median", "-"], b"4 1 3 2").good(), "2.5\n");
    assert_eq!(f.prints(&["median", "t.csv", "--column", "b"]), "1.5\n");
}

/// Numbers that neither i64 nor f64 has are sorted, too, and no --type is suggested for them.
#[test]
fn numbers_of_any_size_are_in_their_order() {
    let f = Folder::new();
    let sort = |cells: &str, options: &[&str]| {
        f.file("n.csv", format!("v\n{}\n", cells.replace(' ', "\n")));
        let sorted = f.prints(&[&["sort", "n.csv"], options].concat());
        sorted.strip_prefix("v\n").unwrap().trim_end().replace('\n', " ")
    };
    assert_eq!(sort("18446744073709551615 5", &[]), "5 18446744073709551615");
    assert_eq!(sort("1 1.5 9007199254740993 9007199254740992", &[]), "1 1.5 9007199254740992 9007199254740993");
    let mixed = "-9223372036854775809 nan 1e30 18446744073709551616 inf 0.5 18446744073709551616 -inf";
    let ascending = "-inf -9223372036854775809 0.5 18446744073709551616 18446744073709551616 1e30 inf nan";
    assert_eq!(sort(mixed, &[]), ascending);
    let descending = "inf 1e30 18446744073709551616 18446744073709551616 0.5 -9223372036854775809 -inf nan";
    assert_eq!(sort(mixed, &["--desc"]), descending);
    assert_eq!(f.prints(&["sort", "n.csv", "--argsort"]), "7\n0\n5\n3\n6\n2\n4\n1\n");
    // Groups are in this order, too.
    f.file("g.csv", "id,x\n18446744073709551615,1\n9,2\n18446744073709551615,3\n");
    assert_eq!(f.prints(&["reduce", "g.csv", "--group-by", "id", "--column", "x"]), "9\t2\n18446744073709551615\t4\n");
}

#[test]
fn rows_are_counted_whatever_is_in_them() {
    let f = Folder::new();
    f.file("t.csv", "name,a,b\nx,1,2.5\ny,,4.5\nx,3,q\n").file("x.npy", npy("'<i4'", "(2, 3)", &[0; 24]));
    let count = |options: &[&str]| f.prints(&[&["reduce"], options, &["--op", "count"]].concat());
    assert_eq!(count(&["t.csv", "--group-by", "name"]), "x\t2\ny\t1\n");
    assert_eq!(count(&["t.csv", "--group-by", "name", "--column", "b"]), "x\t2\ny\t1\n");
    assert_eq!(count(&["t.csv", "--group-by", "name", "-o", "n.csv"]), "");
    assert_eq!(f.read("n.csv"), b"name,count\nx,2\ny,1\n");
    count(&["t.csv", "--group-by", "name", "--column", "a", "-o", "n.csv"]);
    assert_eq!(f.read("n.csv"), b"name,a_count\nx,2\ny,1\n");
    f.file("c.csv", "count,b\n1,2\n");
    count(&["c.csv", "--group-by", "count", "-o", "n.csv"]);
    assert_eq!(f.read("n.csv"), b"count,count_2\n1,1\n");
    assert_eq!((count(&["t.csv"]), count(&["t.csv", "--column", "a"])), ("3\n".to_owned(), "3\n".to_owned()));
    assert_eq!((count(&["t.csv", "--header", "no"]), count(&["x.npy"])), ("4\n".to_owned(), "6\n".to_owned()));
    count(&["x.npy", "-o", "n.u64"]);
    assert_eq!(f.read("n.u64"), 6u64.to_le_bytes());
    f.fails(&["reduce", "t.csv", "--op", "count", "--column", "c"], b"", 2, &["has no column `c`"]);
    f.fails(&["reduce", "x.npy", "--op", "count", "--axis", "0"], b"", 2, &["--op count", "--axis is for others"]);
}

#[test]
fn several_columns_and_statistics() {
    let f = Folder::new();
    f.file("t.csv", "k,a,b,\"a,b\",`\nx,1,0.5,7,1\ny,2,1.5,7,2\nx,4,2.5,8,3\nx,7,-1,8,4\n");
    let reduce = |options: &[&str]| f.prints(&[&["reduce", "t.csv"], options].concat());
    assert_eq!(reduce(&["--column", "a, b", "--op", "sum,max"]), "14\t7\t3.5\t2.5\n");
    assert_eq!(reduce(&["--column", "b, a"]), "3.5\t14\n");
    assert_eq!(reduce(&["--column", "2,3", "--op", "count,mean,median"]), "4\t3.5\t3.0\t4\t0.875\t1.0\n");
    // 7 is the sum of the squared distances of 1, 2, 4, 7 from 3.5 by 3: 21 / 3.
    assert_eq!(reduce(&["--column", "a", "--op", "var,std"]), format!("7.0\t{:?}\n", 7f64.sqrt()));
    // A name with a comma: as it is, or in back quotes within a list.
    assert_eq!(reduce(&["--column", "a,b", "--op", "max"]).trim(), "8");
    assert_eq!(reduce(&["--column", "`a,b`,a", "--op", "max"]), "8\t7\n");
    assert_eq!(
        reduce(&["--column", "b,a", "--group-by", "k", "--op", "sum,mean"]),
        "x\t2.0\t0.6666666666666666\t12\t4.0\ny\t1.5\t1.5\t2\t2.0\n"
    );
    assert_eq!(reduce(&["--column", "a", "--group-by", "k", "--op", "std"]), "x\t3.0\ny\tNaN\n");
    reduce(&["--column", "b,a", "--group-by", "k", "--op", "min,count", "-o", "o.csv"]);
    assert_eq!(f.read("o.csv"), b"k,b_min,b_count,a_min,a_count\nx,-1.0,3,1,3\ny,1.5,1,2,1\n");
    reduce(&["--column", "b,a", "--op", "min,median", "-o", "o.tsv"]);
    assert_eq!(f.read("o.tsv"), b"b_min\tb_median\ta_min\ta_median\n-1.0\t1.0\t1\t3.0\n");
    f.file("x.npy", npy("'<f4'", "(2, 2)", &bytes_of!(f32: 1.5, 2.0, -1.0, 4.0)));
    assert_eq!(f.prints(&["reduce", "x.npy", "--op", "sum,mean,median,count"]), "6.5\t1.625\t1.75\t4\n");
    assert_eq!(f.prints(&["reduce", "x.npy", "x.npy", "--op", "mean"]), "1.625\n");
    assert_eq!(f.run_with(&["reduce", "-", "--op", "min,max,mean"], b"3 1 2").good(), "1\t3\t2.0\n");
    assert_eq!(f.run_with(&["reduce", "-", "--op", "sum,mean,var,count"], b"").good(), "0\tNaN\tNaN\t0\n");
    f.prints(&["reduce", "x.npy", "--op", "sum,mean", "-o", "o.csv"]);
    assert_eq!(f.read("o.csv"), b"sum,mean\n6.5,1.625\n");
    // Sums have the bits that they have alone.
    let many: Vec<u8> = (0..100_000).flat_map(|k| (1.0 / f64::from(k % 977 + 1)).to_le_bytes()).collect();
    f.file("many.f64", many);
    let alone = f.prints(&["reduce", "many.f64"]);
    assert_eq!(f.prints(&["reduce", "many.f64", "--op", "sum,max"]), format!("{}\t1.0\n", alone.trim()));
    let fails = |args: &[&str], words: &[&str]| f.fails(&[&["reduce"], args].concat(), b"", 2, words);
    fails(&["t.csv", "--column", "a,k"], &["t.csv: row 2: column k: `x` is not a number"]);
    fails(&["t.csv", "--column", "a,none"], &["has no column `none`"]);
    fails(&["x.npy", "--op", "sum,mean", "-o", "o.npy"], &["several results are written as a table"]);
    fails(&["x.npy", "--op", "mean", "--axis", "0"], &["--axis: is for one column"]);
    fails(&["x.npy", "--column", "a,b"], &["x.npy: is no table, and --column is for tables"]);
    f.file("o.csv", "a,b\n9223372036854775807,1\n1,1\n");
    fails(&["o.csv", "--column", "a,b"], &["o.csv: the sum does not fit i64", "--sum-type"]);
}

#[test]
fn texts_are_compared() {
    let f = Folder::new();
    f.file("t.csv", "k,word,n\nx,pear,3\ny,fig,1\nx,apple,3\nx,pear,2\ny,\"a,b\",NA\nz,,4\n");
    let reduce = |options: &[&str]| f.prints(&[&["reduce", "t.csv"], options].concat());
    let all = ["--column", "word", "--op", "first,last,min,max,mode,count"];
    assert_eq!(
        reduce(&[&all[..], &["--group-by", "k"]].concat()),
        "x\tpear\tpear\tapple\tpear\tpear\t3\ny\tfig\ta,b\ta,b\tfig\ta,b\t2\nz\t\t\t\t\t\t1\n"
    );
    assert_eq!(reduce(&all), "pear\t\t\tpear\tpear\t6\n");
    assert_eq!(reduce(&[&all[..], &["--missing", "skip"]].concat()), "pear\ta,b\ta,b\tpear\tpear\t5\n");
    // Numbers are numbers.
    let numbers = ["--column", "n", "--na", "NA", "--missing", "skip"];
    assert_eq!(reduce(&[&["--op", "mode,first,last"], &numbers[..]].concat()), "3\t3\t4\n");
    assert_eq!(
        reduce(&[&["--op", "mode,max", "--group-by", "k"], &numbers[..]].concat()),
        "x\t3\t3\ny\t1\t1\nz\t4\t4\n"
    );
    // Columns of both kinds.
    let both = ["--column", "word,n", "--op", "max,mode", "--na", "NA", "--missing", "skip", "--group-by", "k"];
    assert_eq!(reduce(&both), "x\tpear\tpear\t3\t3\ny\tfig\ta,b\t1\t1\nz\t\t\t4\t4\n");
    reduce(&["--column", "word", "--op", "min,mode", "-o", "o.csv"]);
    assert_eq!(f.read("o.csv"), b"word_min,word_mode\n,pear\n");
    f.file("x.npy", npy("'<f4'", "(4,)", &bytes_of!(f32: 2.0, 1.0, 2.0, f32::NAN)));
    assert_eq!(f.prints(&["reduce", "x.npy", "--op", "first,last,mode"]), "2.0\tNaN\t2.0\n");
    let fails = |args: &[&str], words: &[&str]| f.fails(&[&["reduce", "t.csv"], args].concat(), b"", 2, words);
    fails(&["--column", "word", "--op", "mode,sum"], &["row 2: column word: `pear` is not a number"]);
    fails(&["--column", "word", "--op", "mode", "--type", "i64"], &["row 2: column word: `pear` is not a number"]);
    fails(&["--column", "n", "--op", "mode", "--na", "NA"], &["row 6: column n: the cell has no value"]);
}

#[test]
fn groups_are_reduced() {
    let f = Folder::new();
    f.file("sales.csv", "region,amount\nS,9\nN,-1\nS,4\n\"E, F\",7\nN,2\nS,5\n");
    let reduce = |options: &[&str]| f.prints(&[&["reduce", "sales.csv", "--group-by"], options].concat());
    assert_eq!(reduce(&["region", "--op", "mean,count,max"]), "E, F\t7.0\t1\t7\nN\t0.5\t2\t2\nS\t6.0\t3\t9\n");
    assert_eq!(reduce(&["1", "--column", "amount"]), "E, F\t7\nN\t1\nS\t18\n");
    reduce(&["region", "--op", "min,sum", "-o", "r.csv"]);
    assert_eq!(f.read("r.csv"), b"region,amount_min,amount_sum\n\"E, F\",7,7\nN,-1,1\nS,4,18\n");
    // Numeric groups are in numeric order.
    f.file("t.csv", "id,x\n10,1.5\n9,2\n10,0.5\n");
    assert_eq!(f.prints(&["reduce", "t.csv", "--group-by", "id", "--column", "x"]), "9\t2.0\n10\t2.0\n");
    assert_eq!(f.prints(&["reduce", "t.csv", "--group-by", "id"]), "9\t2.0\n10\t2.0\n");
    f.file("none.csv", "a,b\n");
    assert_eq!(f.prints(&["reduce", "none.csv", "--group-by", "a", "--column", "b"]), "");
    let fails = |args: &[&str], words: &[&str]| f.fails(args, b"", 2, words);
    for (option, value) in [("--by-key", "region"), ("--init", "1"), ("--carry-out", "c")] {
        let words = [option, "is for one column and one operator that is no mean, std, var or median"];
        fails(&["reduce", "sales.csv", "--op", "mean", option, value], &words);
        fails(&["reduce", "sales.csv", "--op", "sum,max", option, value], &words);
    }
    fails(&["reduce", "sales.csv", "--group-by", "town"], &["has no column", "the columns are region, amount"]);
    fails(
        &["reduce", "t.csv", "--group-by", "id", "-o", "x.npy"],
        &["-o x.npy: groups and several results are written as a table"],
    );
    fails(&["reduce", "x.npy", "--group-by", "id"], &["x.npy: is no table, and --group-by is for tables"]);
    f.file("gap.csv", "id,x\n1,2\n1,\n");
    fails(
        &["reduce", "gap.csv", "--group-by", "id", "--column", "x"],
        &["gap.csv: row 3: column x: the cell is empty"],
    );
    f.file("big.csv", "id,x\n1,9223372036854775807\n1,1\n");
    fails(
        &["reduce", "big.csv", "--group-by", "id", "--column", "x"],
        &["group `1`: the sum does not fit i64, it is 9223372036854775808"],
    );
}

#[test]
fn what_is_wrong_is_named() {
    let f = Folder::new();
    f.file("sales.csv", SALES).file("odd.csv", "a,b\n1,2\n3\n").file("x.npy", npy("'<i4'", "(1,)", &bytes_of!(i32: 3)));
    let fails = |args: &[&str], words: &[&str]| f.fails(args, b"", 2, words);
    fails(&["sort", "sales.csv", "--column", "price"], &["has no column", "the columns are region, amount, note"]);
    fails(&["sort", "odd.csv", "--column", "a"], &["odd.csv: row 3: has 1 cell where the first row has 2"]);
    fails(&["sort", "sales.csv", "-o", "y.npy"], &["-o y.npy: rows are written as a table", "--argsort"]);
    fails(&["sort", "sales.csv", "--axis", "0"], &["--axis is for arrays"]);
    fails(&["sort", "x.npy", "--column", "a"], &["x.npy: is no table, and --column is for tables"]);
    fails(&["sort", "x.npy", "--axis", "1"], &["x.npy: has no axis 1: there is one axis, 0"]);
    fails(&["sort", "none.csv"], &["none.csv"]);
    fails(&["top", "x.npy", "-k", "2"], &["-k 2: x.npy has 1 value: ask for -k 1, which are all"]);
    assert_eq!(f.prints(&["top", "x.npy", "-k", "1"]), "3\t0\n");
    f.fails(&["top", "-", "-k", "3"], b"2 1", 2, &["-k 3: standard input has 2 values: ask for -k 2"]);
    f.fails(&["top", "-", "-k", "3"], b"", 2, &["-k 3: standard input has no values"]);
    f.file("large.csv", format!("x\n1e3\n{}\n", "9".repeat(40)));
    fails(&["sort", "large.csv"], &["large.csv: row 3: column x: ", "has more digits than are computed with\n"]);
    f.fails(&["median", "-"], b"", 2, &["has no values, so it has no quantiles"]);
}
