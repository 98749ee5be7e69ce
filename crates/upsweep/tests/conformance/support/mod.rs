//! What every case uses: backends under test, random values, the oracle, and the comparison of the two.

pub(crate) mod backends;
pub(crate) mod check;
pub(crate) mod cuts;
pub(crate) mod operators;
pub(crate) mod oracle;
pub(crate) mod place;
pub(crate) mod random;
pub(crate) mod sample;
pub(crate) mod sizes;

pub(crate) use backends::on_each_backend;
