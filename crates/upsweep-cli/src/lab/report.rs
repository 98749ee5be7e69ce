//! Failures and output of the laboratory's commands.

use crate::failure::{Failure, Result};
use crate::output::Destination;
use upsweep_lab::algorithm::{Algorithm, Error};

/// Converts an error of the laboratory into a failure with the name of the algorithm.
pub(super) fn refused(algorithm: &Algorithm, error: &Error) -> Failure {
    match error {
        Error::Fault(fault) => Failure::Input(format!("{}: {fault}", algorithm.name)),
        _ => Failure::Input(error.to_string()),
    }
}

/// Writes `text` as the whole result to a destination.
pub(super) fn write(to: &Destination, text: &str) -> Result<()> {
    to.write(|out| out.write_all(text.as_bytes()).map_err(|e| Failure::writing(to.name(), &e)))
}

/// Whether one of `outputs` is standard output, so that nothing else may be written there.
pub(super) fn takes_standard_output(outputs: &[Option<Destination>]) -> bool {
    outputs.iter().flatten().any(Destination::is_standard_output)
}
