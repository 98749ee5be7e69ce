//! Tests of Parquet and Arrow files, with the feature `parquet`.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]
#![cfg(all(unix, feature = "parquet"))]

mod groups;
mod streams;
#[path = "../support/mod.rs"]
mod support;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int32Array, Int64Array, RecordBatch, RecordBatchReader,
    StringArray,
};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::FileWriter;
use arrow_select::concat::concat_batches;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::io::Cursor;
use std::sync::Arc;
use support::{Folder, npy};

/// Rows of a table: a number, floats, texts of which some are null, dates.
fn rows(n: usize) -> RecordBatch {
    let a: Vec<i32> = (0..n).map(|k| (k * 7919 % 1001) as i32 - 500).collect();
    let x: Vec<f64> = a.iter().map(|a| f64::from(*a) / 7.0).collect();
    let t: Vec<Option<String>> = (0..n).map(|k| (k % 5 > 0).then(|| format!("t{}", k % 13))).collect();
    let d: Vec<i32> = (0..n).map(|k| (k * 31 % 997) as i32).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("a", Arc::new(Int32Array::from(a))),
        ("x", Arc::new(Float64Array::from(x))),
        ("t", Arc::new(StringArray::from(t))),
        ("d", Arc::new(Date32Array::from(d))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true))).unwrap()
}

/// Parquet with row groups of so many rows.
fn parquet_file(rows: &RecordBatch, group: usize, compression: Compression) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group))
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(50)
        .set_compression(compression)
        .build();
    let mut file = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut file, rows.schema(), Some(properties)).unwrap();
    writer.write(rows).unwrap();
    writer.close().unwrap();
    file
}

/// Arrow with batches of so many rows.
fn arrow_file(rows: &RecordBatch, batch: usize) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = FileWriter::try_new(&mut file, &rows.schema()).unwrap();
    for start in (0..rows.num_rows()).step_by(batch) {
        writer.write(&rows.slice(start, batch.min(rows.num_rows() - start))).unwrap();
    }
    writer.finish().unwrap();
    file
}

fn all(reader: impl RecordBatchReader) -> RecordBatch {
    let schema = reader.schema();
    concat_batches(&schema, &reader.collect::<Result<Vec<_>, _>>().unwrap()).unwrap()
}

fn of_parquet(file: Vec<u8>) -> RecordBatch {
    all(ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(file)).unwrap().build().unwrap())
}

fn of_arrow(file: Vec<u8>) -> RecordBatch {
    all(FileReader::try_new(Cursor::new(file), None).unwrap())
}

fn of_stream(stream: Vec<u8>) -> RecordBatch {
    all(StreamReader::try_new(Cursor::new(stream), None).unwrap())
}

/// Checks that a table is the input with one column more.
#[track_caller]
fn has_one_more(found: &RecordBatch, input: &RecordBatch, name: &str) -> ArrayRef {
    let count = input.num_columns();
    assert_eq!((found.num_columns(), found.num_rows()), (count + 1, input.num_rows()));
    assert_eq!(found.schema().fields()[..count], input.schema().fields()[..]);
    assert_eq!(found.columns()[..count], *input.columns());
    assert_eq!(found.schema().field(count).name(), name);
    Arc::clone(found.column(count))
}

#[test]
fn a_scan_writes_the_table_with_its_results() {
    let f = Folder::new();
    for (n, group) in [(0, 10), (1, 10), (10, 10), (11, 10), (2500, 300), (20_000, 20_000)] {
        let input = rows(n);
        f.file("x.parquet", parquet_file(&input, group, Compression::SNAPPY))
            .file("x.arrow", arrow_file(&input, group));
        let mut sum = 0;
        let sums: Vec<i64> = input
            .column(0)
            .as_primitive::<Int32Type>()
            .values()
            .iter()
            .map(|a| {
                sum += i64::from(*a);
                sum
            })
            .collect();
        for from in ["x.parquet", "x.arrow"] {
            assert_eq!(f.prints(&["scan", from, "--column", "a", "-o", "y.parquet"]), "");
            let found = has_one_more(&of_parquet(f.read("y.parquet")), &input, "a_sum");
            assert_eq!(*found.as_primitive::<Int64Type>().values(), sums[..], "{n}, {from}");
            assert_eq!(f.prints(&["scan", from, "--column", "1", "--exclusive", "-o", "y.arrow"]), "");
            let found = has_one_more(&of_arrow(f.read("y.arrow")), &input, "a_sum");
            let found = found.as_primitive::<Int64Type>().values().to_vec();
            assert!(found.iter().zip([0].iter().chain(&sums)).all(|(a, b)| a == b), "{n}, {from}");
            // To a pipe Arrow is a stream.
            let piped = f.run(&["scan", from, "--column", "a", "--op", "max", "--to", "arrow"]).good_bytes();
            has_one_more(&of_stream(piped), &input, "a_max");
            // As values alone, and from the end.
            let last: String = f.prints(&["scan", from, "--column", "a"]);
            assert_eq!(last.lines().map(|line| line.parse().unwrap()).collect::<Vec<i64>>(), sums);
            f.prints(&["scan", from, "--column", "a", "--reverse", "-o", "y.parquet"]);
            let found = has_one_more(&of_parquet(f.read("y.parquet")), &input, "a_sum");
            let found = found.as_primitive::<Int64Type>().values().to_vec();
            assert!(found.first().is_none_or(|first| *first == sum), "{n}, {from}");
        }
    }
}

/// Floats have the bits of an array, however the rows are grouped; and so have parts that hand on a carry.
#[test]
fn results_have_the_bits_of_an_array() {
    let f = Folder::new();
    let input = rows(70_000);
    let x = input.column(1).as_primitive::<Float64Type>().values().to_vec();
    let bytes: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
    f.file("x.npy", npy("'<f8'", "(70000,)", &bytes));
    let total = f.prints(&["reduce", "x.npy"]);
    f.prints(&["scan", "x.npy", "-o", "sums.f64"]);
    let sums = f.read("sums.f64");
    for group in [1000, 65_536, 70_000] {
        f.file("x.parquet", parquet_file(&input, group, Compression::UNCOMPRESSED));
        assert_eq!(f.prints(&["reduce", "x.parquet", "--column", "x"]), total, "{group}");
        f.prints(&["scan", "x.parquet", "--column", "x", "-o", "y.parquet"]);
        let found = has_one_more(&of_parquet(f.read("y.parquet")), &input, "x_sum");
        let found: Vec<u8> =
            found.as_primitive::<Float64Type>().values().iter().flat_map(|x| x.to_le_bytes()).collect();
        assert!(found == sums, "{group}");
    }
    f.file("1.parquet", parquet_file(&input.slice(0, 12_345), 5000, Compression::SNAPPY));
    f.file("2.arrow", arrow_file(&input.slice(12_345, 70_000 - 12_345), 5000));
    f.prints(&["reduce", "1.parquet", "--column", "x", "--carry-out", "c"]);
    assert_eq!(f.prints(&["reduce", "2.arrow", "--column", "x", "--carry-in", "c"]), total);
    // Other commands take a column, too.
    let quartiles = f.prints(&["quantile", "x.npy"]);
    assert_eq!(f.prints(&["quantile", "x.parquet", "--column", "x"]), quartiles);
}

#[test]
fn nulls_are_missing_values() {
    let f = Folder::new();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("a", Arc::new(Int64Array::from(vec![Some(1), None, Some(3)]))),
        ("x", Arc::new(Float64Array::from(vec![Some(1.5), Some(2.0), None]))),
        ("b", Arc::new(BooleanArray::from(vec![true, true, false]))),
    ];
    let input = RecordBatch::try_from_iter(columns).unwrap();
    f.file("x.parquet", parquet_file(&input, 2, Compression::SNAPPY));
    let fails = |args: &[&str], words: &[&str]| f.fails(args, b"", 2, words);
    fails(
        &["reduce", "x.parquet", "--column", "a"],
        &["x.parquet: row 2: column a: the cell is empty", "--missing skip"],
    );
    fails(&["scan", "x.parquet", "--column", "x", "-o", "y.parquet"], &["row 3: column x: the cell is empty"]);
    fails(&["reduce", "x.parquet", "--column", "a", "--missing", "propagate"], &["row 2", "i64 has no NaN"]);
    fails(&["reduce", "x.parquet"], &["x.parquet: has 3 numeric columns: choose one with --column: a, x, b"]);
    assert_eq!(f.prints(&["reduce", "x.parquet", "--column", "a", "--missing", "zero", "--op", "min"]), "0\n");
    assert_eq!(f.prints(&["reduce", "x.parquet", "--column", "a", "--missing", "skip"]), "4\n");
    assert_eq!(f.prints(&["reduce", "x.parquet", "--column", "x", "--missing", "propagate"]), "NaN\n");
    assert_eq!(f.prints(&["reduce", "x.parquet", "--column", "b"]), "2\n");
    f.prints(&["scan", "x.parquet", "--column", "a", "--missing", "skip", "-o", "y.parquet"]);
    let found = has_one_more(&of_parquet(f.read("y.parquet")), &input, "a_sum");
    assert_eq!(found.as_primitive::<Int64Type>().iter().collect::<Vec<_>>(), [Some(1), None, Some(4)]);
}

#[test]
fn rows_are_selected_and_sorted() {
    let f = Folder::new();
    let input = rows(2500);
    f.file("x.parquet", parquet_file(&input, 300, Compression::SNAPPY)).file("x.arrow", arrow_file(&input, 300));
    let (a, t) = (input.column(0).as_primitive::<Int32Type>().values(), input.column(2).as_string::<i32>());
    let condition = "a > 100 and t == \"t7\" or t is null and a < -400";
    let holds = |k: &usize| {
        let text = t.is_valid(*k).then(|| t.value(*k));
        a[*k] > 100 && text == Some("t7") || text.is_none() && a[*k] < -400
    };
    let wanted: Vec<usize> = (0..2500).filter(|k| t.is_valid(*k) || a[*k] <= 100).filter(holds).collect();
    // A text that is null is tested before it is compared.
    let condition = condition.replace("a > 100 and t ==", "t is not null and a > 100 and t ==");
    for from in ["x.parquet", "x.arrow"] {
        f.prints(&["select", from, "--where", &condition, "-o", "y.parquet"]);
        let found = of_parquet(f.read("y.parquet"));
        let indices = arrow_array::UInt64Array::from(wanted.iter().map(|k| *k as u64).collect::<Vec<_>>());
        assert_eq!(found, arrow_select::take::take_record_batch(&input, &indices).unwrap(), "{from}");
        let printed = f.prints(&["select", from, "--where", &condition, "--indices"]);
        assert_eq!(printed.lines().map(|line| line.parse().unwrap()).collect::<Vec<usize>>(), wanted);
        for (args, order) in [
            (&["--column", "a"][..], Box::new(|k: &usize| (false, i64::from(a[*k]), "")) as Box<dyn Fn(&usize) -> _>),
            (&["--column", "a", "--desc"], Box::new(|k: &usize| (false, -i64::from(a[*k]), ""))),
            (
                &["--column", "t"],
                Box::new(|k: &usize| (t.is_null(*k), 0, if t.is_null(*k) { "" } else { t.value(*k) })),
            ),
            (&["--column", "d"], Box::new(|k: &usize| (false, (*k as i64) * 31 % 997, ""))),
        ] {
            let mut wanted: Vec<usize> = (0..2500).collect();
            wanted.sort_by_key(|k| order(k));
            let indices = arrow_array::UInt64Array::from(wanted.iter().map(|k| *k as u64).collect::<Vec<_>>());
            f.prints(&[&["sort", from, "-o", "y.arrow"], args].concat());
            let found = of_arrow(f.read("y.arrow"));
            assert_eq!(found, arrow_select::take::take_record_batch(&input, &indices).unwrap(), "{from} {args:?}");
            let printed = f.prints(&[&["sort", from, "--argsort"], args].concat());
            assert_eq!(printed.lines().map(|line| line.parse().unwrap()).collect::<Vec<usize>>(), wanted);
        }
    }
}

#[test]
fn wrong_calls_are_told() {
    let f = Folder::new();
    f.file("x.parquet", parquet_file(&rows(10), 5, Compression::SNAPPY)).file("y.csv", "a\n1\n");
    f.file("none.parquet", "")
        .file("text.parquet", "PAR1 this is no such file at all PAR1")
        .file("text.arrow", "ARROW1");
    let fails = |args: &[&str], words: &[&str]| f.fails(args, b"", 2, words);
    fails(&["scan", "x.parquet", "--column", "t", "-o", "y.parquet"], &["x.parquet: column t is of the type Utf8"]);
    fails(
        &["scan", "x.parquet", "--column", "z", "-o", "y.parquet"],
        &["has no column `z`: the columns are a, x, t, d"],
    );
    fails(&["scan", "x.parquet", "--column", "a", "--by-key", "t", "-o", "y.parquet"], &["there is no --by-key"]);
    fails(
        &["select", "x.parquet", "--where", "a > 'x'", "-o", "y.parquet"],
        &["x.parquet: row 1: column a: Int32 is no text"],
    );
    fails(&["select", "x.parquet", "--where", "t == 'x'", "-o", "y.parquet"], &["row 1: column t: there is no value"]);
    fails(&["select", "x.parquet", "--where", "d > 1", "-o", "y.parquet"], &["row 1: column d: Date32 is no number"]);
    fails(
        &["select", "x.parquet", "--where", "a > 1", "-o", "y.csv"],
        &["-o y.csv: rows of Parquet and Arrow stay such"],
    );
    fails(&["sort", "x.parquet", "--numeric", "-o", "y.parquet"], &["there is no --numeric"]);
    fails(&["reduce", "none.parquet", "--column", "a"], &["none.parquet: is empty, as no file of Parquet is"]);
    for name in ["text.parquet", "text.arrow"] {
        fails(&["reduce", name, "--column", "a"], &[name, "is damaged, or is no file of"]);
    }
    fails(
        &["scan", "x.parquet", "--column", "a", "--sum-type", "u8", "-o", "y.parquet"],
        &["number 1", "does not fit u8"],
    );
}

/// A file that is damaged anywhere, or cut short, is read or is an error: it ends in no panic, and leaves no output.
#[test]
fn damage_is_an_error() {
    let f = Folder::new();
    let input = rows(700);
    let mut wrong = 0;
    for (name, file) in [
        ("x.parquet", parquet_file(&input, 300, Compression::SNAPPY)),
        ("x.arrow", arrow_file(&input, 300)),
        ("z.parquet", parquet_file(&input, 300, Compression::UNCOMPRESSED)),
    ] {
        for at in 0..60 {
            let mut bytes = file.clone();
            let place = at * bytes.len() / 60;
            match at % 3 {
                0 => bytes.truncate(place),
                1 => bytes[place] ^= 0xff,
                _ => bytes[place] = bytes[place].wrapping_add(1),
            }
            f.file(name, bytes);
            let _ = std::fs::remove_file(f.path("y.parquet"));
            let done = f.run(&["scan", name, "--column", "a", "-o", "y.parquet"]);
            match done.code {
                Some(0) => assert_eq!(of_parquet(f.read("y.parquet")).num_rows(), 700, "{name}, {at}"),
                _ => {
                    assert_eq!(done.stderr.lines().count(), 1, "{name}, {at}: {done:?}");
                    assert!(done.code == Some(2) && !f.path("y.parquet").exists(), "{name}, {at}: {done:?}");
                    wrong += 1;
                }
            }
        }
    }
    assert!(wrong > 60, "{wrong}");
}

/// Columns of the input lie in the output as they do there, whose row groups have no more rows.
#[test]
fn a_scan_copies_the_columns_of_parquet() {
    let f = Folder::new();
    let input = rows(700);
    for (group, compression) in
        [(300, Compression::SNAPPY), (700, Compression::UNCOMPRESSED), (1, Compression::LZ4_RAW)]
    {
        let file = parquet_file(&input, group, compression);
        f.file("x.parquet", file.clone());
        assert_eq!(f.prints(&["scan", "x.parquet", "--column", "x", "-o", "y.parquet"]), "");
        let written = f.read("y.parquet");
        let of = |bytes: &[u8]| {
            ArrowReaderMetadata::load(&Bytes::from(bytes.to_vec()), ArrowReaderOptions::new())
                .unwrap()
                .metadata()
                .clone()
        };
        let (from, to) = (of(&file), of(&written));
        assert_eq!(from.row_groups().len(), to.row_groups().len());
        for (from, to) in from.row_groups().iter().zip(to.row_groups()) {
            assert_eq!((from.num_rows(), to.num_columns()), (to.num_rows(), 5));
            assert!(to.column(4).dictionary_page_offset().is_none());
            for (from, to) in from.columns().iter().zip(to.columns()) {
                let bytes = |of: (u64, u64), file: &[u8]| file[of.0 as usize..][..of.1 as usize].to_vec();
                assert_eq!(bytes(from.byte_range(), &file), bytes(to.byte_range(), &written));
                assert_eq!(from.statistics(), to.statistics());
            }
        }
        let rows = of_parquet(written);
        for at in 0..4 {
            assert_eq!(rows.column(at), input.column(at));
        }
    }
}
