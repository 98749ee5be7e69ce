//! Translation of statements and blocks.

use super::operation::compound;
use super::reject::{self, check_type};
use super::translator::{Both, Mode, Translator, Want};
use super::untyped::untyped;
use crate::cuda::{Cuda, cuda};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::{BinOp, Block, Error, Expr, ExprForLoop, ExprIf, Local, Pat, RangeLimits, Result, Stmt};

impl Translator {
    /// Translates a block: with its braces in Rust, its statements without them in C++.
    pub(super) fn block(&mut self, block: &Block, mode: &Mode) -> Both {
        self.scopes.push(HashMap::new());
        let mut rust = proc_macro2::TokenStream::new();
        let mut cuda = Cuda::default();
        for (i, statement) in block.stmts.iter().enumerate() {
            let last = i + 1 == block.stmts.len();
            let translated = match (statement, mode) {
                (Stmt::Expr(value, None), Mode::Value(want)) if last => self.tail(value, want),
                _ => self.statement(statement),
            };
            if let Some(both) = self.noted(translated) {
                rust.extend(both.rust);
                cuda.push(both.cuda);
            }
        }
        self.scopes.pop();
        let span = block.brace_token.span.join();
        Both { rust: quote_spanned!(span=> { #rust }), cuda }
    }

    /// Translates the last expression of a block: in C++ it is returned.
    fn tail(&mut self, value: &Expr, want: &Want) -> Result<Both> {
        match value {
            Expr::If(branches) if branches.else_branch.is_some() => self.branches(branches, &Mode::Value(want.clone())),
            Expr::Block(block) if block.label.is_none() => {
                let both = self.block(&block.block, &Mode::Value(want.clone()));
                Ok(Both { rust: both.rust, cuda: cuda!["{\n", both.cuda, "}\n"] })
            }
            Expr::Return(_) | Expr::ForLoop(_) => self.expression_statement(value, false),
            _ => {
                let both = self.expression(value, want)?;
                Ok(Both { rust: both.rust, cuda: cuda!["return ", both.cuda, ";\n"] })
            }
        }
    }

    fn statement(&mut self, statement: &Stmt) -> Result<Both> {
        match statement {
            Stmt::Local(local) => self.local_statement(local),
            Stmt::Expr(expression, semicolon) => self.expression_statement(expression, semicolon.is_some()),
            Stmt::Item(item) => Err(Error::new(item.span(), "move this item out of the function")),
            Stmt::Macro(call) => Err(Error::new(
                call.mac.path.span(),
                "an operator's body cannot call a macro: write the arithmetic out (an operator cannot panic or print)",
            )),
        }
    }

    fn local_statement(&mut self, local: &Local) -> Result<Both> {
        if let Some(attribute) = local.attrs.first() {
            return Err(Error::new(attribute.span(), "attributes cannot stand inside an operator's body"));
        }
        let Some(init) = &local.init else {
            return Err(Error::new(local.semi_token.span(), "give the variable its first value here: `let x = ..;`"));
        };
        if let Some((token, _)) = &init.diverge {
            return Err(Error::new(token.span(), "an operator's body cannot contain `let .. else`: write if and else"));
        }
        let (pattern, ty) = match &local.pat {
            Pat::Type(typed) => {
                check_type(&typed.ty)?;
                (&*typed.pat, Some(&*typed.ty))
            }
            pattern => (pattern, None),
        };
        let want = ty.map_or(Want::Unknown, |ty| Want::Type(Cuda::ty(ty)));
        let outer = std::mem::replace(&mut self.annotation, ty.cloned());
        let value = self.expression(&init.expr, &want);
        self.annotation = outer;
        // The variables of the pattern are declared in any case, so that an error in the value is not followed by
        // errors about unknown variables.
        let plain = matches!(pattern, Pat::Ident(_));
        let whole = if plain { None } else { Some(self.name("parts")) };
        let (name, parts) = self.bind(pattern, whole.as_deref())?;
        let value = value?;
        let name = whole.unwrap_or(name);
        let cuda_type = ty.map_or_else(|| "auto".into(), Cuda::ty);
        let (pattern, rust) = (&local.pat, value.rust);
        Ok(Both {
            rust: quote_spanned!(local.let_token.span=> let #pattern = #rust;),
            cuda: cuda!["[[maybe_unused]] ", cuda_type, " ", name, " = ", value.cuda, ";\n", parts],
        })
    }

    fn expression_statement(&mut self, expression: &Expr, semicolon: bool) -> Result<Both> {
        let mut both = match expression {
            Expr::If(branches) => self.branches(branches, &Mode::Unit)?,
            Expr::Block(block) if block.label.is_none() => {
                let both = self.block(&block.block, &Mode::Unit);
                Both { rust: both.rust, cuda: cuda!["{\n", both.cuda, "}\n"] }
            }
            Expr::ForLoop(for_loop) => self.for_loop(for_loop)?,
            Expr::Assign(assign) => {
                let place = self.place(&assign.left)?;
                let want = Want::Type(cuda!["bare_t<decltype(", &place.cuda, ")>"]);
                let value = self.expression(&assign.right, &want)?;
                let (left, right) = (place.rust, value.rust);
                Both {
                    rust: quote_spanned!(assign.eq_token.span=> #left = #right),
                    cuda: cuda![place.cuda, " = ", value.cuda, ";\n"],
                }
            }
            Expr::Binary(binary) if compound(&binary.op).is_some() => self.compound(binary)?,
            Expr::Return(value) => {
                if self.depth > 0 {
                    return Err(Error::new(
                        value.return_token.span(),
                        "`return` cannot stand in an `if` or block that is part of an expression: use `if` as a statement",
                    ));
                }
                let Some(inner) = &value.expr else {
                    return Err(Error::new(value.return_token.span(), "write the value: `return x`"));
                };
                let want = Want::Type(Cuda::ty(&self.output));
                let inner = self.expression(inner, &want)?;
                let rust = inner.rust;
                Both {
                    rust: quote_spanned!(value.return_token.span()=> return #rust),
                    cuda: cuda!["return ", inner.cuda, ";\n"],
                }
            }
            Expr::Paren(_)
            | Expr::Group(_)
            | Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Path(_)
            | Expr::Lit(_)
            | Expr::Binary(_)
            | Expr::Unary(_) => {
                let both = self.expression(expression, &Want::Convert)?;
                Both { rust: both.rust, cuda: cuda!["(void)(", both.cuda, ");\n"] }
            }
            other => return Err(reject::error(other)),
        };
        if semicolon {
            both.rust.extend(quote!(;));
        }
        Ok(both)
    }

    /// Translates `if` and `else`. `mode` says how the last expression of each branch is used.
    pub(super) fn branches(&mut self, branches: &ExprIf, mode: &Mode) -> Result<Both> {
        let condition = self.expression(&branches.cond, &Want::Unknown);
        let condition = self.noted(condition);
        let then = self.block(&branches.then_branch, mode);
        // If the condition did not translate, its error is recorded, and the translation is not used.
        let condition = condition.unwrap_or_else(|| Both { rust: quote!(true), cuda: Cuda::default() });
        let (condition_rust, block) = (condition.rust, then.rust);
        let mut rust = quote_spanned!(branches.if_token.span=> if #condition_rust #block);
        let mut cuda = cuda!["if (", condition.cuda, ") {\n", then.cuda, "}"];
        if let Some((token, other)) = &branches.else_branch {
            let other = match &**other {
                Expr::If(branches) => self.branches(branches, mode)?,
                Expr::Block(block) => {
                    let both = self.block(&block.block, mode);
                    Both { rust: both.rust, cuda: cuda!["{\n", both.cuda, "}\n"] }
                }
                other => return Err(reject::error(other)),
            };
            let other_rust = other.rust;
            rust.extend(quote_spanned!(token.span=> else #other_rust));
            cuda.push(cuda![" else ", other.cuda]);
        } else {
            cuda.push("\n");
        }
        Ok(Both { rust, cuda })
    }

    fn for_loop(&mut self, for_loop: &ExprForLoop) -> Result<Both> {
        if let Some(label) = &for_loop.label {
            return Err(Error::new(label.span(), "loops have no labels in an operator's body"));
        }
        let mut range = &*for_loop.expr;
        while let Expr::Paren(inner) = range {
            range = &inner.expr;
        }
        let Expr::Range(range) = range else {
            return Err(Error::new(
                range.span(),
                "an operator's loop counts: write `for i in a..b` or `for i in a..=b`, and read arrays by `x[i]`",
            ));
        };
        let (Some(low), Some(high)) = (&range.start, &range.end) else {
            return Err(Error::new(range.limits.span(), "an operator's loops have bounds: write `a..b` or `a..=b`"));
        };
        let variable = match &*for_loop.pat {
            Pat::Wild(_) => None,
            Pat::Ident(name) if name.mutability.is_none() && name.by_ref.is_none() && name.subpat.is_none() => {
                Some(name)
            }
            other => return Err(Error::new(other.span(), "the loop's variable is a plain name or `_`")),
        };
        let default = untyped(low) && untyped(high);
        let want = if default { Want::Type(Cuda::ty(quote!(usize))) } else { Want::Convert };
        let (low, high) = (self.expression(low, &want)?, self.expression(high, &want)?);

        self.scopes.push(HashMap::new());
        let (ty, bound, more) = (self.name("Count"), self.name("bound"), self.name("more"));
        let variable = match variable {
            Some(_) => self.bind(&for_loop.pat, None)?.0,
            None => self.name("unused"),
        };
        let body = self.block(&for_loop.body, &Mode::Unit);
        self.scopes.pop();

        let mut cuda = cuda![
            "{\nusing ",
            &ty,
            " = common_t<bare_t<decltype(",
            &low.cuda,
            ")>, bare_t<decltype(",
            &high.cuda,
            ")>>;\nconst ",
            &ty,
            " ",
            &bound,
            " = ",
            &high.cuda,
            ";\n"
        ];
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        if inclusive {
            cuda.push(cuda![
                "bool ", &more, " = ", &ty, "(", &low.cuda, ") <= ", &bound, ";\nfor (", &ty, " ", &variable, " = ",
                low.cuda, "; ", &more, "; ", &more, " = ", &variable, " != ", &bound, ", ", &variable, " += ", &ty,
                "(", &more, ")) {\n"
            ]);
        } else {
            cuda.push(cuda![
                "for (", &ty, " ", &variable, " = ", low.cuda, "; ", &variable, " < ", &bound, "; ++", &variable,
                ") {\n"
            ]);
        }
        cuda.push(cuda![body.cuda, "}\n}\n"]);

        let (low, high, body, pattern) = (low.rust, high.rust, body.rust, for_loop.pat.to_token_stream());
        let span = range.limits.span();
        let ty = if default { quote!(usize) } else { quote!(_) };
        let function = if inclusive { quote!(range_inclusive) } else { quote!(range) };
        let range = quote_spanned!(span=> ::upsweep::operator::arith::#function::<#ty>(#low, #high));
        Ok(Both { rust: quote_spanned!(for_loop.for_token.span=> for #pattern in #range #body), cuda })
    }

    /// Translates a compound assignment `place op= value`, such as `x += 1`.
    fn compound(&mut self, binary: &syn::ExprBinary) -> Result<Both> {
        let (function, shift) = match compound(&binary.op) {
            Some(function) => (function, matches!(binary.op, BinOp::ShlAssign(_) | BinOp::ShrAssign(_))),
            None => return Err(Error::new(binary.op.span(), "not an assignment")),
        };
        let place = self.place(&binary.left)?;
        let want = if shift { Want::Convert } else { Want::Type(cuda!["bare_t<decltype(", &place.cuda, ")>"]) };
        let value = self.expression(&binary.right, &want)?;
        let (left, right, span) = (place.rust, value.rust, binary.op.span());
        let function_name = proc_macro2::Ident::new(function, span);
        let (v, p) = (
            proc_macro2::Ident::new("value", proc_macro2::Span::mixed_site()),
            proc_macro2::Ident::new("place", proc_macro2::Span::mixed_site()),
        );
        Ok(Both {
            rust: quote_spanned!(span=> {
                let #v = #right;
                let #p = &mut #left;
                *#p = ::upsweep::operator::arith::#function_name(*#p, #v);
            }),
            cuda: cuda![&place.cuda, " = arith::", function, "(", &place.cuda, ", ", value.cuda, ");\n"],
        })
    }
}
