//! Printing to standard output and other destinations.

use crate::failure::{Failure, Result};
use crate::output::Destination;
use std::io::{self, Write};

/// Lets `print` write text to a destination.
pub(crate) fn print(destination: &Destination, print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    destination.write(|out| print(out).map_err(|e| Failure::writing(destination.name(), &e)))
}

/// Prints lines to standard output.
pub(crate) fn print_lines(lines: &[String]) -> Result<()> {
    print(&Destination::standard_output(), |out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))
}
