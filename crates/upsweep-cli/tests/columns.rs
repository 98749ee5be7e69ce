//! Tests of chosen and computed columns, of orders with a direction for each key, and of whole rows of the largest values.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;
use support::Folder;

const TABLE: &str = "region,amount,price,note\nN,3,12.5,\"a,b\"\nS,1,2,\nN,2,20, x \nE,,4,z\n";

#[test]
fn columns_are_chosen_and_renamed() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    let of = |args: &[&str]| f.prints(&[&["select", "t.csv"], args].concat());
    assert_eq!(of(&["--keep", "price,region"]), "price,region\n12.5,N\n2,S\n20,N\n4,E\n");
    assert_eq!(of(&["--keep", "4,1", "--where", "amount is not null"]), "note,region\n\"a,b\",N\n,S\n\" x \",N\n");
    assert_eq!(of(&["--set", "to = region", "--keep", "to"]), "to\nN\nS\nN\nE\n");
    assert_eq!(of(&["--keep", "note"]), "note\n\"a,b\"\n\"\"\n\" x \"\nz\n");
    assert_eq!(of(&["--keep", "amount, amount"]), "amount,amount\n3,3\n1,1\n2,2\n,\n");
    // Without --set and --keep rows are as they were read.
    assert_eq!(of(&["--where", "true"]), TABLE);
    f.prints(&["select", "t.csv", "--keep", "region", "-o", "o.tsv"]);
    assert_eq!(f.read("o.tsv"), b"region\nN\nS\nN\nE\n");
    // A table without names.
    f.file("n.csv", "1,2\n3,4\n");
    assert_eq!(f.prints(&["select", "n.csv", "--set", "sum = $1 + $2", "--keep", "3,1"]), "3,1\n7,3\n");
    assert_eq!(f.prints(&["select", "n.csv", "--set", "1 = $1 + 1", "--set", "1 = $1 - 1"]), "1,2,0\n3,4,2\n");
    // A name with a comma, and a name that is a number.
    f.file("c.csv", "\"a,b\",2\n5,6\n");
    assert_eq!(f.prints(&["select", "c.csv", "--header", "yes", "--keep", "a,b"]), "\"a,b\"\n5\n");
    assert_eq!(
        f.prints(&["select", "c.csv", "--header", "yes", "--set", "`a,b` = `2` * 2", "--keep", "`2`,`a,b`"]),
        "2,\"a,b\"\n6,12\n"
    );
    f.file("e.csv", "a,b\n");
    assert_eq!(f.prints(&["select", "e.csv", "--set", "c = a", "--keep", "c"]), "c\n");
}

#[test]
fn columns_are_computed() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    let some = ["select", "t.csv", "--where", "amount is not null"];
    let of = |args: &[&str]| f.prints(&[&some[..], args].concat());
    assert_eq!(of(&["--set", "total = amount * price", "--keep", "total"]), "total\n37.5\n2\n40\n");
    assert_eq!(of(&["--set", "c=price/amount", "--keep", "c"]), "c\n4.166666666666667\n2.0\n10.0\n");
    assert_eq!(of(&["--set", "c = amount > 1 and region == 'N'", "--keep", "c"]), "c\ntrue\nfalse\ntrue\n");
    assert_eq!(of(&["--set", "c = 'x, y'", "--keep", "region,c"]), "region,c\nN,\"x, y\"\nS,\"x, y\"\nN,\"x, y\"\n");
    // In place of a column; others see it as it was read. Of several values of a column the last one counts.
    let doubled = "region,amount,price,note,old\nN,6,12.5,\"a,b\",3\nS,2,2,,1\nN,4,20,\" x \",2\n";
    assert_eq!(of(&["--set", "amount = amount * 2", "--set", "old = amount"]), doubled);
    assert_eq!(of(&["--set", "a = 1", "--set", "a = 2", "--keep", "a"]), "a\n2\n2\n2\n");
    assert_eq!(of(&["--set", "c = 9007199254740993 + amount", "--keep", "c"]).lines().nth(1), Some("9007199254740996"));
    assert_eq!(of(&["--set", "c = amount / 0 - amount / 0", "--keep", "c"]).lines().nth(1), Some("NaN"));
}

#[test]
fn what_is_wrong_with_columns() {
    let f = Folder::new();
    f.file("t.csv", TABLE).file("x.npy", support::npy("'|u1'", "(1,)", &[1]));
    let fails = |args: &[&str], words: &[&str]| f.fails(&[&["select", "t.csv"], args].concat(), b"", 2, words);
    fails(&["--set", "c = amount * 2"], &["t.csv: row 5: column amount: the cell is empty"]);
    fails(&["--set", "c = missing * 2"], &["--set c = missing * 2: at character 5, `missing`: t.csv: has no column"]);
    fails(&["--set", "c = region +"], &["at its end: a value must stand here"]);
    fails(&["--set", "c = 'a' + 1"], &["is a text, where a number must stand"]);
    for wrong in ["c", "= 1", "c == 1", " = "] {
        fails(&["--set", wrong], &["is no assignment: write 'name = value'"]);
    }
    fails(&["--set", "c = "], &["a value must stand here"]);
    fails(&["--keep", "region,c"], &["has no column `c`", "region, amount"]);
    fails(&[], &["--where"]);
    fails(&["--keep", "region", "--indices"], &["--indices"]);
    fails(&["--keep", "region", "-o", "o.npy"], &["rows are written as a table"]);
    for option in ["--keep", "--set"] {
        f.fails(&["select", "x.npy", option, "a=1"], b"", 2, &["x.npy: is no table, and", option]);
    }
}

#[test]
fn each_key_has_a_direction() {
    let f = Folder::new();
    f.file("t.csv", "k,n\nb,1\na,1\nb,3\na,\na,2\nb,2\n");
    let of =
        |args: &[&str]| f.prints(&[&["sort", "t.csv"], args].concat()).lines().skip(1).collect::<Vec<_>>().join(" ");
    assert_eq!(of(&["--column", "k,-n"]), "a,2 a,1 a, b,3 b,2 b,1");
    assert_eq!(of(&["--column", "k", "--column", "-n"]), "a,2 a,1 a, b,3 b,2 b,1");
    assert_eq!(of(&["--column", "-k,n"]), "b,1 b,2 b,3 a,1 a,2 a,");
    assert_eq!(of(&["--column", "-1,-2"]), "b,3 b,2 b,1 a,2 a,1 a,");
    assert_eq!(of(&["--column", "k,-n", "--desc"]), "b,1 b,2 b,3 a,1 a,2 a,");
    assert_eq!(of(&["--column=-n,k"]), "b,3 a,2 b,2 a,1 b,1 a,");
    // Every pair of directions, beside a stable sort.
    let mut table = String::from("a,b,c\n");
    let mut rows: Vec<(i64, i64, usize)> = Vec::new();
    for row in 0..500usize {
        let mixed = (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        rows.push((mixed as i64 % 5 - 2, mixed as i64 / 5 % 7, row));
        table.push_str(&format!("{},{},{row}\n", rows[row].0, rows[row].1));
    }
    f.file("r.csv", table);
    for (columns, a, b) in [("a,b", 1, 1), ("-a,b", -1, 1), ("a,-b", 1, -1), ("-a,-b", -1, -1)] {
        rows.sort_by_key(|&(x, y, row)| (a * x, b * y, row));
        let expected: String = rows.iter().map(|(.., row)| format!("{row}\n")).collect();
        assert_eq!(f.prints(&["sort", "r.csv", "--column", columns, "--argsort"]), expected, "{columns}");
    }
    // A name that begins with a hyphen.
    f.file("h.csv", "-n,n\n1,2\n2,1\n");
    assert_eq!(f.prints(&["sort", "h.csv", "--column", "-n"]), "-n,n\n1,2\n2,1\n");
    assert_eq!(f.prints(&["sort", "h.csv", "--column", "--n"]), "-n,n\n2,1\n1,2\n");
    f.fails(&["sort", "t.csv", "--column", "k,-m"], b"", 2, &["has no column `m`"]);
}

#[test]
fn whole_rows_of_the_largest_values() {
    let f = Folder::new();
    f.file("t.csv", TABLE).file("x.npy", support::npy("'|u1'", "(1,)", &[1]));
    let top = ["top", "t.csv", "--column", "price", "--rows"];
    let of = |args: &[&str]| f.prints(&[&top[..], args].concat());
    assert_eq!(of(&["-k", "2"]), "region,amount,price,note\nN,2,20, x \nN,3,12.5,\"a,b\"\n");
    assert_eq!(of(&["-k", "1", "--least"]), "region,amount,price,note\nS,1,2,\n");
    assert_eq!(of(&[]).lines().count(), 5);
    assert_eq!(of(&["-k", "0"]), "region,amount,price,note\n");
    // Rows that were left out keep their places.
    let amount = ["top", "t.csv", "--column", "amount", "--missing", "skip", "--rows", "-k", "3"];
    assert_eq!(f.prints(&amount), "region,amount,price,note\nN,3,12.5,\"a,b\"\nN,2,20, x \nS,1,2,\n");
    f.prints(&[&top[..], &["-k", "1", "-o", "o.tsv"]].concat());
    assert_eq!(f.read("o.tsv"), b"region\tamount\tprice\tnote\nN\t2\t20\t\" x \"\n");
    f.file("n.csv", "1,2\n3,4\n");
    assert_eq!(
        f.run_with(&["top", "-", "--format", "csv", "--column", "2", "--rows", "-k", "1"], b"1,2\n3,4\n").good(),
        "3,4\n"
    );
    f.fails(&[&top[..], &["-o", "o.npy"]].concat(), b"", 2, &["rows are written as a table"]);
    f.fails(&["top", "x.npy", "--rows"], b"", 2, &["x.npy: is no table, and --rows is for tables"]);
}
