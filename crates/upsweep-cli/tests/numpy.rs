//! Comparison of the program with NumPy and SQLite, by these scripts beside this file: numpy_reference.py,
//! numpy_histograms.py, numpy_conditions.py, numpy_selections.py, numpy_sorts.py; numpy_signals.py with SciPy, and
//! numpy_pictures.py with OpenCV and scikit-image; numpy_tables.py with pandas, DuckDB and polars; and numpy_files.py on files of
//! every format.
//!
//! `cargo test -p upsweep-cli --test numpy -- --ignored`, with `UPSWEEP_TEST_DEVICE` (default `cpu`) naming the device
//! and `UPSWEEP_TEST_PYTHON` (default `python3`) a Python that has NumPy.

#![allow(clippy::expect_used, reason = "tests")]

use std::process::Command;

fn variable(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

fn compare(script: &str) {
    let output = Command::new(variable("UPSWEEP_TEST_PYTHON", "python3"))
        .arg(format!("{}/tests/{script}", env!("CARGO_MANIFEST_DIR")))
        .arg(env!("CARGO_BIN_EXE_upsweep"))
        .arg(variable("UPSWEEP_TEST_DEVICE", "cpu"))
        .output()
        .expect("python3 starts");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
#[ignore = "needs python3 with numpy"]
fn as_numpy_does() {
    compare("numpy_reference.py");
}

#[test]
#[ignore = "needs python3 with numpy"]
fn histograms_as_numpy_does() {
    compare("numpy_histograms.py");
}

#[test]
#[ignore = "needs python3 with numpy"]
fn conditions_as_numpy_and_sqlite_do() {
    compare("numpy_conditions.py");
}

#[test]
#[ignore = "needs python3 with numpy"]
fn selections_as_numpy_and_sqlite_do() {
    compare("numpy_selections.py");
}

#[test]
#[ignore = "needs python3 with numpy"]
fn sorts_as_numpy_does() {
    compare("numpy_sorts.py");
}

#[test]
#[ignore = "needs python3 with numpy and scipy"]
fn signals_as_scipy_does() {
    compare("numpy_signals.py");
}

#[test]
#[ignore = "needs python3 with numpy, scipy, opencv and scikit-image"]
fn pictures_as_opencv_and_scikit_image_do() {
    compare("numpy_pictures.py");
}

#[test]
#[ignore = "needs python3 with numpy, pandas, duckdb and polars"]
fn tables_as_pandas_duckdb_and_polars_do() {
    compare("numpy_tables.py");
}

#[test]
#[ignore = "needs python3 with numpy, scipy and scikit-image"]
fn files_of_every_format() {
    compare("numpy_files.py");
}
