//! Command `upsweep text`: tokens, lines that match, the first difference.

use super::{compare, grep, lex};
use crate::args::apps::Text;
use crate::failure::Result;

pub(crate) fn run(text: &Text) -> Result<()> {
    match text {
        Text::Lex(args) => lex::run(args),
        Text::Grep(args) => grep::run(args),
        Text::Compare(args) => compare::run(args),
    }
}
