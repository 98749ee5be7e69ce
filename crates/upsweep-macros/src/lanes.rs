//! Which operators are a few vector instructions, when their elements are numbers.

use syn::{BinOp, Block, Expr, Pat, Stmt, UnOp};

/// The most operations of such an operator: more take longer than what lanes save.
const MOST: usize = 4;

/// Whether the body consists of so few operations that processors have for vectors. A wrong answer costs time alone.
pub(crate) fn suit(body: &Block) -> bool {
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
    use super::suit;

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
            assert_eq!(suit(&block), expected, "{body}");
        }
    }
}
