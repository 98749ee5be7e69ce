//! Every hint that an error, a note or a help text gives is followed: what it says to do works.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
#![cfg(unix)]

mod support;

use std::path::Path;
use std::process::Command;
use support::{Done, Folder, bytes_of, npy};

/// A hint as the sources have it; what the message says of it, if that has values in it; the call that gets it; and the call mended as
/// the hint says.
type Row = (&'static str, &'static str, &'static str, &'static str);

const HINTS: &[Row] = &[
    // Tables and their columns.
    (
        "or --format or --delimiter says that it is one",
        "",
        "upsweep scan t.txt --column a",
        "upsweep scan t.txt --column a --format csv",
    ),
    (
        "or --format or --delimiter says that it is one",
        "",
        "upsweep sort t.txt --column a",
        "upsweep sort t.txt --column a --delimiter ,",
    ),
    (
        "or --format or --delimiter says that it is one",
        "",
        "upsweep reduce t.txt --column a --group-by name",
        "upsweep reduce t.txt --column a --group-by name --format csv",
    ),
    ("choose one with --column", "", "upsweep scan t.csv", "upsweep scan t.csv --column b"),
    ("choose a --column", "", "upsweep scan names.csv", "upsweep scan names.csv --column a"),
    ("choose a --column", "", "upsweep sort words.csv", "upsweep sort words.csv --column n"),
    (
        "columns are named {}: give the number",
        "2 columns are named `a`: give the number",
        "upsweep scan twice.csv --column a",
        "upsweep scan twice.csv --column 2",
    ),
    (
        "give a number from 1 to {width}{yes}",
        "give a number from 1 to 2",
        "upsweep scan mixed.csv --column x",
        "upsweep scan mixed.csv --column 1",
    ),
    (", or --header yes", "", "upsweep scan mixed.csv --column x", "upsweep scan mixed.csv --column x --header yes"),
    (
        "--header no says that its first row names no columns",
        "",
        "upsweep scan t.csv --column a --header no",
        "upsweep scan t.csv --column a --header yes",
    ),
    (
        "give --delimiter {given}",
        "give --delimiter ';'",
        "upsweep scan semicolons.csv",
        "upsweep scan semicolons.csv --delimiter ';' --column a",
    ),
    (
        "if it names the columns, give --header yes",
        "",
        "upsweep reduce years.csv --column 3",
        "upsweep reduce years.csv --column 3 --header yes",
    ),
    (
        "--numeric orders the numbers, and puts the rest last",
        "",
        "upsweep sort prices.csv",
        "upsweep sort prices.csv --numeric",
    ),
    // Types.
    ("--type {taker}", "give --type u64", "upsweep scan large.csv", "upsweep scan large.csv --type u64 --op max"),
    (
        "give {}",
        "write 18446744073709551615.0",
        "upsweep scan large.csv",
        "sed s/15$/15.0/ large.csv | upsweep scan - --format csv",
    ),
    (
        "write {}.0{rounded}",
        "write 9007199254740993.0 to have it rounded",
        "echo 0.5 9007199254740993 | upsweep scan -",
        "echo 0.5 9007199254740993.0 | upsweep scan -",
    ),
    (
        "bool has and, or and xor, and sums, which count; --type u8 has 0 and 1",
        "",
        "upsweep reduce flags.npy --op max",
        "upsweep reduce flags.npy --op max --type u8",
    ),
    ("give --type for raw binary, or name it", "", "upsweep reduce bytes.dat", "upsweep reduce bytes.dat --type u8"),
    (
        "by its type (.f32), or give `-` with < for numbers as text",
        "",
        "upsweep reduce bytes.dat",
        "cp bytes.dat bytes.u8; upsweep reduce bytes.u8",
    ),
    (
        "by its type (.f32), or give `-` with < for numbers as text",
        "or give `-` with <",
        "upsweep reduce numbers.dat",
        "upsweep reduce - < numbers.dat",
    ),
    (
        "by its type (.f32), or give `-` with < for numbers as text",
        "name raw binary by its type (.f32)",
        "upsweep graph spmv one.mtx one.dat",
        "cp one.dat one.u8; upsweep graph spmv one.mtx one.u8",
    ),
    (
        "give numbers on standard input (`-` with `< {name}`)",
        "(`-` with `< numbers.txt`)",
        "upsweep reduce numbers.txt",
        "upsweep reduce - < numbers.txt",
    ),
    (
        "which `upsweep signal` reads",
        "",
        "upsweep reduce sound.wav",
        "upsweep signal filter sound.wav --b 1 -o out.npy && upsweep reduce out.npy",
    ),
    (
        "name it .{element}{or}",
        "name it .u32",
        "upsweep tree depth parents.npy -o out.f32",
        "upsweep tree depth parents.npy -o out.u32",
    ),
    (
        ", or give {option} {named}",
        "or give --type f32",
        "upsweep sort one.npy -o out.f32",
        "upsweep sort one.npy --type f32 -o out.f32",
    ),
    (
        ", or give {option} {named}",
        "or give --sum-type f32",
        "upsweep scan one.npy -o out.f32",
        "upsweep scan one.npy --sum-type f32 -o out.f32",
    ),
    (
        ", or give {option} {named}",
        "or give --type f32",
        "upsweep signal smooth one.npy --span 3 -o out.f32",
        "upsweep signal smooth one.npy --span 3 --type f32 -o out.f32",
    ),
    // Sums.
    (
        "give --sum-type {taker}{ending}, or --wrap to let it wrap around",
        "give --sum-type f64",
        "echo 9223372036854775807 1 | upsweep reduce -",
        "echo 9223372036854775807 1 | upsweep reduce - --sum-type f64",
    ),
    (
        "give --sum-type {taker}{ending}, or --wrap to let it wrap around",
        "or --wrap",
        "echo 9223372036854775807 1 | upsweep reduce -",
        "echo 9223372036854775807 1 | upsweep reduce - --wrap",
    ),
    (
        "--sum-type says another type",
        "",
        "upsweep scan bytes.npy -o out.bin",
        "upsweep scan bytes.npy -o out.bin --sum-type u8",
    ),
    (
        "--sum-type bool: sums are numbers: i64 counts",
        "",
        "upsweep reduce flags.npy --sum-type bool",
        "upsweep reduce flags.npy --sum-type i64",
    ),
    // Groups and keys.
    (
        "is computed of groups: give --group-by COLUMN",
        "",
        "upsweep reduce t.csv --column a --op mean",
        "upsweep reduce t.csv --column a --op mean --group-by name",
    ),
    (
        "several operators are computed of groups: give --group-by COLUMN",
        "",
        "upsweep reduce t.csv --column a --op sum,max",
        "upsweep reduce t.csv --column a --op sum,max --group-by name",
    ),
    (
        "give --group-by COLUMN to count those of groups",
        "",
        "upsweep reduce t.csv --op count --by-key name",
        "upsweep reduce t.csv --op count --group-by name",
    ),
    (
        "--op count: counts all values, and {option} is for others",
        "--op count: counts all values, and --init is for others",
        "upsweep reduce t.csv --op count --init 1",
        "upsweep reduce t.csv --op count",
    ),
    (
        "give --group-by instead of --by-key for one result a key",
        "",
        "upsweep reduce keys.csv --column v --by-key k",
        "upsweep reduce keys.csv --column v --group-by k",
    ),
    (
        "or sort the rows by column {column}",
        "or sort the rows by column k",
        "upsweep reduce keys.csv --column v --by-key k",
        "upsweep sort keys.csv --column k -o sorted.csv; upsweep reduce sorted.csv --column v --by-key k",
    ),
    (
        "values: give one for each",
        "",
        "upsweep scan one.npy --segments flags.npy",
        "upsweep scan two.npy --segments flags.npy",
    ),
    // Sorts, selections.
    (
        "{option} is for arrays: rows of a table are sorted by --column",
        "--axis is for arrays",
        "upsweep sort t.csv --axis 0",
        "upsweep sort t.csv --column a",
    ),
    (
        "or give --argsort",
        "",
        "upsweep sort t.csv --column a -o out.npy",
        "upsweep sort t.csv --column a --argsort -o out.npy",
    ),
    (
        "-k {k}: {name} has no values",
        "-k 3: standard input has no values",
        "upsweep top - -k 3 < /dev/null",
        "upsweep top - < /dev/null",
    ),
    (
        "ask for -k {len}, which are all",
        "ask for -k 2, which are all",
        "upsweep top two.npy -k 3",
        "upsweep top two.npy -k 2",
    ),
    (
        "--type is for arrays: a column is what it is compared with",
        "",
        "upsweep select t.csv --where 'a > 1' --type f32",
        "upsweep select t.csv --where 'a > 1.0'",
    ),
    (
        "or give --indices",
        "",
        "upsweep select t.csv --where 'a > 1' -o out.npy",
        "upsweep select t.csv --where 'a > 1' -o out.npy --indices",
    ),
    (
        "or give --lengths FILE",
        "",
        "upsweep runs two.npy -o out.npy",
        "upsweep runs two.npy -o out.npy --lengths lengths.npy",
    ),
    (
        "--q {share}: a share is from 0 to 1",
        "--q 2: a share is from 0 to 1",
        "upsweep quantile two.npy --q 2",
        "upsweep quantile two.npy --q 1",
    ),
    (
        "text (-o - or .csv) has all digits",
        "",
        "echo 9223372036854775807 9223372036854775805 | upsweep median - -o out.npy",
        "echo 9223372036854775807 9223372036854775805 | upsweep median - -o -",
    ),
    (
        "--edges: {} of them: a bin has two",
        "--edges: 1 of them",
        "upsweep histogram two.npy --edges 1",
        "upsweep histogram two.npy --edges 1,2",
    ),
    (
        "--edges: {edge} follows {before}: edges ascend",
        "--edges: 1 follows 2",
        "upsweep histogram two.npy --edges 2,1",
        "upsweep histogram two.npy --edges 1,2",
    ),
    ("give --range LOW HIGH", "", "echo 1 inf | upsweep histogram -", "echo 1 inf | upsweep histogram - --range 0 2"),
    ("give fewer --bins", "", "upsweep histogram halves.npy --bins 1000", "upsweep histogram halves.npy --bins 2"),
    // Outputs.
    ("`-o -` writes to standard output", "", "upsweep scan one.npy -o out.txt", "upsweep scan one.npy -o - > out.txt"),
    (
        "is closed, and the result is lost: give -o FILE",
        "",
        "upsweep scan two.npy >&-",
        "upsweep scan two.npy -o out.npy >&-",
    ),
    ("(see {} --help)", "(see upsweep scan --help)", "upsweep scan", "upsweep scan --help"),
    // Applications.
    ("or give --rules", "", "upsweep text lex t.txt --grammar latin", "upsweep text lex numbers.txt --rules rules.txt"),
    (
        "--tolerance {tolerance}: it is a number from 0 on",
        "--tolerance -1: it is",
        "upsweep text compare one.npy one.npy --tolerance -1",
        "upsweep text compare one.npy one.npy --tolerance 0",
    ),
    (
        "--tolerance is for values: give .npy, .csv or .tsv files",
        "",
        "upsweep text compare t.txt t.txt --tolerance 1",
        "upsweep text compare one.npy one.npy --tolerance 1",
    ),
    ("give --values, or --path", "", "upsweep tree sum parents.npy", "upsweep tree sum parents.npy --values two.npy"),
    ("give --values, or --path", "", "upsweep tree sum parents.npy", "echo a/b,1 | upsweep tree sum - --path"),
    (
        "may not fit i64: give floats",
        "",
        "upsweep tree sum parents.npy --values most.npy",
        "upsweep tree sum parents.npy --values most.f64",
    ),
    (
        "--names is for tables: vertices of a Matrix Market file are numbers",
        "",
        "upsweep graph csr one.mtx --names out.txt",
        "upsweep graph csr one.mtx",
    ),
    (
        "--names FILE takes names",
        "",
        "upsweep graph csr pairs.csv --header no",
        "upsweep graph csr pairs.csv --header no --names out.txt",
    ),
    (
        "--delimiter says what else is between cells",
        "",
        "upsweep graph csr edges.tsv",
        "upsweep graph csr edges.tsv --delimiter ' '",
    ),
    (
        "column 3 is weights: --unweighted leaves it out",
        "",
        "upsweep graph pagerank friends.csv --header no",
        "upsweep graph pagerank friends.csv --header no --unweighted",
    ),
    (
        "if it is an edge, give --header no",
        "",
        "upsweep graph pagerank pairs.csv",
        "upsweep graph pagerank pairs.csv --header no",
    ),
    (
        "a table of edges has a name in .csv or .tsv, or --format or --delimiter",
        "",
        "upsweep graph csr edges.dat",
        "upsweep graph csr edges.dat --format csv",
    ),
    (
        "give whole numbers alone for the exact product, or round it",
        "",
        "upsweep graph spmv odd.mtx half.npy",
        "upsweep graph spmv odd.mtx one.npy",
    ),
    (
        "give {vector} as f64 to have it rounded",
        "give four.npy as f64",
        "upsweep graph spmv large.mtx four.npy",
        "upsweep graph spmv large.mtx four.f64",
    ),
    (
        "give {vector} as f64 to have the product rounded",
        "give minus.npy as f64",
        "upsweep graph spmv most.mtx minus.npy",
        "upsweep graph spmv most.mtx minus.f64",
    ),
    (
        "--damping {}: it is from 0 to below 1",
        "--damping 1: it is",
        "upsweep graph pagerank pairs.csv --header no --damping 1",
        "upsweep graph pagerank pairs.csv --header no --damping 0.9",
    ),
    (
        "--focus: give ROW,COLUMN",
        "",
        "upsweep image blur image.npy --radius 1 --focus 1 -o out.npy",
        "upsweep image blur image.npy --radius 1 --focus 1,1 -o out.npy",
    ),
    (
        "is no image: give a .png or a .npy",
        "",
        "upsweep image blur t.csv --radius 1 -o out.npy",
        "upsweep image blur image.npy --radius 1 -o out.npy",
    ),
    (
        "end it in .png or .npy{also}",
        "end it in .png or .npy",
        "upsweep image blur image.npy --radius 1 -o out.txt",
        "upsweep image blur image.npy --radius 1 -o out.png",
    ),
    (
        "is no terrain: give an .asc grid or a .npy",
        "",
        "upsweep terrain shade t.csv -o out.png",
        "upsweep terrain shade image.npy -o out.png",
    ),
    (
        "--spacing: give DX,DY",
        "",
        "upsweep terrain shade image.npy --spacing 1 -o out.png",
        "upsweep terrain shade image.npy --spacing 1,2 -o out.png",
    ),
    (
        "--sun: give AZIMUTH,ALTITUDE",
        "",
        "upsweep terrain shade image.npy --sun 1 -o out.png",
        "upsweep terrain shade image.npy --sun 315,45 -o out.png",
    ),
    (
        "{option}: give ROW,COLUMN",
        "--from: give ROW,COLUMN",
        "upsweep terrain sight image.npy --from 0 --to 1,1",
        "upsweep terrain sight image.npy --from 0,0 --to 1,1",
    ),
    (
        "--shaded: -o is a .png",
        "",
        "upsweep terrain viewshed image.npy --from 0,0 --shaded -o out.npy",
        "upsweep terrain viewshed image.npy --from 0,0 --shaded -o out.png",
    ),
    (
        "-o {}: {reason}: write .npy",
        "write .npy",
        "upsweep signal filter one.npy --b 1 -o out.wav",
        "upsweep signal filter one.npy --b 1 -o out.npy",
    ),
    // The laboratory, and speeds.
    ("`upsweep lab list` names them all", "", "upsweep lab show nobody", "upsweep lab list"),
    (
        "--values: --op ranges shows places, so its elements are x0, x1, ...",
        "",
        "upsweep lab show blelloch --op ranges --values 1,2",
        "upsweep lab show blelloch --op ranges",
    ),
    (
        "--heads: {} knows no segments",
        "--heads: blelloch knows no segments",
        "upsweep lab show blelloch --heads 1",
        "upsweep lab show blelloch",
    ),
    (
        "--heads: there is no element {place}, only 0 to {}",
        "--heads: there is no element 99",
        "upsweep lab show SEGMENTED --n 4 --heads 99",
        "upsweep lab show SEGMENTED --n 4 --heads 3",
    ),
    (
        "--n {}: the smallest array has {SMALLEST} elements",
        "--n 2: the smallest array has 1024",
        "upsweep bench --n 2 --device cpu",
        "upsweep bench --n 1024 --device cpu",
    ),
];

/// What names an option and is no hint: the option that was given, before what is wrong with it; and what no test can follow.
const NO_HINTS: &[&str] = &[
    "-o {}: {reason}",
    "-o {name}: {reason}",
    "--where {}",
    "--sos {}",
    "--b, --a",
    "--init: {reason} (the results of {} are {element})",
    "--wrap: {reason}",
    "--values: {} {wrong}",
    "--device {}: {}",
    "--op {name}: is computed of groups: give --group-by COLUMN",
    // There is another program where CUDA is missing, a GPU where there is a race, and a file of 4 GiB where a .wav is too long.
    "--device cuda: this upsweep was built without CUDA",
    "--device cpu: the race is one of CUDA kernels",
    "-o {name}: a .wav holds less than 4 GiB, not {len} bytes: write .npy",
];

/// The files of all calls.
fn with_files() -> Folder {
    let f = Folder::new();
    let table = "name,a,b\nx,1,2.5\ny,3,4.5\n";
    let mtx = |value: &str| format!("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 {value}\n");
    for (name, text) in [
        ("t.csv", table),
        ("t.txt", table),
        ("names.csv", "a,b\n"),
        ("words.csv", "n,m\nx,y\n"),
        ("twice.csv", "a,a\n1,2\n"),
        ("mixed.csv", "1,x\n3,4\n"),
        ("semicolons.csv", "a;b\n1;2\n"),
        ("years.csv", "country,2019,2020\nDE,5,6\nFR,7,8\n"),
        ("prices.csv", "price\nN/A\n100\n20\n"),
        ("large.csv", "v\n18446744073709551615\n"),
        ("keys.csv", "k,v\na,1\nb,2\na,3\n"),
        ("numbers.txt", "1 2\n"),
        ("numbers.dat", "1 2\n"),
        ("bytes.dat", "ab"),
        ("one.dat", "a"),
        ("rules.txt", "NUMBER = [0-9]+\nSPACE = [ \\n]+\n"),
        ("friends.csv", "ann,bob,often\nbob,ann,never\n"),
        ("pairs.csv", "ann,bob\neve,joe\n"),
        ("edges.tsv", "0 1\n1 0\n"),
        ("edges.dat", "0,1\n1,0\n"),
    ] {
        f.file(name, text);
    }
    f.file("one.mtx", mtx("1")).file("odd.mtx", mtx("9007199254740993"));
    f.file("large.mtx", mtx("4611686018427387904")).file("most.mtx", mtx("9223372036854775808"));
    let whole = |values: &[i64]| {
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        npy("'<i8'", &format!("({},)", values.len()), &bytes)
    };
    f.file("one.npy", whole(&[1])).file("two.npy", whole(&[1, 2])).file("parents.npy", whole(&[-1, 0]));
    f.file("four.npy", whole(&[4])).file("minus.npy", whole(&[-1])).file("most.npy", whole(&[i64::MAX, i64::MAX]));
    f.file("four.f64", bytes_of!(f64: 4.0)).file("minus.f64", bytes_of!(f64: -1.0));
    f.file("most.f64", bytes_of!(f64: 9e18, 9e18)).file("half.npy", npy("'<f8'", "(1,)", &bytes_of!(f64: 0.5)));
    f.file("flags.npy", npy("'|b1'", "(2,)", &[1, 0])).file("bytes.npy", npy("'|u1'", "(2,)", &[1, 2]));
    // 1, and an f16 so near that no thousand others lie between.
    f.file("halves.npy", npy("'<f2'", "(2,)", &[0x00, 0x3c, 0x10, 0x3c]));
    f.file("image.npy", npy("'|u1'", "(3, 3)", &[0, 1, 2, 3, 4, 5, 6, 7, 8]));
    f.file("sound.wav", wav(2));
    f
}

/// So many values of 16 bits.
fn wav(n: u16) -> Vec<u8> {
    let numbers = |numbers: &[u16]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let chunk = |name: &[u8], bytes: &[u8]| [name, &(bytes.len() as u32).to_le_bytes(), bytes].concat();
    // PCM, 1 channel, 8000 values in a second: 16000 bytes, 2 at a time, 16 bits.
    let fmt = chunk(b"fmt ", &numbers(&[1, 1, 8000, 0, 16000, 0, 2, 16]));
    let values: Vec<u16> = (0..n).collect();
    chunk(b"RIFF", &[&b"WAVE"[..], &fmt, &chunk(b"data", &numbers(&values))].concat())
}

/// Runs a line of a shell, in which the program is `upsweep`.
fn shell(f: &Folder, line: &str) -> Done {
    let program = Path::new(env!("CARGO_BIN_EXE_upsweep"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh").args(["-c", line]).env("PATH", path).current_dir(f.path("")).output().unwrap();
    Done { code: output.status.code(), stdout: output.stdout, stderr: String::from_utf8(output.stderr).unwrap() }
}

#[test]
fn every_hint_leads_on() {
    let segmented =
        upsweep_lab::algorithms::ALGORITHMS.iter().find(|algorithm| algorithm.name.starts_with("segmented"));
    let segmented = segmented.unwrap().name;
    let mut wrong = vec![];
    for (hint, says, call, mended) in HINTS {
        let f = with_files();
        let says = if says.is_empty() { hint } else { says };
        let [call, mended] = [call, mended].map(|line| line.replace("SEGMENTED", segmented));
        let done = shell(&f, &call);
        let code = match done.stderr.starts_with("upsweep: note: ") {
            true => 0,
            // The input is right, and its result has nowhere to go.
            false if says.contains("is closed") => 1,
            false => 2,
        };
        if !done.stderr.contains(says) || done.code != Some(code) {
            wrong.push(format!("{call}: {:?}, no {says:?} in {}", done.code, done.stderr));
        }
        let done = shell(&f, &mended);
        if done.code != Some(0) || !done.stderr.is_empty() {
            wrong.push(format!("{mended}: {:?} {}", done.code, done.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The texts in quotes of a Rust source, outside of comments and of its tests.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let (mut found, mut rest) = (vec![], source);
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (next, after) = (&rest[at..], &rest[at + 1..]);
        if next.starts_with("//") {
            rest = next.split_once('\n').map_or("", |(_, after)| after);
        } else if next.starts_with('\'') {
            // A letter, or a lifetime.
            let end = if after.starts_with('\\') { after[2..].find('\'').map(|end| end + 2) } else { None };
            let end = end.or_else(|| after.char_indices().nth(1).filter(|(_, c)| *c == '\'').map(|(at, _)| at));
            rest = end.map_or(after, |end| &after[end + 1..]);
        } else if next.starts_with('"') {
            let mut text = String::new();
            let mut letters = after.char_indices();
            let mut end = after.len();
            while let Some((at, c)) = letters.next() {
                match c {
                    '"' => {
                        end = at;
                        break;
                    }
                    '\\' => match letters.next().unwrap().1 {
                        '\n' => {
                            let blank = after[at + 2..].find(|c: char| !c.is_whitespace()).unwrap_or(0);
                            (0..blank).for_each(|_| _ = letters.next());
                        }
                        c => text.extend(['\\', c]),
                    },
                    c => text.push(c),
                }
            }
            found.push(text);
            rest = after.get(end + 1..).unwrap_or("");
        } else {
            rest = after;
        }
    }
    found
}

fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { sources(&path, found) } else { found.push(path) }
    }
}

/// Whoever writes a hint adds a row for it.
#[test]
fn every_hint_has_a_row() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![];
    sources(&root, &mut files);
    // What the help says is below.
    files.retain(|file| !file.starts_with(root.join("args")) && *file != root.join("args.rs"));
    let all: Vec<(String, String)> = files
        .iter()
        .flat_map(|file| {
            let name = file.strip_prefix(&root).unwrap().display().to_string();
            literals(&std::fs::read_to_string(file).unwrap()).into_iter().map(move |text| (name.clone(), text))
        })
        .collect();
    assert!(all.len() > 1000, "{}", all.len());
    let is_option =
        |text: &str| text.starts_with("--") && text[2..].bytes().all(|c| c.is_ascii_lowercase() || c == b'-');
    let names_option = |text: &str| {
        let behind = text.match_indices("--").map(|(at, _)| text[at + 2..].chars().next());
        behind.flatten().any(|c| c.is_ascii_lowercase())
    };
    let is_hint = |text: &str| {
        !is_option(text)
            && (names_option(text) || ["give ", "`upsweep ", "-o ", "-k {"].iter().any(|word| text.contains(word)))
    };
    let hints: Vec<&(String, String)> = all.iter().filter(|(_, text)| is_hint(text)).collect();
    let known = |text: &str| NO_HINTS.contains(&text) || HINTS.iter().any(|(hint, ..)| text.contains(hint));
    let unknown: Vec<_> = hints.iter().filter(|(_, text)| !known(text)).collect();
    assert!(unknown.is_empty(), "hints without a row: {unknown:#?}");
    let gone = |hint: &str| !all.iter().any(|(_, text)| text.contains(hint));
    let gone: Vec<_> =
        HINTS.iter().map(|(hint, ..)| *hint).chain(NO_HINTS.iter().copied()).filter(|hint| gone(hint)).collect();
    assert!(gone.is_empty(), "rows without a hint: {gone:#?}");
}

/// Every command with a help of its own.
fn commands(f: &Folder, path: &str, found: &mut Vec<(String, String)>) {
    let help = shell(f, &format!("{path} --help"));
    let help = String::from_utf8(help.stdout).unwrap();
    let inner = help.split_once("\nCommands:\n").map_or("", |(_, after)| after.split("\n\n").next().unwrap());
    for line in inner.lines() {
        let name = line.split_whitespace().next().unwrap();
        if line.starts_with("  ") && !line.starts_with("   ") && name != "help" {
            commands(f, &format!("{path} {name}"), found);
        }
    }
    found.push((path.to_owned(), help));
}

#[test]
fn every_example_of_the_help_works() {
    let f = with_files();
    let mut all = vec![];
    commands(&f, "upsweep", &mut all);
    assert!(all.len() > 40, "{}", all.len());
    example_files(&f);
    let mut wrong = vec![];
    let mut seen = std::collections::BTreeSet::new();
    for (command, help) in &all {
        let Some((_, examples)) = help.split_once("Examples:\n") else { continue };
        for line in examples.lines().take_while(|line| line.starts_with("  ")) {
            // What is behind several blanks says what comes of it.
            let line = line.trim().split("   ").next().unwrap();
            assert!(line.contains("upsweep "), "{command}: {line}");
            if !seen.insert(line.to_owned()) {
                continue;
            }
            // A GPU, or minutes.
            if line.contains("lab race") || line.contains("--device cuda") || line == "upsweep bench" {
                continue;
            }
            let done = shell(&f, line);
            let no_note = done.stderr.lines().all(|line| line.starts_with("upsweep: note: "));
            if done.code != Some(0) || !no_note {
                wrong.push(format!("{command}: {line}: {:?} {}", done.code, done.stderr));
            }
        }
    }
    assert!(wrong.is_empty() && seen.len() > 60, "{} examples: {}", seen.len(), wrong.join("\n"));
}

/// The files that the help's examples name.
fn example_files(f: &Folder) {
    let floats = |n: usize| (0..n).flat_map(|k| ((k * 7 % 11) as f64 - 5.0).to_le_bytes()).collect::<Vec<u8>>();
    let whole = |n: usize| (0..n as u32).flat_map(|k| (k % 4).to_le_bytes()).collect::<Vec<u8>>();
    for (name, text) in [
        ("rain.csv", "month,precipitation,wind,mm\n1,0.5,3,0.2\n1,1.5,2,3\n2,0.25,4,11\n"),
        ("latencies.csv", "id,ms\nx,3.5\ny,1.25\n"),
        ("sales.csv", "region,amount,price,year\nN,3,12.5,2020\nS,1,2,2021\nN,2,20,2020\n"),
        ("log.csv", "level,text\n1,a\n1,b\n2,c\n"),
        ("weather.csv", "day,temp_max\nmo,3.5\ntu,4\n"),
        ("lowpass.csv", "0.25,0.5,0.25,1,0,0\n"),
        ("links.csv", "a,b\nb,c\nc,a\n"),
        ("points.csv", "0,1\n0.5,2\n1,4\n"),
        ("big.txt", "January 21st\nsomething\n"),
        ("states.csv", "state\nup\n"),
        ("matrix.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 1 2\n"),
        ("dem.asc", &format!("ncols 400\nnrows 200\ncellsize 30\n{}", "1 2 3 4 ".repeat(20_000))),
    ] {
        f.file(name, text);
    }
    std::fs::create_dir(f.path("src")).unwrap();
    f.file("src/main.rs", "fn main() {}\n").file("image.u8", [7; 64]).file("counts.u32", whole(8));
    f.file("speech.wav", wav(100));
    for name in ["samples.npy", "x.npy", "prices.npy", "scores.npy", "before.npy", "after.npy"] {
        let (shape, n) = if name == "prices.npy" {
            ("(4, 8)", 32)
        } else if name == "x.npy" {
            ("(2,)", 2)
        } else {
            ("(200,)", 200)
        };
        f.file(name, npy("'<f8'", shape, &floats(n)));
    }
    for name in ["ids.npy", "mask.npy", "lengths.npy", "counts.npy", "parents.npy", "values.npy", "bytes.npy"] {
        f.file(name, npy("'<u4'", "(8,)", &if name == "parents.npy" { vec![0; 32] } else { whole(8) }));
    }
    f.file("colours.npy", npy("'|u1'", "(8, 8, 3)", &[9; 192]));
    f.file("image.npy", npy("'|u1'", "(8, 8)", &[9; 64]))
        .file("dem.npy", npy("'<f4'", "(200, 400)", &vec![0; 320_000]));
    for name in ["photo.png", "portrait.png", "page.png", "dark.png"] {
        let line = format!("upsweep image blur colours.npy --radius 1 -o {name}");
        assert_eq!(shell(f, &line).code, Some(0));
    }
    let gz = shell(f, "printf 'status\\tcached\\n200\\ttrue\\n404\\tfalse\\n' | gzip > log.tsv.gz");
    assert_eq!(gz.code, Some(0), "{}", gz.stderr);
}
