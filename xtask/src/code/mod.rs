//! What the source files say of each other: read from their tokens, without a compiler.
//!
//! | file | what |
//! |---|---|
//! | `lexer` | the tokens of a file |
//! | `items` | what a file declares and imports |
//! | `crates` | the modules of a crate, and what a path in one of them names |
//! | `arrows` | which file needs which |

pub(crate) mod arrows;
mod crates;
mod items;
mod lexer;
