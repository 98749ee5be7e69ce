//! Tests of exact integers: text stays exact or is refused, where results leave the default type, and where a float
//! would round.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;
use support::{Folder, bytes_of, npy, npy_data};

fn numbers(n: u32) -> String {
    (1..=n).map(|k| format!("{k}\n")).collect()
}

#[test]
fn results_that_leave_the_i64_that_nobody_asked_for() {
    let f = Folder::new();
    let (factors, advice) = (numbers(25), "give --sum-type f64, or --wrap to let it wrap around");
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
    // Row numbers in messages about a table are those of the file.
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
    // Naming the values' own type changes nothing; the hint's advice works.
    refused(&[&scan[..], &["--type", "i64"]].concat(), &factors, place);
    refused(
        &["reduce", "-", "--type", "u64"],
        "18446744073709551615 1",
        "number 2: from here on the sum does not fit u64",
    );
    let wrapped = f.run_with(&[&scan[..], &["--wrap"]].concat(), factors.as_bytes()).good();
    assert!(wrapped.ends_with("\n7034535277573963776\n"), "{wrapped}");
    let rounded = f.run_with(&["reduce", "-", "--op", "product", "--sum-type", "f64"], factors.as_bytes()).good();
    assert_eq!(rounded, "1.5511210043330986e25\n");
    refused(&["reduce", "-"], "9223372036854775807 1", "in the end it is 9223372036854775808: ");
    for (options, sum) in [
        (&["--sum-type", "f64"][..], "9.223372036854776e18\n"),
        (&["--wrap"], "-9223372036854775808\n"),
        (&["--sum-type", "u64"], "9223372036854775808\n"),
    ] {
        let done = f.run_with(&[&["reduce", "-"], options].concat(), b"9223372036854775807 1").good();
        assert_eq!(done, sum, "{options:?}");
    }
    // Arrays with a type are treated alike.
    f.file("x.npy", npy("'<i8'", "(2,)", &bytes_of!(i64: i64::MAX, 1)));
    refused(&["scan", "x.npy"], "", "x.npy: at 1: the sum is 9223372036854775808, which does not fit i64: ");
    refused(&["scan", "x.npy", "-o", "y.npy"], "", "x.npy: at 1: ");
    f.file("m.npy", npy("'<u8'", "(2, 2)", &bytes_of!(u64: 1, u64::MAX, 1, 1)));
    refused(
        &["reduce", "m.npy", "--axis", "0"],
        "",
        "m.npy: at [1, 1]: from here on the sum does not fit u64, in the end",
    );
    assert_eq!(f.prints(&["reduce", "m.npy", "--axis", "0", "--wrap"]), "2\n0\n");
    assert_eq!(npy_data(&f.run(&["scan", "x.npy", "--wrap"]).good_bytes()), bytes_of!(i64: i64::MAX, i64::MIN));
    assert_eq!(f.run_with(&["scan", "-", "--op", "max"], back.as_bytes()).good().lines().count(), 3);
}

/// As in NumPy, integers narrower than 64 bits, and bool, are added and multiplied in 64.
#[test]
fn sums_of_small_integers_are_64_bits_wide() {
    let f = Folder::new();
    f.file("bytes.u8", vec![255u8; 1000]).file("bytes.npy", npy("'|u1'", "(1000,)", &[255; 1000]));
    f.file("signed.npy", npy("'|i1'", "(2, 3)", &bytes_of!(i8: -128, -128, 127, 1, 2, 127)));
    f.file("flags.npy", npy("'|b1'", "(2, 2)", &[1, 0, 1, 1]));
    assert_eq!(f.prints(&["reduce", "bytes.npy"]), "255000\n");
    assert_eq!(f.prints(&["reduce", "bytes.u8", "--type", "u8"]), "255000\n");
    assert_eq!(f.run_with(&["reduce", "-", "--type", "u8"], b"255 255").good(), "510\n");
    assert_eq!(f.run_with(&["scan", "-", "--type", "i16"], b"-32768 -1").good(), "-32768\n-32769\n");
    assert_eq!(f.run_with(&["reduce", "-", "--type", "u16", "--op", "product"], b"65535 65535").good(), "4294836225\n");
    assert_eq!(f.prints(&["reduce", "signed.npy", "--axis", "1"]), "-129\n130\n");
    assert_eq!(f.prints(&["reduce", "signed.npy", "--axis", "0", "--init", "1000"]), "873\n874\n1254\n");
    assert_eq!(f.prints(&["reduce", "signed.npy", "--op", "min"]), "-128\n");
    // Sums of bool are counts, and products of bool are integers.
    assert_eq!(f.prints(&["reduce", "flags.npy"]), "3\n");
    assert_eq!(f.prints(&["reduce", "flags.npy", "--axis", "0"]), "2\n1\n");
    assert_eq!(f.prints(&["reduce", "flags.npy", "--op", "product"]), "0\n");
    assert_eq!(f.prints(&["reduce", "flags.npy", "--op", "or"]), "true\n");
    let scanned = f.run(&["scan", "flags.npy", "--axis", "1"]).good_bytes();
    assert!(scanned.windows(3).any(|bytes| bytes == b"<i8"), "i64, as in NumPy");
    assert_eq!(npy_data(&scanned), bytes_of!(i64: 1, 1, 1, 2));
    let scanned = f.run(&["scan", "bytes.npy", "--exclusive", "--reverse"]).good_bytes();
    let expected: Vec<u8> = (0..1000u64).rev().flat_map(|k| (255 * k).to_le_bytes()).collect();
    assert!(scanned.windows(3).any(|bytes| bytes == b"<u8"));
    assert_eq!(npy_data(&scanned), expected);
    // By key, by segment, by group.
    f.file("keys.csv", "k,v\na,200\na,100\nb,7\n").file("ends.txt", "0 2 2 1000");
    for by in ["--by-key", "--group-by"] {
        assert_eq!(
            f.prints(&["reduce", "keys.csv", "--column", "v", "--type", "u8", by, "k"]),
            "a\t300\nb\t7\n",
            "{by}"
        );
    }
    let scan = ["scan", "keys.csv", "--column", "v", "--type", "u8", "--by-key", "k"];
    assert_eq!(f.prints(&scan), "k,v,v_sum\na,200,200\na,100,300\nb,7,7\n");
    assert_eq!(f.prints(&["reduce", "bytes.npy", "--segments", "ends.txt"]), "510\n0\n254490\n");
    // A raw file does not record its type, so a note reports it.
    let done = f.run(&["scan", "bytes.u8", "--type", "u8"]);
    assert_eq!((done.code, done.stdout.len()), (Some(0), 8000));
    assert!(done.stderr.contains("note: the results are u64, of 8 bytes each: --sum-type says"), "{}", done.stderr);
    assert_eq!(f.run(&["scan", "bytes.u8", "--type", "u8", "--op", "max"]).good_bytes().len(), 1000);
    // Longer than one conversion block, along any axis, with lengths of any kind.
    let many: Vec<u8> = (0..600_000u32).map(|k| (k * 7 % 256) as u8).collect();
    for shape in [[1, 600_000], [600_000, 1], [2, 300_000], [200_000, 3], [100, 6000]] {
        f.file("many.npy", npy("'|i1'", &format!("({}, {})", shape[0], shape[1]), &many));
        let at = |row: usize, column: usize| i64::from(many[row * shape[1] + column] as i8);
        let rows: Vec<i64> =
            (0..shape[0]).map(|row| (0..shape[1]).map(|column| at(row, column)).sum::<i64>() + 5).collect();
        let columns: Vec<i64> =
            (0..shape[1]).map(|column| (0..shape[0]).map(|row| at(row, column)).sum::<i64>() + 5).collect();
        for (axis, sums) in [("0", columns), ("1", rows)] {
            f.prints(&["reduce", "many.npy", "--axis", axis, "--init", "5", "-o", "sums.i64"]);
            let expected: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
            assert!(f.read("sums.i64") == expected, "{shape:?} along {axis}");
        }
        let total: i64 = many.iter().map(|&byte| i64::from(byte as i8)).sum();
        assert_eq!(f.prints(&["reduce", "many.npy"]), format!("{total}\n"));
    }
}

#[test]
fn a_type_that_is_named_holds_the_sums_or_refuses() {
    let f = Folder::new();
    f.file("x.npy", npy("'|u1'", "(3,)", &[200, 50, 5])).file("y.npy", npy("'|u1'", "(2,)", &[200, 56]));
    f.file("less.npy", npy("'<i2'", "(2,)", &bytes_of!(i16: -3, 5)));
    f.file("real.npy", npy("'<f8'", "(2,)", &bytes_of!(f64: 1e300, 2.0)));
    f.file("half.npy", npy("'<f4'", "(2,)", &bytes_of!(f32: 0.5, 1.5)));
    let fails = |args: &[&str], words: &[&str]| f.fails(args, b"", 2, words);
    // The output's ending names a type.
    f.prints(&["scan", "x.npy", "-o", "x.u8"]);
    assert_eq!(f.read("x.u8"), [200, 250, 255]);
    f.prints(&["scan", "x.npy", "-o", "x.i16"]);
    assert_eq!(f.read("x.i16"), bytes_of!(i16: 200, 250, 255));
    fails(
        &["scan", "y.npy", "-o", "y.u8"],
        &["y.npy: at 1: the sum is 256, which does not fit u8: give --sum-type u64 and name it .u64, or --wrap to let"],
    );
    f.prints(&["scan", "y.npy", "-o", "y.u8", "--wrap"]);
    assert_eq!(f.read("y.u8"), [200, 0]);
    f.prints(&["scan", "y.npy", "-o", "y.u64", "--sum-type", "u64"]);
    assert_eq!(f.read("y.u64"), bytes_of!(u64: 200, 256));
    fails(
        &["reduce", "y.npy", "-o", "y.f32"],
        &["-o y.f32: the values are u64, not f32: name it .u64, or give --sum-type f32"],
    );
    f.prints(&["reduce", "y.npy", "-o", "y.f32", "--sum-type", "f32"]);
    assert_eq!(f.read("y.f32"), bytes_of!(f32: 256.0));
    fails(
        &["reduce", "y.npy", "-o", "y.u8", "--op", "max", "--type", "u16"],
        &["the values are u16, not u8", "--type u8"],
    );
    // --sum-type names a type.
    let sum = |file: &str, element: &str| f.prints(&["reduce", file, "--sum-type", element]);
    assert_eq!([sum("x.npy", "u8"), sum("x.npy", "f16"), sum("x.npy", "i64")], ["255\n", "255.0\n", "255\n"]);
    assert_eq!([sum("less.npy", "u64"), sum("less.npy", "i8"), sum("less.npy", "f32")], ["2\n", "2\n", "2.0\n"]);
    assert_eq!([sum("half.npy", "f64"), sum("real.npy", "f64")], ["2.0\n", "1e300\n"]);
    fails(
        &["scan", "less.npy", "--sum-type", "u64"],
        &["at 0: the sum is -3, which does not fit u64: give --sum-type i64, or"],
    );
    fails(
        &["reduce", "y.npy", "--sum-type", "u8"],
        &["does not fit u8, in the end it is 256: give --sum-type u64, or --wrap"],
    );
    assert_eq!(f.prints(&["reduce", "y.npy", "--sum-type", "u8", "--wrap"]), "0\n");
    let wrapped = f.run(&["scan", "less.npy", "--sum-type", "u16", "--wrap", "--init", "65535"]).good_bytes();
    assert_eq!(npy_data(&wrapped), bytes_of!(u16: 65532, 1));
    fails(
        &["reduce", "real.npy", "--sum-type", "f32"],
        &["real.npy: element 0 is 1e300, which is not exactly a value of type f32"],
    );
    fails(
        &["reduce", "half.npy", "--sum-type", "i64"],
        &["half.npy: element 0 is 0.5, which is not exactly a value of type i64"],
    );
    fails(&["reduce", "x.npy", "--init", "-1"], &["--init: -1 does not fit u64", "the results of x.npy are u64"]);
    // The initial value has the type of the results.
    assert_eq!(
        f.prints(&["reduce", "less.npy", "--sum-type", "u64", "--init", "18446744073709551613"]),
        "18446744073709551615\n"
    );
    fails(
        &["reduce", "less.npy", "--sum-type", "u64", "--init", "18446744073709551614"],
        &["it is 18446744073709551616"],
    );
    // Options without meaning.
    fails(&["scan", "x.npy", "--op", "max", "--wrap"], &["--wrap: is for sums and products"]);
    fails(&["scan", "x.npy", "--op", "xor", "--sum-type", "u8"], &["--sum-type: is for sums and products"]);
    fails(&["scan", "half.npy", "--wrap"], &["--wrap: only integers wrap around, and the sums are f32"]);
    fails(
        &["scan", "x.npy", "--sum-type", "f64", "--wrap"],
        &["--wrap: only integers wrap around, and the sums are f64"],
    );
    fails(&["scan", "x.npy", "--sum-type", "bool"], &["--sum-type bool", "i64 counts"]);
    f.file("k.csv", "k,v\na,200\na,100\nb,7\n");
    let group = ["reduce", "k.csv", "--group-by", "k", "--column", "v"];
    let grouped = |options: &[&str]| f.prints(&[&group[..], options].concat());
    assert_eq!(grouped(&["--op", "sum,max,mean", "--sum-type", "f32"]), "a\t300.0\t200\t150.0\nb\t7.0\t7\t7.0\n");
    assert_eq!(grouped(&["--sum-type", "u8", "--wrap"]), "a\t44\nb\t7\n");
    fails(
        &[&group[..], &["--sum-type", "u8"]].concat(),
        &["group `a`: the sum does not fit u8, it is 300: give --sum-type i64, or"],
    );
    fails(&[&group[..], &["--op", "mean,max", "--wrap"]].concat(), &["--wrap: is for sums and products"]);
}

/// Sums that leave f64, or whose integers are no f64, although their mean is one.
#[test]
fn means_whose_sums_do_not_fit() {
    let f = Folder::new();
    let means = |table: &str, options: &[&str]| {
        f.file("t.csv", table);
        f.prints(&[&["reduce", "t.csv", "--group-by", "1", "--column", "2", "--op", "mean"], options].concat())
    };
    assert_eq!(means("a,1.7e308\na,1.7e308\n", &[]), "a\t1.7e308\n");
    assert_eq!(means("a,9223372036854775807\na,1\n", &[]), "a\t4.611686018427388e18\n");
    assert_eq!(
        means("a,18446744073709551615\na,18446744073709551615\n", &["--type", "u64"]),
        "a\t1.8446744073709552e19\n"
    );
    assert_eq!(means("a,-1.7e308\nb,1.5\na,-1.7e308\nb,inf\nc,1\nc,2\n", &[]), "a\t-1.7e308\nb\tinf\nc\t1.5\n");
    assert_eq!(means("a,1e308\na,1e308\na,-1e308\na,-1e308\n", &[]), "a\t0.0\n");
    assert_eq!(means("a,65504\na,65504\n", &["--type", "f16"]), "a\t65504.0\n");
    assert_eq!(means("a,nan\nb,inf\nb,-inf\n", &[]), "a\tNaN\nb\tNaN\n");
    assert_eq!(means("a,1\na,0\na,0\n", &["--type", "bool"]), "a\t0.3333333333333333\n");
}

/// A column of text has one type: in a column of floats `-0` is a float, too.
#[test]
fn a_zero_keeps_its_sign_in_a_column_of_floats() {
    let f = Folder::new();
    f.file("z.csv", "a,b\n-0,1\n0,2\n-00,3\n0.5,4\n-0,5\n");
    let products = "-0.0\n0.0\n-0.0\n0.5\n-0.0\n";
    let scanned = f.prints(&["scan", "z.csv", "--column", "a", "--op", "max", "--by-key", "b"]);
    assert_eq!(
        scanned.lines().skip(1).map(|line| format!("{}\n", &line[line.rfind(',').unwrap() + 1..])).collect::<String>(),
        products
    );
    f.file("ones.txt", "0 1 2 3 4 5");
    let scan = ["scan", "-", "--op", "max", "--segments", "ones.txt"];
    assert_eq!(f.run_with(&scan, b"-0 0 -00 0.5 -0").good(), products);
    assert_eq!(f.run_with(&scan, b"-0 0 -00 5 -0").good(), "0\n0\n0\n5\n0\n");
    assert_eq!(f.run_with(&["scan", "-"], b"-0").good(), "0\n");
    assert_eq!(
        f.prints(&["reduce", "z.csv", "--column", "a", "--group-by", "b"]),
        "1\t-0.0\n2\t0.0\n3\t-0.0\n4\t0.5\n5\t-0.0\n"
    );
    f.file("edges.csv", "0,0,-0\n0,1,0\n1,0,0.5\n").prints(&[
        "graph",
        "csr",
        "edges.csv",
        "--offsets",
        "rows.npy",
        "--values",
        "v.f64",
    ]);
    assert_eq!(f.read("v.f64"), bytes_of!(f64: -0.0, 0.0, 0.5));
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
    // JavaScript and others write this float so.
    takes("f64", "18446744073709552000", "1.8446744073709552e19");
    takes("f64", "9007199254740993.0", "9007199254740992.0");
    takes("f64", "0.1000000000000000055", "0.1");
    takes("f32", "16777216", "16777216.0");
    takes("f16", "65504", "65504.0");
    // The same for a column that one decimal point makes floats, for cells, and for --init.
    f.fails(&["scan", "-"], b"9007199254740993\n0.5", 2, &["standard input: row 2: 0.5 makes the values f64: 9007"]);
    f.fails(&["scan", "-"], b"0.5\n9007199254740993", 2, &["standard input: row 2: 9007199254740993 is not exactly"]);
    f.file("x.csv", "a\n0.5\n9007199254740993\n");
    f.fails(&["scan", "x.csv"], b"", 2, &["x.csv: row 3: column a: 9007199254740993 is not exactly"]);
    f.fails(&["scan", "-", "--init", "9007199254740993"], b"0.5", 2, &["--init: 9007199254740993 is not exactly"]);
}
