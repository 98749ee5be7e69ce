//! What an operator's body shows of it: which single operation it is, and whether it suits vector instructions.

use proc_macro2::Ident;
use syn::{BinOp, Block, Expr, Pat, Stmt, Type, UnOp};

/// The variant of `upsweep::operator::Form` for a body: the operation, if the body is one operation of its two arguments in
/// their order.
pub(crate) fn of(arguments: &[(Pat, Type)], body: &Block) -> &'static str {
    let [Stmt::Expr(expr, None)] = &body.stmts[..] else { return "Other" };
    let is = |expr: &Expr, argument: usize| match (expr, arguments.get(argument)) {
        (Expr::Path(path), Some((Pat::Ident(name), _))) => path.path.is_ident(&name.ident),
        _ => false,
    };
    match expr {
        Expr::Binary(binary) if is(&binary.left, 0) && is(&binary.right, 1) => match binary.op {
            BinOp::Add(_) => "Sum",
            BinOp::BitAnd(_) => "And",
            BinOp::BitOr(_) => "Or",
            BinOp::BitXor(_) => "Xor",
            _ => "Other",
        },
        Expr::MethodCall(call) if is(&call.receiver, 0) && call.args.first().is_some_and(|second| is(second, 1)) => {
            method(&call.method)
        }
        _ => "Other",
    }
}

fn method(name: &Ident) -> &'static str {
    if name == "minimum" {
        "Minimum"
    } else if name == "maximum" {
        "Maximum"
    } else {
        "Other"
    }
}

/// The most operations of an operator that is applied in vector registers. A scan there applies it more often, so longer
/// operators lose more time than the registers save.
const MOST: usize = 4;

/// Whether the body consists of at most [`MOST`] operations that processors have for vectors of numbers. Only speed depends
/// on the answer.
pub(crate) fn suits_lanes(body: &Block) -> bool {
    block(body).is_some_and(|operations| operations <= MOST)
}

/// The operations of a block; `None` if one is not for vectors.
fn block(block: &Block) -> Option<usize> {
    block.stmts.iter().map(statement).sum()
}

fn statement(statement: &Stmt) -> Option<usize> {
    match statement {
        Stmt::Expr(expr, _) => operations(expr),
        Stmt::Local(local) if matches!(local.pat, Pat::Ident(_)) => operations(&local.init.as_ref()?.expr),
        _ => None,
    }
}

fn operations(expr: &Expr) -> Option<usize> {
    Some(match expr {
        Expr::Path(_) | Expr::Lit(_) => 0,
        Expr::Paren(inner) => operations(&inner.expr)?,
        Expr::Group(inner) => operations(&inner.expr)?,
        Expr::Block(inner) => block(&inner.block)?,
        Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) => 1 + operations(&unary.expr)?,
        Expr::Binary(binary) if is_vector_operation(&binary.op) => {
            1 + operations(&binary.left)? + operations(&binary.right)?
        }
        Expr::If(branch) => {
            let (_, otherwise) = branch.else_branch.as_ref()?;
            1 + operations(&branch.cond)? + block(&branch.then_branch)? + operations(otherwise)?
        }
        Expr::MethodCall(call) if is_vector_method(&call.method.to_string()) => {
            1 + operations(&call.receiver)? + call.args.iter().map(operations).sum::<Option<usize>>()?
        }
        _ => return None,
    })
}

fn is_vector_operation(op: &BinOp) -> bool {
    use BinOp::{Add, BitAnd, BitOr, BitXor, Eq, Ge, Gt, Le, Lt, Mul, Ne, Sub};
    matches!(
        op,
        Add(_) | Sub(_) | Mul(_) | BitAnd(_) | BitOr(_) | BitXor(_) | Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_)
    )
}

fn is_vector_method(name: &str) -> bool {
    matches!(
        name,
        "min"
            | "max"
            | "minimum"
            | "maximum"
            | "abs"
            | "wrapping_add"
            | "wrapping_sub"
            | "wrapping_mul"
            | "wrapping_abs"
            | "wrapping_neg"
            | "saturating_add"
            | "saturating_sub"
    )
}

#[cfg(test)]
mod tests {
    use super::{of, suits_lanes};
    use syn::{Pat, Type, parse_quote};

    #[test]
    fn one_operation_of_the_arguments_in_their_order_is_a_form() {
        let ty: Type = parse_quote!(u8);
        let (a, b): (Pat, Pat) = (parse_quote!(a), parse_quote!(b));
        let arguments = [(a, ty.clone()), (b, ty)];
        for (body, expected) in [
            ("{ a + b }", "Sum"),
            ("{ a & b }", "And"),
            ("{ a | b }", "Or"),
            ("{ a ^ b }", "Xor"),
            ("{ a.minimum(b) }", "Minimum"),
            ("{ a.maximum(b) }", "Maximum"),
            ("{ b + a }", "Other"),
            ("{ a + a }", "Other"),
            ("{ a - b }", "Other"),
            ("{ a * b }", "Other"),
            ("{ a.max(b) }", "Other"),
            ("{ b.maximum(a) }", "Other"),
            ("{ a + b + a }", "Other"),
            ("{ let a = b; a + b }", "Other"),
            ("{ a + b; }", "Other"),
        ] {
            assert_eq!(of(&arguments, &syn::parse_str(body).unwrap()), expected, "{body}");
        }
    }

    #[test]
    fn few_vector_operations_suit() {
        for (body, expected) in [
            ("{ a + b }", true),
            ("{ a }", true),
            ("{ a.maximum(b) }", true),
            ("{ if a > b { a } else { b } }", true),
            ("{ let x = a & b; x | !a }", true),
            ("{ (a * b + a) * b - a }", true),
            ("{ ((a * b + a) * b - a) * b }", false),
            ("{ a / b }", false),
            ("{ a % 7 }", false),
            ("{ gcd(a, b) }", false),
            ("{ a.pow(2) * b }", false),
            ("{ if a > b { return a; } b }", false),
            ("{ let mut x = a; for _ in 0..4 { x = x + b; } x }", false),
            ("{ Pair { m: a.m, c: b.c } }", false),
        ] {
            let block = syn::parse_str(body).unwrap();
            assert_eq!(suits_lanes(&block), expected, "{body}");
        }
    }
}
