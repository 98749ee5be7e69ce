//! Translation of expressions.

use super::literal::literal;
use super::operation::{Kind, compound, operation};
use super::reject::check_type;
use super::translator::{Both, Mode, Translator, Want};
use super::untyped::{tails, untyped, untyped_error};
use super::{methods, reject};
use crate::cuda::{Cuda, cuda, field};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    BinOp, Error, Expr, ExprArray, ExprBinary, ExprIndex, ExprMethodCall, ExprRepeat, ExprStruct, ExprTuple, ExprUnary,
};
use syn::{Lit, Result, UnOp};

impl Translator {
    pub(super) fn expression(&mut self, expression: &Expr, want: &Want) -> Result<Both> {
        match expression {
            Expr::Lit(number) => literal(&number.lit, false, false, want, expression),
            Expr::Path(path) => self.path(path),
            Expr::Paren(inner) => {
                let both = self.expression(&inner.expr, want)?;
                let rust = both.rust;
                Ok(Both {
                    rust: quote_spanned!(inner.paren_token.span.join()=> (#rust)),
                    cuda: cuda!["(", both.cuda, ")"],
                })
            }
            Expr::Group(inner) => self.expression(&inner.expr, want),
            Expr::Unary(unary) => self.unary(unary, want, expression),
            Expr::Binary(binary) => self.binary(binary, want, expression),
            Expr::Cast(cast) => {
                check_type(&cast.ty)?;
                let value = self.expression(&cast.expr, &Want::Convert)?;
                let (ty, value_rust) = (&cast.ty, value.rust);
                Ok(Both {
                    rust: quote_spanned!(cast.as_token.span=> ::upsweep::operator::arith::cast::<_, #ty>(#value_rust)),
                    cuda: cuda!["cast<", Cuda::ty(ty), ">(", value.cuda, ")"],
                })
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call, want),
            Expr::Field(access) => {
                let base = self.expression(&access.base, &Want::Unknown)?;
                let (rust, member) = (base.rust, &access.member);
                Ok(Both {
                    rust: quote_spanned!(access.dot_token.span=> #rust.#member),
                    cuda: cuda![base.cuda, ".", field(member)],
                })
            }
            Expr::Index(index) => {
                let array = self.expression(&index.expr, &Want::Unknown)?;
                self.index(index, array, false)
            }
            Expr::Struct(literal) => self.structure(literal),
            Expr::Tuple(tuple) => self.tuple(tuple, want, expression),
            Expr::Array(array) => self.array(array, want, expression),
            Expr::Repeat(array) => self.repeat(array, want),
            Expr::If(branches) => {
                if branches.else_branch.is_none() {
                    return Err(Error::new(
                        branches.if_token.span,
                        "an `if` that is part of an expression needs an `else`",
                    ));
                }
                self.value_block(expression, want)
            }
            Expr::Block(block) if block.label.is_none() => self.value_block(expression, want),
            other => Err(reject::error(other)),
        }
    }

    /// Translates the left side of an assignment: a variable, or a field or array element of one.
    pub(super) fn place(&mut self, place: &Expr) -> Result<Both> {
        match place {
            Expr::Path(path) => {
                let local = path.path.get_ident().and_then(|name| self.local(name));
                let Some(local) = local else {
                    return Err(Error::new(path.span(), "only variables of this function can be assigned to"));
                };
                if local.depth != self.depth {
                    let message = "an `if` or block that is part of an expression cannot assign to a variable from outside \
                                   it: use `if` as a statement";
                    return Err(Error::new(path.span(), message));
                }
                Ok(Both { rust: path.to_token_stream(), cuda: (&local.cuda).into() })
            }
            Expr::Field(access) => {
                let base = self.place(&access.base)?;
                let (rust, member) = (base.rust, &access.member);
                Ok(Both { rust: quote!(#rust.#member), cuda: cuda![base.cuda, ".", field(member)] })
            }
            Expr::Index(index) => {
                let array = self.place(&index.expr)?;
                self.index(index, array, true)
            }
            Expr::Paren(inner) => self.place(&inner.expr),
            Expr::Group(inner) => self.place(&inner.expr),
            Expr::Tuple(_) | Expr::Array(_) | Expr::Struct(_) | Expr::Infer(_) => {
                Err(Error::new(place.span(), "assign to one variable at a time, or write `let (a, b) = ..`"))
            }
            other => Err(Error::new(
                other.span(),
                "only variables, their fields and their array elements can be assigned to",
            )),
        }
    }

    fn index(&mut self, index: &ExprIndex, array: Both, mutable: bool) -> Result<Both> {
        let position = self.expression(&index.index, &Want::Type(Cuda::ty(quote!(usize))))?;
        let (rust, i) = (array.rust, position.rust);
        let span = index.bracket_token.span.join();
        let constant = matches!(&*index.index, Expr::Lit(_));
        let rust = match (constant, mutable) {
            (true, false) => quote_spanned!(span=> (*::upsweep::operator::arith::at_const::<#i, _, _>(&#rust))),
            (true, true) => quote_spanned!(span=> (*::upsweep::operator::arith::at_const_mut::<#i, _, _>(&mut #rust))),
            (false, false) => quote_spanned!(span=> (*::upsweep::operator::arith::at(#i, &#rust))),
            (false, true) => quote_spanned!(span=> (*::upsweep::operator::arith::at_mut(#i, &mut #rust))),
        };
        Ok(Both { rust, cuda: cuda!["arith::at(", position.cuda, ", ", array.cuda, ")"] })
    }

    fn unary(&mut self, unary: &ExprUnary, want: &Want, whole: &Expr) -> Result<Both> {
        let function = match unary.op {
            UnOp::Neg(_) => "neg",
            UnOp::Not(_) => "bit_not",
            _ => return Err(reject::error(whole)),
        };
        if let Expr::Lit(number) = &*unary.expr
            && !matches!(number.lit, Lit::Bool(_))
        {
            let negative = function == "neg";
            let both = literal(&number.lit, negative, !negative, want, whole)?;
            return Ok(Both { rust: unary.to_token_stream(), cuda: both.cuda });
        }
        if untyped(&unary.expr) && want.ty().is_none() {
            return Err(untyped_error(whole));
        }
        let value = self.expression(&unary.expr, want)?;
        let (rust, span) = (value.rust, unary.op.span());
        let name = Ident::new(function, span);
        Ok(Both {
            rust: quote_spanned!(span=> ::upsweep::operator::arith::#name(#rust)),
            cuda: cuda!["arith::", function, "(", value.cuda, ")"],
        })
    }

    fn binary(&mut self, binary: &ExprBinary, want: &Want, whole: &Expr) -> Result<Both> {
        let span = binary.op.span();
        if let BinOp::And(_) | BinOp::Or(_) = binary.op {
            let (left, right) =
                (self.expression(&binary.left, &Want::Unknown)?, self.expression(&binary.right, &Want::Unknown)?);
            let (op, l, r) = (&binary.op, left.rust, right.rust);
            let cuda_op = if matches!(binary.op, BinOp::And(_)) { " && " } else { " || " };
            return Ok(Both {
                rust: quote_spanned!(span=> (#l #op #r)),
                cuda: cuda!["(", left.cuda, cuda_op, right.cuda, ")"],
            });
        }
        let Some((function, kind)) = operation(&binary.op) else {
            return Err(match compound(&binary.op) {
                Some(_) => Error::new(span, "write the assignment as a statement of its own"),
                None => reject::error(whole),
            });
        };
        let (left_untyped, right_untyped) = (untyped(&binary.left), untyped(&binary.right));
        let (left_want, right_want) = match kind {
            Kind::Shift => (if left_untyped { typed(want, whole)? } else { Want::Unknown }, Want::Convert),
            Kind::Arithmetic if left_untyped && right_untyped => (typed(want, whole)?, want.clone()),
            Kind::Comparison if left_untyped && right_untyped => return Err(untyped_error(&binary.left)),
            _ => (Want::Convert, Want::Convert),
        };
        let shift = matches!(kind, Kind::Shift);
        let (left, right) = if !shift && left_untyped && !right_untyped {
            let right = self.expression(&binary.right, &right_want)?;
            (self.like(&binary.left, &right)?, right)
        } else {
            let left = self.expression(&binary.left, &left_want)?;
            let like = !shift && right_untyped && !left_untyped;
            let right =
                if like { self.like(&binary.right, &left)? } else { self.expression(&binary.right, &right_want)? };
            (left, right)
        };
        let (l, r) = (left.rust, right.rust);
        let name = Ident::new(function, span);
        Ok(Both {
            rust: quote_spanned!(span=> ::upsweep::operator::arith::#name(#l, #r)),
            cuda: cuda!["arith::", function, "(", left.cuda, ", ", right.cuda, ")"],
        })
    }

    /// Translates an expression without a type of its own, such as `1 << 3`, to the type of `other`. A number alone
    /// keeps no type: C++ converts it by itself.
    fn like(&mut self, expression: &Expr, other: &Both) -> Result<Both> {
        let mut value = expression;
        while let Expr::Paren(syn::ExprParen { expr, .. }) | Expr::Unary(ExprUnary { expr, .. }) = value {
            value = expr;
        }
        let want = match value {
            Expr::Lit(_) => Want::Convert,
            _ => Want::Type(cuda!["bare_t<decltype(", &other.cuda, ")>"]),
        };
        self.expression(expression, &want)
    }

    fn method(&mut self, call: &ExprMethodCall, want: &Want) -> Result<Both> {
        let name = call.method.to_string();
        let span = call.method.span();
        let Some(method) = methods::find(&name) else {
            return Err(Error::new(span, methods::advice(&name)));
        };
        if let Some(generics) = &call.turbofish {
            return Err(Error::new(generics.span(), "the methods of numbers have no type parameters"));
        }
        let count = method.same + usize::from(method.count);
        if call.args.len() != count {
            return Err(Error::new(span, format!("`{name}` takes {} in the parentheses", methods::values(count))));
        }
        let same: Vec<&Expr> = std::iter::once(&*call.receiver).chain(call.args.iter().take(method.same)).collect();
        let inner = if same.iter().all(|value| untyped(value)) {
            if !method.returns_same {
                return Err(untyped_error(&call.receiver));
            }
            typed(want, &call.receiver)?
        } else {
            Want::Convert
        };
        let mut rust = Vec::new();
        let mut cuda = Vec::new();
        for (i, value) in std::iter::once(&*call.receiver).chain(&call.args).enumerate() {
            let both = self.expression(value, if i < same.len() { &inner } else { &Want::Convert })?;
            rust.push(both.rust);
            cuda.push(both.cuda);
        }
        let function = Ident::new(&name, span);
        Ok(Both {
            rust: quote_spanned!(span=> ::upsweep::operator::arith::#function(#(#rust),*)),
            cuda: cuda![methods::cuda_name(&call.method), "(", Cuda::join(cuda, ", "), ")"],
        })
    }

    fn structure(&mut self, literal: &ExprStruct) -> Result<Both> {
        let ty = self.structure_type(literal);
        let result = self.name("result");
        let mut fields_rust = Vec::new();
        let mut assignments = Cuda::default();
        for value in &literal.fields {
            let place = format!("{result}.{}", field(&value.member));
            let wanted = Want::Type(format!("bare_t<decltype({place})>").into());
            let both = self.expression(&value.expr, &wanted)?;
            let (member, rust) = (&value.member, both.rust);
            fields_rust.push(quote!(#member: #rust));
            assignments.push(cuda![place, " = ", both.cuda, "; "]);
        }
        let (rest, base) = match &literal.rest {
            Some(rest) => {
                let both = self.expression(rest, &Want::Unknown)?;
                let rust = both.rust;
                (quote!(..#rust), cuda![" = ", both.cuda])
            }
            None => {
                if let Some(dots) = &literal.dot2_token {
                    return Err(Error::new(dots.span(), "write the value that the other fields come from: `..base`"));
                }
                (TokenStream::new(), Cuda::default())
            }
        };
        let path = &literal.path;
        Ok(Both {
            rust: quote_spanned!(literal.brace_token.span.join()=> #path { #(#fields_rust,)* #rest }),
            cuda: cuda!["[&] { ", ty, " ", &result, base, "; ", assignments, "return ", &result, "; }()"],
        })
    }

    /// Type of a struct literal: the type that it names. If that is generic and the parameters are left out, they come
    /// from the type at the `let`, or from the function's output.
    fn structure_type(&self, literal: &ExprStruct) -> Cuda {
        if let Some(last) = literal.path.segments.last()
            && last.arguments.is_empty()
        {
            for known in self.annotation.iter().chain([&self.output]) {
                if let syn::Type::Path(known) = known
                    && known
                        .path
                        .segments
                        .last()
                        .is_some_and(|known| known.ident == last.ident && !known.arguments.is_empty())
                {
                    return Cuda::ty(known);
                }
            }
        }
        Cuda::ty(&literal.path)
    }

    fn tuple(&mut self, tuple: &ExprTuple, want: &Want, whole: &Expr) -> Result<Both> {
        if !(2..=8).contains(&tuple.elems.len()) {
            return Err(Error::new(whole.span(), "a tuple in an operator has two to eight parts"));
        }
        let Some(ty) = want.ty() else {
            let parts =
                tuple.elems.iter().map(|part| self.expression(part, &Want::Unknown)).collect::<Result<Vec<_>>>()?;
            let (rust, cuda): (Vec<_>, Vec<_>) = parts.into_iter().map(|part| (part.rust, part.cuda)).unzip();
            return Ok(Both {
                rust: quote_spanned!(whole.span()=> (#(#rust),*)),
                cuda: cuda!["arith::tuple_of(", Cuda::join(cuda, ", "), ")"],
            });
        };
        let result = self.name("result");
        let places: Vec<String> = (0..tuple.elems.len()).map(|i| format!("{result}.f{i}")).collect();
        let (rust, assignments) = self.parts(tuple.elems.iter(), &places)?;
        Ok(Both {
            rust: quote_spanned!(whole.span()=> (#(#rust),*)),
            cuda: cuda!["[&] { ", ty, " ", &result, "; ", assignments, "return ", &result, "; }()"],
        })
    }

    /// Translates each of `values`, and assigns it to the C++ variable or member at the same index of `places`.
    fn parts<'a>(
        &mut self,
        values: impl Iterator<Item = &'a Expr>,
        places: &[String],
    ) -> Result<(Vec<TokenStream>, Cuda)> {
        let mut rust = Vec::new();
        let mut assignments = Cuda::default();
        for (value, place) in values.zip(places) {
            let both = self.expression(value, &Want::Type(format!("bare_t<decltype({place})>").into()))?;
            rust.push(both.rust);
            assignments.push(cuda![place, " = ", both.cuda, "; "]);
        }
        Ok((rust, assignments))
    }

    fn array(&mut self, array: &ExprArray, want: &Want, whole: &Expr) -> Result<Both> {
        let span = whole.span();
        if array.elems.is_empty() {
            return Err(Error::new(span, "an array in an operator has at least one element"));
        }
        if let Some(ty) = want.ty() {
            let result = self.name("result");
            let places: Vec<String> = (0..array.elems.len()).map(|i| format!("{result}.at[{i}]")).collect();
            let (rust, assignments) = self.parts(array.elems.iter(), &places)?;
            return Ok(Both {
                rust: quote_spanned!(span=> [#(#rust),*]),
                cuda: cuda!["[&] { ", ty, " ", &result, "; ", assignments, "return ", &result, "; }()"],
            });
        }
        let Some(first) = array.elems.iter().position(|element| !untyped(element)) else {
            return Err(untyped_error(&array.elems[0]));
        };
        let (mut rust, mut cuda) = (Vec::new(), Vec::new());
        for element in &array.elems {
            let both = self.expression(element, &Want::Convert)?;
            rust.push(both.rust);
            cuda.push(both.cuda);
        }
        let ty = cuda!["bare_t<decltype(", &cuda[first], ")>"];
        Ok(Both {
            rust: quote_spanned!(span=> [#(#rust),*]),
            cuda: cuda!["arith::array_of<", ty, ">(", Cuda::join(cuda, ", "), ")"],
        })
    }

    fn repeat(&mut self, array: &ExprRepeat, want: &Want) -> Result<Both> {
        let element = match want.ty() {
            Some(ty) => Want::Type(cuda!["bare_t<decltype(", ty, "::at[0])>"]),
            None => Want::Unknown,
        };
        let value = self.expression(&array.expr, &element)?;
        let (rust, len) = (value.rust, &array.len);
        Ok(Both {
            rust: quote_spanned!(array.bracket_token.span.join()=> [#rust; #len]),
            cuda: cuda!["arith::repeat<", Cuda::count(len), ">(", value.cuda, ")"],
        })
    }

    /// Translates an `if` or a block as part of an expression: a C++ lambda that is called at once.
    fn value_block(&mut self, expression: &Expr, want: &Want) -> Result<Both> {
        let mut want = want.clone();
        if want.ty().is_none() {
            let tails = tails(expression);
            if tails.iter().all(|tail| !untyped(tail.value)) {
                want = Want::Unknown;
            } else if let Some(tail) = tails.iter().find(|tail| !untyped(tail.value) && tail.alone) {
                let names = self.names;
                let like = self.expression(tail.value, &Want::Unknown)?;
                self.names = names;
                want = Want::Type(cuda!["bare_t<decltype(", like.cuda, ")>"]);
            } else if let Some(bare) = tails.iter().find(|tail| untyped(tail.value))
                && (matches!(want, Want::Unknown) || tails.iter().any(|tail| !untyped(tail.value)))
            {
                return Err(untyped_error(bare.value));
            }
        }
        let head = want.ty().map(|ty| cuda!["-> ", ty, " "]).unwrap_or_default();
        let mode = Mode::Value(want);
        self.depth += 1;
        let both = match expression {
            Expr::If(branches) => self.branches(branches, &mode),
            Expr::Block(block) => Ok(self.block(&block.block, &mode)),
            other => Err(reject::error(other)),
        };
        self.depth -= 1;
        let both = both?;
        let rust = both.rust;
        Ok(Both {
            rust: quote_spanned!(expression.span()=> (#rust)),
            cuda: cuda!["[&]() ", head, "{\n", both.cuda, "}()"],
        })
    }
}

/// Returns `want` if it contains a type, and else the error that `expression` needs one.
fn typed(want: &Want, expression: &Expr) -> Result<Want> {
    want.ty().map(|ty| Want::Type(ty.clone())).ok_or_else(|| untyped_error(expression))
}
