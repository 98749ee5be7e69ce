//! Parquet and Arrow from a pipe, and in other forms that are read only once.

use super::support::Folder;
use super::{arrow_file, has_one_more, of_parquet, of_stream, parquet_file, rows};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use flate2::write::GzEncoder;
use parquet::basic::Compression;
use std::io::Write;
use std::sync::Arc;

/// A stream of Arrow with batches of so many rows.
fn arrow_stream(rows: &RecordBatch, batch: usize) -> Vec<u8> {
    let mut stream = Vec::new();
    let mut writer = StreamWriter::try_new(&mut stream, &rows.schema()).unwrap();
    for start in (0..rows.num_rows()).step_by(batch) {
        writer.write(&rows.slice(start, batch.min(rows.num_rows() - start))).unwrap();
    }
    writer.finish().unwrap();
    stream
}

/// What can be read only once has the results of a file: standard input, in each format, streams of Arrow with any name, and
/// files that are packed as a whole.
#[test]
fn streams_are_files() {
    let f = Folder::new();
    for (n, batch) in [(0, 10), (1, 10), (10, 3), (5000, 999)] {
        let input = rows(n);
        let (parquet, stream) = (parquet_file(&input, batch, Compression::SNAPPY), arrow_stream(&input, batch));
        f.file("x.parquet", &parquet).file("s.arrow", &stream).file("s.f32", &stream);
        f.file("x.arrow.gz", packed(&arrow_file(&input, batch))).file("x.parquet.gz", packed(&parquet));
        let (sum, quantile) = (&["reduce", "x.parquet", "--column", "a"], &["quantile", "x.parquet", "--column", "x"]);
        let wanted = (f.prints(sum), (n > 0).then(|| f.prints(quantile)));
        for (file, form, piped) in [
            ("-", "arrow", stream.clone()),
            ("-", "arrow", packed(&stream)),
            ("-", "arrow", arrow_file(&input, batch)),
            ("-", "parquet", parquet.clone()),
            ("/dev/stdin", "arrow", stream.clone()),
            ("s.f32", "arrow", Vec::new()),
            ("s.arrow", "", Vec::new()),
            ("x.arrow.gz", "", Vec::new()),
            ("x.parquet.gz", "", Vec::new()),
        ] {
            let run = |args: &[&str]| {
                let form = if form.is_empty() { &[][..] } else { &["--from", form] };
                f.run_with(&[&[args[0], file], &args[1..], form].concat(), &piped)
            };
            let called = format!("{file} {form} {n}");
            let reduced = run(&["reduce", "--column", "a"]);
            assert_eq!(reduced.good(), wanted.0, "{called}");
            if let Some(quantile) = &wanted.1 {
                assert_eq!(run(&["quantile", "--column", "x"]).good(), *quantile, "{called}");
            }
            let scanned = run(&["scan", "--column", "a", "--to", "arrow"]).good_bytes();
            has_one_more(&of_stream(scanned), &input, "a_sum");
            let selected = run(&["select", "--where", "a > 0", "-o", "y.parquet"]).good();
            assert_eq!(selected, "", "{called}");
            let wanted = f.run(&["select", "x.parquet", "--where", "a > 0", "--to", "arrow"]).good_bytes();
            assert_eq!(of_parquet(f.read("y.parquet")), of_stream(wanted), "{called}");
            let sorted = run(&["sort", "--column", "d", "--to", "arrow"]).good_bytes();
            let wanted = f.run(&["sort", "x.parquet", "--column", "d", "--to", "arrow"]).good_bytes();
            assert_eq!(of_stream(sorted), of_stream(wanted), "{called}");
        }
    }
    // Process by process, with their types.
    let piped = f.run(&["select", "x.parquet", "--where", "a > 0", "--to", "arrow"]).good_bytes();
    let piped = f.run_with(&["scan", "-", "--from", "arrow", "--column", "x", "--to", "arrow"], &piped).good_bytes();
    let piped = f.run_with(&["sort", "-", "--from", "arrow", "--column", "d"], &piped).good_bytes();
    let found = of_stream(piped);
    assert_eq!(found.schema().fields()[..4], rows(1).schema().fields()[..]);
    assert!(found.num_rows() > 1000 && found.num_columns() == 5);
    // An option says more than a name, and a table of columns is no text.
    f.file("text.parquet", "a;b\n1;2\n3;4\n");
    for of_text in [["--delimiter", ";"], ["--format", "csv"]] {
        let column = if of_text[1] == ";" { "b" } else { "1" };
        let done = f.run(&[&["scan", "text.parquet", "--column", column], &of_text[..]].concat());
        assert!(!done.stderr.contains("Parquet") && (done.code == Some(0)) == (column == "b"), "{done:?}");
    }
    let piped = arrow_stream(&rows(1), 1);
    f.fails(&["reduce", "-", "--from", "arrow", "--delimiter", ";"], &piped, 2, &["there is no --delimiter"]);
    f.fails(&["reduce", "-", "--from", "arrow", "--skip", "1"], &arrow_stream(&rows(1), 1), 2, &["there is no --skip"]);
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// Texts by dictionaries that are others in each batch, as a file has none.
#[test]
fn streams_change_their_dictionaries() {
    let f = Folder::new();
    let texts = |of: &[&str]| -> ArrayRef { Arc::new(of.iter().copied().collect::<DictionaryArray<Int32Type>>()) };
    let batch = |a: &[i32], t| {
        RecordBatch::try_from_iter([("a", Arc::new(Int32Array::from(a.to_vec())) as ArrayRef), ("t", t)]).unwrap()
    };
    let batches = [batch(&[1, 2], texts(&["p", "q"])), batch(&[3], texts(&["r"])), batch(&[4, 5], texts(&["q", "s"]))];
    let mut stream = Vec::new();
    let mut writer = StreamWriter::try_new(&mut stream, &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.finish().unwrap();
    for to in ["arrow", "parquet"] {
        let scanned = f.run_with(&["scan", "-", "--from", "arrow", "--column", "a", "--to", to], &stream).good_bytes();
        let found = if to == "arrow" { of_stream(scanned) } else { of_parquet(scanned) };
        let texts: Vec<&str> = found.column(1).as_string::<i32>().iter().flatten().collect();
        assert_eq!(texts, ["p", "q", "r", "q", "s"], "{to}");
        assert_eq!(found.column(2).as_primitive::<Int64Type>().values(), &[1, 3, 6, 10, 15], "{to}");
    }
}

/// A stream that ends anywhere before its end, between two batches, too, or goes on behind it.
#[test]
fn streams_that_were_cut_are_told() {
    let f = Folder::new();
    let stream = arrow_stream(&rows(20), 7);
    let fails = |bytes: &[u8], words: &[&str]| {
        f.fails(&["reduce", "-", "--from", "arrow", "--column", "a"], bytes, 2, words);
    };
    let mut cut = 0;
    for len in 1..stream.len() {
        // Each step of 8 bytes may be the end of a message.
        if len % 8 == 0 || len > stream.len() - 8 {
            fails(&stream[..len], &["standard input: is damaged, or is no file of Arrow that can be read"]);
            cut += usize::from(len % 8 == 0);
        }
    }
    assert!(cut > 100, "{cut}");
    fails(&stream[..stream.len() - 8], &["its stream has no end: it was cut short, or its writer was not closed"]);
    fails(&[&stream[..], &stream[..]].concat(), &["there is something behind the end of its stream"]);
    fails(b"", &["standard input: is empty, as no file of Arrow is"]);
    fails(b"1 2 3\n", &["standard input: is damaged"]);
}
