//! Classification of an operator's body: its single operation, if it is one, and whether it suits vector instructions.

use proc_macro2::Ident;
use syn::{BinOp, Block, Expr, Pat, Stmt, Type, UnOp};

/// Returns the variant of `upsweep::operator::Form` for a body: the operation, if the body is one operation of its two
/// arguments in their order.
pub(crate) fn of(arguments: &[(Pat, Type)], body: &Block) -> &'static str {
    let [Stmt::Expr(expr, None)] = &body.stmts[..] else { return "Other" };
    let is = |expr: &Expr, argument: usize| match (expr, arguments.get(argument)) {
        (Expr::Path(path), Some((Pat::Ident(name), _))) => path.path.is_ident(&name.ident),
        _ => false,
    };
    match expr {
        Expr::Binary(binary) if is(&binary.left, 0) && is(&binary.right, 1) => match binary.op {
            BinOp::Add(_) => "Sum",
            BinOp::Mul(_) => "Product",
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

/// Largest number of operations of an operator that is applied in vector registers. A scan in vector registers applies
/// the operator more often, so longer operators lose more time than the registers save.
const MOST: usize = 4;

/// Largest number of operations of an operator on elements of several numbers that is applied in vector registers.
const MOST_OF_SEVERAL: usize = 64;
/// Number of operations that a division counts as: more than [`MOST`], so that `suits_lanes` is false for an operator
/// that divides.
const DIVISION: usize = MOST + 1;

/// Whether the body has at most [`MOST`] operations, all of which processors have for vectors of numbers. Only speed
/// depends on the answer.
pub(crate) fn suits_lanes(body: &Block) -> bool {
    block(body).is_some_and(|operations| operations <= MOST)
}

/// Whether the body consists of vector operations on the fields of its arguments, and divisions. Only speed, and the
/// grouping of a scan's elements, depend on the answer.
pub(crate) fn suits_vectors(body: &Block) -> bool {
    block(body).is_some_and(|operations| operations <= MOST_OF_SEVERAL)
}

/// Number of operations of a block; `None` if one of them is not an operation that processors have for vectors.
fn block(block: &Block) -> Option<usize> {
    block.stmts.iter().map(statement).sum()
}

fn statement(statement: &Stmt) -> Option<usize> {
    match statement {
        Stmt::Expr(expr, _) => operations(expr),
        Stmt::Local(local) => operations(&local.init.as_ref()?.expr),
        _ => None,
    }
}

fn operations(expr: &Expr) -> Option<usize> {
    Some(match expr {
        Expr::Path(_) | Expr::Lit(_) => 0,
        Expr::Field(field) => operations(&field.base)?,
        Expr::Index(index) if matches!(*index.index, Expr::Lit(_)) => operations(&index.expr)?,
        Expr::Struct(fields) if fields.rest.is_none() => {
            fields.fields.iter().map(|field| operations(&field.expr)).sum::<Option<usize>>()?
        }
        Expr::Tuple(values) => values.elems.iter().map(operations).sum::<Option<usize>>()?,
        Expr::Array(values) => values.elems.iter().map(operations).sum::<Option<usize>>()?,
        Expr::Paren(inner) => operations(&inner.expr)?,
        Expr::Group(inner) => operations(&inner.expr)?,
        Expr::Block(inner) => block(&inner.block)?,
        Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) => 1 + operations(&unary.expr)?,
        Expr::Binary(binary) if is_vector_operation(&binary.op) => {
            let cost = if matches!(binary.op, BinOp::Div(_)) { DIVISION } else { 1 };
            cost + operations(&binary.left)? + operations(&binary.right)?
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
    use BinOp::{Add, BitAnd, BitOr, BitXor, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Sub};
    matches!(
        op,
        Add(_)
            | Sub(_)
            | Mul(_)
            | Div(_)
            | BitAnd(_)
            | BitOr(_)
            | BitXor(_)
            | Eq(_)
            | Ne(_)
            | Lt(_)
            | Le(_)
            | Gt(_)
            | Ge(_)
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
    use super::{of, suits_lanes, suits_vectors};
    use syn::{Pat, Type, parse_quote};

    #[test]
    fn one_operation_of_the_arguments_in_their_order_is_a_form() {
        let ty: Type = parse_quote!(u8);
        let (a, b): (Pat, Pat) = (parse_quote!(a), parse_quote!(b));
        let arguments = [(a, ty.clone()), (b, ty)];
        for (body, expected) in [
            ("{ a + b }", "Sum"),
            ("{ a * b }", "Product"),
            ("{ a & b }", "And"),
            ("{ a | b }", "Or"),
            ("{ a ^ b }", "Xor"),
            ("{ a.minimum(b) }", "Minimum"),
            ("{ a.maximum(b) }", "Maximum"),
            ("{ b + a }", "Other"),
            ("{ b * a }", "Other"),
            ("{ a * a }", "Other"),
            ("{ a + a }", "Other"),
            ("{ a - b }", "Other"),
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
        ] {
            let block = syn::parse_str(body).unwrap();
            assert_eq!(suits_lanes(&block), expected, "{body}");
        }
    }

    #[test]
    fn vector_operations_of_fields_suit() {
        for (body, expected) in [
            ("{ Pair { m: g.m * f.m, c: g.m * f.c + g.c } }", true),
            ("{ let (n, d) = (a.n + b.n, b.mean - a.mean); Mean { n, mean: a.mean + d * b.n / n } }", true),
            ("{ Pair(a.0 + b.0, a.1) }", false),
            ("{ [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]] }", true),
            ("{ (a.0.maximum(b.0), if a.1 < b.1 { a.1 } else { b.1 }) }", true),
            ("{ Pair { m: a.m % b.m, c: b.c } }", false),
            ("{ Pair { m: gcd(a.m, b.m), c: b.c } }", false),
            ("{ Pair { m: b.m, ..a } }", false),
            ("{ [a[b[0]], b[1]] }", false),
        ] {
            let block = syn::parse_str(body).unwrap();
            assert_eq!(suits_vectors(&block), expected, "{body}");
        }
    }
}
