//! Options of sums and products: their type.

use super::reading::types;
use clap::Args;
use upsweep_dynamic::Type;

/// The type of sums and products, and whether they may wrap around.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Summing {
    /// The type of sums and products: those of integers are exact or an error, and integers that are to become floats are
    /// rounded [default: i64 for signed integers and bool, whose sums are counts, u64 for unsigned ones; of floats their own]
    #[arg(long, value_name = "T", value_parser = types())]
    pub(crate) sum_type: Option<Type>,
    /// Let sums and products of integers that do not fit their type wrap around
    #[arg(long)]
    pub(crate) wrap: bool,
}
