//! Text and other sequences: comparison, tokens, lines that match, brackets.

mod brackets;
pub mod compare;
mod grammars;
mod grep;
pub mod lexer;
mod rules;

pub use brackets::{Brackets, match_brackets};
pub use compare::Compare;
pub use grammars::{GRAMMARS, Grammar};
pub use grep::{Grep, Lines};
pub use lexer::{Lexer, Tokens};

use crate::error::Result;
use crate::part::Part;
use upsweep::prelude::*;
use upsweep::{Array, Input};

#[function]
fn is_newline(byte: u8) -> bool {
    byte == 10
}

/// Positions of the line ends. On CUDA this waits for their number.
///
/// # Errors
/// [`Place`](upsweep::Error::Place), [`OutOfMemory`](upsweep::Error::OutOfMemory); CUDA's own.
pub fn newlines<B: Input<Item = u8> + ?Sized>(device: &Device, text: &B) -> Result<Array<u64>> {
    Ok(Select::new(IsNewline).indices().run_to_array(device, &Part::all(text))?)
}
