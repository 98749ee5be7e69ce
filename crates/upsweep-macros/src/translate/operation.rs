//! Functions that replace Rust's operators.

use syn::BinOp;

/// Kind of a binary operation, by the types of its operands. In arithmetic and comparisons both operands have one type.
/// In a shift, the type of the distance is independent of that of the value.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Arithmetic,
    Comparison,
    Shift,
}

/// Returns the name of the function in `arith` that computes `a op b`, and the kind of the operation.
pub(super) fn operation(op: &BinOp) -> Option<(&'static str, Kind)> {
    Some(match op {
        BinOp::Add(_) => ("add", Kind::Arithmetic),
        BinOp::Sub(_) => ("sub", Kind::Arithmetic),
        BinOp::Mul(_) => ("mul", Kind::Arithmetic),
        BinOp::Div(_) => ("div", Kind::Arithmetic),
        BinOp::Rem(_) => ("rem", Kind::Arithmetic),
        BinOp::BitAnd(_) => ("bit_and", Kind::Arithmetic),
        BinOp::BitOr(_) => ("bit_or", Kind::Arithmetic),
        BinOp::BitXor(_) => ("bit_xor", Kind::Arithmetic),
        BinOp::Shl(_) => ("shl", Kind::Shift),
        BinOp::Shr(_) => ("shr", Kind::Shift),
        BinOp::Eq(_) => ("eq", Kind::Comparison),
        BinOp::Ne(_) => ("ne", Kind::Comparison),
        BinOp::Lt(_) => ("lt", Kind::Comparison),
        BinOp::Le(_) => ("le", Kind::Comparison),
        BinOp::Gt(_) => ("gt", Kind::Comparison),
        BinOp::Ge(_) => ("ge", Kind::Comparison),
        _ => return None,
    })
}

/// Returns the name of the function in `arith` that computes the new value of `place op= value`.
pub(super) fn compound(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::AddAssign(_) => "add",
        BinOp::SubAssign(_) => "sub",
        BinOp::MulAssign(_) => "mul",
        BinOp::DivAssign(_) => "div",
        BinOp::RemAssign(_) => "rem",
        BinOp::BitAndAssign(_) => "bit_and",
        BinOp::BitOrAssign(_) => "bit_or",
        BinOp::BitXorAssign(_) => "bit_xor",
        BinOp::ShlAssign(_) => "shl",
        BinOp::ShrAssign(_) => "shr",
        _ => return None,
    })
}
