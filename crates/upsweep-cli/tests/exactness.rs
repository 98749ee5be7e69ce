//! Integers as text stay what they are, or are refused: where they leave a type that nobody asked for, and where a float
//! would round them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;
use support::{Folder, bytes_of, npy, npy_data};

fn numbers(n: u32) -> String {
    (1..=n).map(|k| format!("{k}\n")).collect()
}

#[test]
fn results_that_leave_the_i64_that_nobody_asked_for() {
    let f = Folder::new();
    let (factors, advice) = (numbers(25), "give --type f64, or --type i64 to let it wrap around");
    let refused = |args: &[&str], input: &str, place: &str| f.fails(args, input.as_bytes(), 2, &[place, advice]);
    let scan = ["scan", "-", "--op", "product"];
    let place = "standard input: number 21: the product is 51090942171709440000, which does not fit i64: ";
    refused(&scan, &factors, place);
    let total = "number 21: from here on the product does not fit i64, in the end it is 15511210043330985984000000: ";
    refused(&["reduce", "-", "--op", "product"], &factors, total);
    refused(
        &["reduce", "-", "--op", "product"],
        &numbers(200),
        "number 21: from here on the product does not fit i64: ",
    );
    // What a table's messages call a row is that of the file.
    f.file("names.csv", format!("n\n{factors}")).file("plain.csv", &factors);
    refused(&["scan", "names.csv", "--op", "product", "-o", "out.csv"], "", "names.csv: row 22: the product is 5109");
    refused(&["scan", "plain.csv", "--op", "product", "--reverse"], "", "plain.csv: row 10: the product is 4274473");
    refused(&["reduce", "names.csv", "--op", "product", "-o", "out.csv"], "", "names.csv: row 22: from here on");
    // Each key begins anew; the last factor of an exclusive scan is in no result.
    let keyed: String = (1..=40).map(|k| format!("{},{}\n", k / 21, k % 21)).collect();
    f.file("keys.csv", &keyed);
    let by_key = ["keys.csv", "--column", "2", "--by-key", "1", "--op", "product"];
    assert_eq!(f.prints(&[&["reduce"], &by_key[..]].concat()), "0\t2432902008176640000\n1\t0\n");
    refused(&[&["reduce"], &by_key[..], &["--init", "5"]].concat(), "", "keys.csv: row 20: from here on");
    f.prints(&["scan", "-", "--op", "product"]);
    let exclusive = f.run_with(&[&scan[..], &["--exclusive"]].concat(), numbers(21).as_bytes()).good();
    assert!(exclusive.ends_with("\n2432902008176640000\n"), "{exclusive}");
    f.file("offsets.txt", "0 20 25");
    assert!(
        f.run_with(&[&scan[..], &["--segments", "offsets.txt"]].concat(), factors.as_bytes())
            .good()
            .ends_with("\n6375600\n")
    );
    // A total may leave the type on its way if it comes back.
    let back = "9223372036854775807 1 -2";
    assert_eq!(f.run_with(&["reduce", "-"], back.as_bytes()).good(), "9223372036854775806\n");
    refused(&["scan", "-"], back, "number 2: the sum is 9223372036854775808, which");
    refused(&["scan", "-", "--init", "-1"], "-9223372036854775808", "number 1: the sum is -9223372036854775809, which");
    // Who asks for a type gets it, and so do arrays that have one.
    let wrapped = f.run_with(&[&scan[..], &["--type", "i64"]].concat(), factors.as_bytes()).good();
    assert!(wrapped.ends_with("\n7034535277573963776\n"), "{wrapped}");
    let rounded = f.run_with(&["reduce", "-", "--op", "product", "--type", "f64"], factors.as_bytes()).good();
    assert_eq!(rounded, "1.5511210043330986e25\n");
    f.file("x.npy", npy("'<i8'", "(2,)", &bytes_of!(i64: i64::MAX, 1)));
    assert_eq!(npy_data(&f.run(&["scan", "x.npy"]).good_bytes()), bytes_of!(i64: i64::MAX, i64::MIN));
    assert_eq!(f.run_with(&["scan", "-", "--op", "max"], back.as_bytes()).good().lines().count(), 3);
}

#[test]
fn integers_that_a_float_would_round() {
    let f = Folder::new();
    let refused = |element: &str, text: &str, words: &str| {
        f.fails(&["scan", "-", "--type", element], text.as_bytes(), 2, &["standard input: row 1: ", words]);
    };
    let near = "9007199254740993 is not exactly a value of f64, 9007199254740992 is: give --type i64, or write";
    refused("f64", "9007199254740993", near);
    refused("f64", "-09007199254740993", "-09007199254740993 is not exactly");
    refused("f64", "18446744073709551615", "give --type u64, or write 18446744073709551615.0 to have it rounded");
    refused("f64", &"1".repeat(60), "is: write 1111");
    refused("f32", "16777217", "16777217 is not exactly a value of f32, 16777216 is");
    refused("f16", "2049", "2049 is not exactly a value of f16, 2048 is");
    let takes = |element: &str, text: &str, expected: &str| {
        let done = f.run_with(&["scan", "-", "--type", element], text.as_bytes()).good();
        assert_eq!(done.trim(), expected, "{element} {text}");
    };
    takes("f64", "9007199254740992", "9007199254740992.0");
    takes("f64", "-0009007199254740994", "-9007199254740994.0");
    takes("f64", "0000000000000000000", "0.0");
    takes("f64", "18446744073709551616", "1.8446744073709552e19");
    // As JavaScript and others write that float.
    takes("f64", "18446744073709552000", "1.8446744073709552e19");
    takes("f64", "9007199254740993.0", "9007199254740992.0");
    takes("f64", "0.1000000000000000055", "0.1");
    takes("f32", "16777216", "16777216.0");
    takes("f16", "65504", "65504.0");
    // The same for the column that one decimal point makes floats, for cells, and for --init.
    f.fails(&["scan", "-"], b"9007199254740993\n0.5", 2, &["standard input: row 2: 0.5 makes the values f64: 9007"]);
    f.fails(&["scan", "-"], b"0.5\n9007199254740993", 2, &["standard input: row 2: 9007199254740993 is not exactly"]);
    f.file("x.csv", "a\n0.5\n9007199254740993\n");
    f.fails(&["scan", "x.csv"], b"", 2, &["x.csv: row 3: column a: 9007199254740993 is not exactly"]);
    f.fails(&["scan", "-", "--init", "9007199254740993"], b"0.5", 2, &["--init: 9007199254740993 is not exactly"]);
}
