//! Tests of compressed files, .gz and .zst, as input and output of every kind of command.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;
use flate2::read::{GzEncoder, MultiGzDecoder};
use std::io::Read;
use support::{Folder, bytes_of, npy, numbers};

type Pack = fn(&[u8]) -> Vec<u8>;

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![];
    GzEncoder::new(bytes, flate2::Compression::fast()).read_to_end(&mut packed).unwrap();
    packed
}

fn zst(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn unpacked(ending: &str, packed: &[u8]) -> Vec<u8> {
    let mut bytes = vec![];
    match ending {
        "gz" => MultiGzDecoder::new(packed).read_to_end(&mut bytes).unwrap(),
        _ => ruzstd::decoding::StreamingDecoder::new(packed).unwrap().read_to_end(&mut bytes).unwrap(),
    };
    bytes
}

const PACKS: [(&str, Pack); 2] = [("gz", gz), ("zst", zst)];

const TABLE: &str = "day,rain,word\n1,0.5,dry\n2,2.5,wet\n3,1.0,wet\n";

/// Files, and calls whose FILE has its name before the ending of a compressed one.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let wav = [
        &b"RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x08\0\0\0"[..],
        &bytes_of!(i16: 1, -2, 3000, -4),
    ]
    .concat();
    vec![
        ("t.csv", TABLE.into()),
        ("t.tsv", TABLE.replace(',', "\t").into()),
        ("x.npy", npy("'<f8'", "(2, 3)", &bytes_of!(f64: 1.0, 2.0, 3.5, -4.0, 5.0, 6.0))),
        ("x.i32", bytes_of!(i32: 3, 1, 2, 3)),
        ("x.bin", bytes_of!(i32: 3, 1, 2, 3)),
        ("t.txt", TABLE.into()),
        ("s.wav", wav),
        ("edges.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 3.0\n2 1 4.0\n".into()),
    ]
}

const CALLS: &[&[&str]] = &[
    &["scan", "t.csv", "--column", "rain"],
    &["scan", "t.tsv", "--column", "rain", "--by-key", "word"],
    &["reduce", "t.csv", "--column", "rain", "--group-by", "word", "--op", "mean,count"],
    &["reduce", "t.csv", "--op", "count"],
    &["select", "t.csv", "--where", "rain > 0.7"],
    &["sort", "t.csv", "--column", "word", "--desc"],
    &["histogram", "t.csv", "--column", "rain", "--bins", "2"],
    &["reduce", "t.txt", "--format", "csv", "--column", "day"],
    &["scan", "x.npy", "--axis", "0", "-o", "-"],
    &["reduce", "x.npy"],
    &["sort", "x.i32"],
    &["unique", "x.i32"],
    &["top", "x.bin", "--type", "i32", "-k", "2"],
    &["text", "grep", "wet", "t.txt"],
    &["text", "lex", "--grammar", "csv", "t.txt"],
    &["signal", "smooth", "s.wav", "--span", "3"],
    &["graph", "csr", "edges.mtx"],
    &["expand", "x.i32", "--values", "x.bin.values.i32"],
    &["scan", "x.i32", "--segments", "heads.bool", "--op", "max"],
];

/// Files of options.
fn others() -> [(&'static str, Vec<u8>); 2] {
    [("x.bin.values.i32", bytes_of!(i32: 9, 8, 7, 6)), ("heads.bool", vec![0, 0, 1, 0])]
}

#[test]
fn compressed_files_are_read_as_what_is_in_them() {
    for (ending, pack) in PACKS {
        let f = Folder::new();
        for (name, bytes) in files().iter().chain(&others()) {
            f.file(name, bytes);
            // Files of several parts one after the other, as `cat a.gz b.gz` makes them.
            let (first, second) = bytes.split_at(bytes.len() / 2);
            f.file(&format!("{name}.{ending}"), [pack(first), pack(second)].concat());
        }
        let is_file = |word: &&str| files().iter().chain(&others()).any(|(name, _)| name == word);
        for call in CALLS {
            let expected = f.run(call);
            assert_eq!((expected.code, &*expected.stderr), (Some(0), ""), "{call:?}");
            let packed: Vec<String> = call
                .iter()
                .map(|word| if is_file(word) { format!("{word}.{ending}") } else { (*word).to_owned() })
                .collect();
            let done = f.run(&packed.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!((done.code, &*done.stderr), (Some(0), ""), "{packed:?}");
            assert!(done.stdout == expected.stdout, "{packed:?}");
        }
        // The content tells, and not the name.
        f.file("named.csv", pack(TABLE.as_bytes())).file("named.npy", pack(&files()[2].1)).file("plain.csv.gz", TABLE);
        assert_eq!(f.prints(&["reduce", "named.csv", "--column", "day"]), "6\n");
        assert_eq!(f.prints(&["reduce", "named.npy"]), "13.5\n");
        assert_eq!(f.prints(&["reduce", "plain.csv.gz", "--column", "day"]), "6\n");
        // Standard input.
        assert_eq!(f.run_with(&["reduce", "-"], &pack(b"1 2\n3")).good(), "6\n");
        assert_eq!(f.run_with(&["reduce", "-"], &pack(&files()[2].1)).good(), "13.5\n");
        let table = ["reduce", "-", "--format", "csv", "--column", "day"];
        assert_eq!(f.run_with(&table, &pack(TABLE.as_bytes())).good(), "6\n");
        assert_eq!(f.run_with(&["text", "grep", "-c", "wet", "-"], &pack(TABLE.as_bytes())).good(), "2\n");
        if cfg!(unix) {
            // A pipe by its name.
            let call = ["reduce", "/dev/stdin", "--type", "u8"];
            assert_eq!(f.run_with(&call, b"\x01\x02").good(), "3\n");
            assert_eq!(f.run_with(&["text", "grep", "-c", "wet", "/dev/stdin"], &pack(TABLE.as_bytes())).good(), "2\n");
        }
    }
}

/// Raw values are whatever they are.
#[test]
fn raw_values_may_begin_as_compressed_files_do() {
    let f = Folder::new();
    f.file("x.u8", [0x1f, 0x8b, 8, 0, 1]).file("x.bin", [0x28, 0xb5, 0x2f, 0xfd, 1]);
    for call in [["scan", "x.u8", "-o", "out.u8"], ["select", "x.u8", "--where", "x > 0"]] {
        assert_eq!(f.run(&call).code, Some(0), "{call:?}");
    }
    assert_eq!(f.prints(&["reduce", "x.u8"]), format!("{}\n", 0x1f + 0x8b + 8 + 1));
    assert_eq!(f.prints(&["reduce", "x.bin", "--type", "u8"]), format!("{}\n", 0x28 + 0xb5 + 0x2f + 0xfd + 1));
}

#[test]
fn results_are_compressed_as_their_names_say() {
    let f = Folder::new();
    let long = format!("x\n{}", numbers(300_000));
    f.file("t.csv", TABLE).file("long.csv", &long).file("x.npy", &files()[2].1).file("x.i32", &files()[3].1);
    let calls: &[(&[&str], &str)] = &[
        (&["scan", "t.csv", "--column", "rain"], "csv"),
        (&["scan", "long.csv"], "tsv"),
        (&["sort", "long.csv", "--desc"], "csv"),
        (&["select", "long.csv", "--where", "x % 7 == 0"], "csv"),
        (&["scan", "x.npy"], "npy"),
        (&["scan", "x.i32"], "i64"),
        (&["sort", "x.i32"], "npy"),
        (&["select", "x.i32", "--where", "x > 1"], "i32"),
        (&["reduce", "x.npy", "--axis", "0"], "npy"),
        (&["histogram", "x.npy"], "csv"),
        (&["scan", "x.i32", "--carry-out", "carry"], "npy"),
    ];
    for (call, form) in calls {
        let plain = format!("plain.{form}");
        f.prints(&[call, &["-o", &*plain][..]].concat());
        for (ending, _) in PACKS {
            let packed = format!("packed.{form}.{ending}");
            f.prints(&[call, &["-o", &*packed][..]].concat());
            assert!(unpacked(ending, &f.read(&packed)) == f.read(&plain), "{call:?} {ending}");
            // It is there as a whole, or as it was.
            f.fails(&["scan", "none.csv", "-o", &packed], b"", 2, &["no such file"]);
            assert!(unpacked(ending, &f.read(&packed)) == f.read(&plain), "{call:?} {ending}");
        }
    }
    f.prints(&["scan", "x.i32", "--carry-out", "carry.gz", "-o", "out.npy"]);
    f.prints(&["scan", "x.i32", "--carry-in", "carry.gz", "-o", "out.npy.zst"]);
    assert_eq!(f.prints(&["reduce", "out.npy.zst", "--op", "max"]), "18\n");
    // A name without another ending says nothing.
    f.fails(&["scan", "x.i32", "-o", "out.gz"], b"", 2, &["the name has no ending that says what to write"]);
}

#[test]
fn damaged_files_leave_no_output() {
    let f = Folder::new();
    let long = npy("'<i4'", "(50000,)", &(0..50_000i32).flat_map(|k| (k * 7).to_le_bytes()).collect::<Vec<u8>>());
    for (ending, pack) in PACKS {
        let (table, array) = (format!("t.csv.{ending}"), format!("x.npy.{ending}"));
        let calls: [&[&str]; 6] = [
            &["scan", &table, "--column", "day", "-o", "out.csv"],
            &["select", &table, "--where", "day > 0", "-o", "out.csv"],
            &["sort", &table, "--column", "day", "-o", "out.csv"],
            &["reduce", &array],
            &["scan", &array, "-o", "out.npy"],
            &["select", &array, "--where", "x > 5", "-o", "out.npy.zst"],
        ];
        let packed = [pack(format!("day\n{}", numbers(50_000)).as_bytes()), pack(&long)];
        for part in [1, 8, 15] {
            let cut = packed.each_ref().map(|file| &file[..file.len() * part / 16]);
            f.file(&table, cut[0]).file(&array, cut[1]);
            calls.iter().for_each(|call| f.fails(call, b"", 2, &["was cut short"]));
        }
        for less in [1, 7] {
            let cut = packed.each_ref().map(|file| &file[..file.len() - less]);
            f.file(&table, cut[0]).file(&array, cut[1]);
            calls.iter().for_each(|call| f.fails(call, b"", 2, &["was cut short"]));
        }
        for few in [0, 1, 3] {
            let cut = packed.each_ref().map(|file| &file[..few]);
            f.file(&table, cut[0]).file(&array, cut[1]);
            calls.iter().for_each(|call| f.fails(call, b"", 2, &["was cut short"]));
        }
        // The checksum is the last but four bytes of a .gz, and the last of a .zst.
        let checksum = if ending == "gz" { 6 } else { 2 };
        for at in [packed[0].len().min(packed[1].len()) / 2, checksum] {
            let wrong = packed.clone().map(|mut file| {
                let place = if at == checksum { file.len() - at } else { at };
                file[place] ^= 0x55;
                file
            });
            f.file(&table, &wrong[0]).file(&array, &wrong[1]);
            for call in calls {
                let before = f.names();
                let done = f.run(call);
                assert_eq!((done.code, f.names()), (Some(2), before), "{call:?}: {}", done.stderr);
            }
            if at == checksum {
                calls.iter().for_each(|call| f.fails(call, b"", 2, &["is a damaged compressed file", "checksum"]));
            }
        }
        f.file(&array, [&packed[1][..], b"something else"].concat());
        f.fails(&["reduce", &array], b"", 2, &["is a damaged compressed file"]);
    }
}

/// Compressed arrays, and those of archives, are scanned and reduced piece by piece, with the results of the plain file.
#[test]
fn pieces_have_the_results_of_the_whole() {
    // Number of values of a piece: see `stream.rs`.
    const PIECE: usize = 1 << 17;
    let f = Folder::new();
    for n in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 7] {
        let x: Vec<u8> = (0..n).flat_map(|k| ((k * 7919 % 1013) as f32 / 7.0 - 50.0).to_be_bytes()).collect();
        f.file("x.npy", npy("'>f4'", &format!("({n},)"), &x));
        f.prints(&["sort", "x.npy", "-o", "y.npy.zst"]);
        f.prints(&["sort", "x.npy", "-o", "y.npy"]);
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gz, &f.read("x.npy")).unwrap();
        f.file("x.npy.gz", gz.finish().unwrap());
        for (plain, packed) in [("x.npy", "x.npy.gz"), ("y.npy", "y.npy.zst")] {
            for options in [&["--op", "sum"][..], &["--op", "max", "--exclusive"], &["--op", "sum", "--init", "3"]] {
                f.prints(&[&["scan", plain, "-o", "a.npy"], options].concat());
                f.prints(&[&["scan", packed, "-o", "b.npy"], options].concat());
                assert!(f.read("a.npy") == f.read("b.npy"), "{n}, {packed}, {options:?}");
            }
            for op in ["sum", "min", "product"] {
                let wanted = f.run(&["reduce", plain, "--op", op]);
                let found = f.run(&["reduce", packed, "--op", op]);
                assert_eq!((found.code, &found.stdout), (wanted.code, &wanted.stdout), "{n}, {packed}, {op}");
            }
        }
        // In a carry it goes on.
        f.prints(&["reduce", "x.npy.gz", "--carry-out", "c"]);
        f.prints(&["reduce", "x.npy", "--carry-out", "d"]);
        assert_eq!(
            f.prints(&["reduce", "y.npy", "--carry-in", "c"]),
            f.prints(&["reduce", "y.npy.zst", "--carry-in", "d"])
        );
        if n == 3 * PIECE + 7 {
            // Cut short, or with another checksum, it leaves nothing.
            let whole = f.read("x.npy.gz");
            let mut wrong = whole.clone();
            let sum = wrong.len() - 6;
            wrong[sum] ^= 1;
            for bytes in [whole[..whole.len() / 2].to_vec(), whole[..whole.len() - 1].to_vec(), wrong] {
                f.file("bad.npy.gz", bytes);
                f.fails(&["scan", "bad.npy.gz", "-o", "bad.npy"], b"", 2, &["bad.npy.gz"]);
                f.fails(&["reduce", "bad.npy.gz"], b"", 2, &["bad.npy.gz"]);
            }
        }
    }
    let overflow = npy("'<i8'", "(2,)", &[255; 16].map(|b: u8| b >> 1));
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gz, &overflow).unwrap();
    f.file("o.npy.gz", gz.finish().unwrap());
    f.fails(&["scan", "o.npy.gz", "-o", "o.npy"], b"", 2, &["o.npy.gz: at 1: the sum is", "does not fit i64"]);
}
