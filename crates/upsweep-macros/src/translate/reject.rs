//! Errors for expressions that cannot be translated, and for types that no element has.

use syn::spanned::Spanned;
use syn::{Error, Expr, Result, Type, UnOp};

/// Error for `expression`, which is of a kind that the body of an operator or function cannot contain.
pub(super) fn error(expression: &Expr) -> Error {
    let (span, message) = match expression {
        Expr::While(e) => {
            (e.while_token.span(), "an operator's loops have bounds: write `for i in 0..n { if condition { .. } }`")
        }
        Expr::Loop(e) => {
            (e.loop_token.span(), "an operator's loops have bounds: write `for i in 0..n { if condition { .. } }`")
        }
        Expr::Break(e) => (
            e.break_token.span(),
            "an operator's loops run to their bound: keep a `let mut done = false;` and test it with if, or `return`",
        ),
        Expr::Continue(e) => {
            (e.continue_token.span(), "put the rest of the loop's body into an if instead of `continue`")
        }
        Expr::Match(e) => (e.match_token.span(), "write `if` and `else if` instead of `match`"),
        Expr::Let(e) => (e.let_token.span(), "write `if` with a comparison instead of `if let`"),
        Expr::Closure(e) => (
            e.inputs_begin.span(),
            "an operator's body cannot contain a closure: write a function with #[function] and call it",
        ),
        Expr::Reference(e) => {
            (e.and_token.span(), "an operator's body has no references: elements are Copy, use the value itself")
        }
        Expr::RawAddr(e) => (e.and_token.span(), "an operator's body has no pointers: use the value itself"),
        Expr::Unary(e) if matches!(e.op, UnOp::Deref(_)) => {
            (e.op.span(), "an operator's body has no references: leave the `*` out and take the value")
        }
        Expr::Macro(e) => (
            e.mac.path.span(),
            "an operator's body cannot call a macro: write the arithmetic out (an operator cannot panic or print)",
        ),
        Expr::Unsafe(e) => (
            e.unsafe_token.span(),
            "an operator's body cannot contain `unsafe`: nothing in it needs that (`f32::from_bits` and `a[i]` are safe)",
        ),
        Expr::Try(e) => {
            (e.question_token.span(), "an operator cannot fail: return a value that says so, for example NaN")
        }
        Expr::Await(e) => (e.await_token.span(), "an operator's body cannot wait"),
        Expr::Async(e) => (e.async_token.span(), "an operator's body cannot wait"),
        Expr::Const(e) => (e.const_token.span(), "move the constant out of the function: `const NAME: T = ..;`"),
        Expr::Range(e) => (e.limits.span(), "a range can stand only in a loop: `for i in 0..n`"),
        Expr::Lit(e) => (e.lit.span(), "an operator's body has numbers, `true` and `false` only"),
        Expr::Assign(e) => (e.eq_token.span(), "write the assignment as a statement of its own"),
        Expr::ForLoop(e) => (e.for_token.span(), "a loop has no value: write it as a statement of its own"),
        Expr::Return(e) => (e.return_token.span(), "write `return` as a statement of its own"),
        other => {
            (other.span(), "an operator's body cannot contain this; the documentation of #[function] lists what it can")
        }
    };
    Error::new(span, message)
}

/// Returns an error for a type that cannot be the type of an element or of a value in a body.
pub(crate) fn check_type(ty: &Type) -> Result<()> {
    let message = match ty {
        Type::Reference(_) => "a reference cannot go to the GPU: take and return values; elements are Copy",
        Type::Ptr(_) => "a pointer cannot go to the GPU: take and return values",
        Type::Slice(_) => "a slice has no fixed size: write an array `[T; N]`",
        Type::ImplTrait(_) => "name the type: write a type parameter `<T: ..>`",
        Type::TraitObject(_) | Type::FnPtr(_) => {
            "only plain values can go to the GPU: integers, floats, bool, tuples, arrays and structs with #[derive(Element)]"
        }
        Type::Infer(_) => "write the type: the GPU's code needs it",
        Type::Tuple(tuple) => return tuple.elems.iter().try_for_each(check_type),
        Type::Array(array) => return check_type(&array.elem),
        Type::Paren(paren) => return check_type(&paren.elem),
        Type::Group(group) => return check_type(&group.elem),
        _ => return Ok(()),
    };
    Err(Error::new(ty.span(), message))
}
