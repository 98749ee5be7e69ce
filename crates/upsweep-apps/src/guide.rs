//! Rust programs of the guide and of the README as doctests: one item for each page that has some. A test of the
//! command line checks that none is missing.

#[doc = include_str!("../../../README.md")]
mod readme {}

macro_rules! chapters {
    ($($name:ident $path:literal)*) => {
        $(#[doc = include_str!(concat!("../../../docs/guide/src/", $path))] mod $name {})*
    };
}

chapters! {
    rust "rust.md"
    options "rust/options.md"
    counts "rust/counts.md"
    more "rust/more.md"
    programs "rust/programs.md"
    applications "rust/applications.md"
    operators "operators.md"
    floats "floats.md"
    sql "tasks/sql.md"
    numpy "tasks/numpy.md"
    thrust "tasks/thrust.md"
    polars "tasks/polars.md"
}
