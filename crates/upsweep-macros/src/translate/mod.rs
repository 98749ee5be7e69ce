//! Translation of the body of a Rust function to two bodies that compute the same bits. In Rust for the CPU, every
//! operation is a call of a function in `upsweep::operator::arith`. In CUDA C++, it is a call of the function of the
//! same name in `upsweep-cuda/kernels/arith.cuh`.

mod expression;
mod literal;
mod methods;
mod operation;
mod path;
pub(crate) mod reject;
mod statement;
mod translator;
mod untyped;

use crate::cuda::{Cuda, cuda};
use proc_macro2::TokenStream;
use syn::{Block, Pat, Result, Type};
use translator::{Mode, Translator, Want};

/// Translates a function: its body in Rust and its definition in CUDA C++. An argument with `true` in `arrays` is an
/// array that the function holds. Its C++ type is a template parameter, because kernels may pass another type that has
/// elements.
pub(crate) fn function(
    arguments: &[(Pat, Type)],
    arrays: &[bool],
    output: &Type,
    body: &Block,
) -> Result<(TokenStream, Cuda)> {
    let mut translator = Translator::new(output);
    let mut parameters = Vec::new();
    let mut patterns = Cuda::default();
    let mut templates = Vec::new();
    for ((pattern, ty), is_array) in arguments.iter().zip(arrays) {
        let name = match pattern {
            Pat::Ident(_) => {
                let declared = translator.bind(pattern, None);
                translator.noted(declared).map(|(name, _)| name).unwrap_or_default()
            }
            _ => {
                let name = translator.name("argument");
                let declarations = translator.bind(pattern, Some(&name));
                if let Some((_, declarations)) = translator.noted(declarations) {
                    patterns.push(declarations);
                }
                name
            }
        };
        let ty = if *is_array {
            let ty = format!("Held{}", templates.len());
            templates.push(cuda!["class ", &ty]);
            ty.into()
        } else {
            Cuda::ty(ty)
        };
        parameters.push(cuda!["[[maybe_unused]] ", ty, " ", name]);
    }
    let wanted = Want::Type(Cuda::ty(output));
    let both = translator.block(body, &Mode::Value(wanted));
    if let Some(errors) = translator.errors {
        return Err(errors);
    }
    let template =
        if templates.is_empty() { Cuda::default() } else { cuda!["template <", Cuda::join(templates, ", "), "> "] };
    let definition = cuda![
        template,
        "__device__ __forceinline__ ",
        Cuda::ty(output),
        " ",
        Cuda::own_name(),
        "(",
        Cuda::join(parameters, ", "),
        ") {\n",
        patterns,
        both.cuda,
        "}"
    ];
    Ok((both.rust, definition))
}
