//! Analysis of the source files' dependencies, from their tokens, without a compiler.
//!
//! | file | what |
//! |---|---|
//! | `lexer` | tokens of a file |
//! | `items` | declarations and imports of a file |
//! | `crates` | modules of a crate, and resolution of paths in them |
//! | `arrows` | dependencies between files |

pub(crate) mod arrows;
mod crates;
mod items;
mod lexer;
