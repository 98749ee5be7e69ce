//! Expressions without a C++ type of their own: numbers without a suffix, and expressions made of such numbers alone.

use super::methods;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{BinOp, Block, Error, Expr, ExprIf, Lit, Stmt, UnOp};

/// Whether the expression has no C++ type of its own, so that its type follows from its surroundings only.
pub(super) fn untyped(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.suffix().is_empty(),
            Lit::Float(number) => number.suffix().is_empty(),
            _ => false,
        },
        Expr::Paren(inner) => untyped(&inner.expr),
        Expr::Group(inner) => untyped(&inner.expr),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_) | UnOp::Not(_)) && untyped(&unary.expr),
        Expr::Binary(binary) => match binary.op {
            BinOp::Shl(_) | BinOp::Shr(_) => untyped(&binary.left),
            BinOp::Add(_)
            | BinOp::Sub(_)
            | BinOp::Mul(_)
            | BinOp::Div(_)
            | BinOp::Rem(_)
            | BinOp::BitAnd(_)
            | BinOp::BitOr(_)
            | BinOp::BitXor(_) => untyped(&binary.left) && untyped(&binary.right),
            _ => false,
        },
        Expr::MethodCall(call) => methods::find(&call.method.to_string()).is_some_and(|method| {
            method.returns_same && untyped(&call.receiver) && call.args.iter().take(method.same).all(untyped)
        }),
        Expr::Tuple(tuple) => tuple.elems.iter().any(untyped),
        Expr::Array(array) => array.elems.iter().all(untyped),
        Expr::Repeat(array) => untyped(&array.expr),
        Expr::If(_) | Expr::Block(_) => {
            let mut tails = Vec::new();
            collect_tails(expression, &mut tails);
            !tails.is_empty() && tails.iter().all(|tail| untyped(tail.value))
        }
        _ => false,
    }
}

/// Last expression of a block or of a branch of an `if`: a value that the `if` or block can have.
pub(super) struct Tail<'a> {
    pub(super) value: &'a Expr,
    /// Whether no statement precedes the expression in its block, so that it reads only variables from outside the
    /// block.
    pub(super) alone: bool,
}

/// Returns the last expressions of an `if` or a block: the values that it can have.
pub(super) fn tails(expression: &Expr) -> Vec<Tail<'_>> {
    let mut tails = Vec::new();
    collect_tails(expression, &mut tails);
    tails
}

fn collect_tails<'a>(expression: &'a Expr, tails: &mut Vec<Tail<'a>>) {
    match expression {
        Expr::If(ExprIf { then_branch, else_branch, .. }) => {
            collect_block(then_branch, tails);
            if let Some((_, other)) = else_branch {
                collect_tails(other, tails);
            }
        }
        Expr::Block(block) => collect_block(&block.block, tails),
        value => tails.push(Tail { value, alone: true }),
    }
}

fn collect_block<'a>(block: &'a Block, tails: &mut Vec<Tail<'a>>) {
    if let Some(Stmt::Expr(tail, None)) = block.stmts.last() {
        let first = tails.len();
        collect_tails(tail, tails);
        if block.stmts.len() > 1 {
            tails[first..].iter_mut().for_each(|tail| tail.alone = false);
        }
    }
}

/// Error for an expression whose C++ type cannot be known.
pub(super) fn untyped_error(expression: &Expr) -> Error {
    let text = expression.to_token_stream().to_string();
    let example = match expression {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => format!("`{}u32`", number.base10_digits()),
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(number), .. }) => format!("`{}f32`", number.base10_digits()),
        _ => "`1u32`, `1.0f32`".to_owned(),
    };
    Error::new(
        expression.span(),
        format!(
            "the GPU's code needs the type of `{text}`: write it at the number, for example {example}, or at the `let`"
        ),
    )
}
