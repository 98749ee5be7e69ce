//! Translation of paths: variables, constants and callees.

use super::methods;
use super::translator::{Both, Translator, Want};
use super::untyped::{untyped, untyped_error};
use crate::callee;
use crate::cuda::{Cuda, cuda};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprCall, ExprPath, Path, PathSegment, Result, Type, TypePath};

impl Translator {
    pub(super) fn path(&mut self, path: &ExprPath) -> Result<Both> {
        if let Some(name) = path.path.get_ident()
            && let Some(local) = self.local(name)
        {
            return Ok(Both { rust: path.to_token_stream(), cuda: (&local.cuda).into() });
        }
        Ok(Both { rust: path.to_token_stream(), cuda: Cuda::value(path) })
    }

    pub(super) fn call(&mut self, call: &ExprCall) -> Result<Both> {
        let mut function = &*call.func;
        while let Expr::Paren(syn::ExprParen { expr, .. }) | Expr::Group(syn::ExprGroup { expr, .. }) = function {
            function = expr;
        }
        let Expr::Path(path) = function else {
            return Err(Error::new(function.span(), "call a function marked #[function] by its path: `helper(x)`"));
        };
        if let Some((ty, last)) = associated(path) {
            return self.associated_call(call, &ty, last);
        }
        if let Some(name) = path.path.get_ident() {
            if self.local(name).is_some() {
                return Err(Error::new(
                    name.span(),
                    "a variable cannot be called: call a function marked #[function] by its path",
                ));
            }
            if ["Some", "Ok", "Err"].iter().any(|variant| name == variant) {
                return Err(Error::new(
                    name.span(),
                    "there is no Option and no Result in an operator: use a value and a bool, for example a tuple `(x, true)`",
                ));
            }
        }
        let mut rust = Vec::new();
        let mut arguments = Vec::new();
        for argument in &call.args {
            let both = self.expression(argument, &Want::Convert)?;
            rust.push(both.rust);
            arguments.push(both.cuda);
        }
        Ok(Both {
            rust: quote_spanned!(call.span()=> #path(#(#rust),*)),
            cuda: cuda![Cuda::function(callee::cuda_name(path)), "(", Cuda::join(arguments, ", "), ")"],
        })
    }

    /// Translates a call such as `u64::from(x)`, `f32::from_bits(x)`, `f32::max(a, b)`.
    fn associated_call(&mut self, call: &ExprCall, ty: &Type, last: &PathSegment) -> Result<Both> {
        let name = last.ident.to_string();
        let span = last.ident.span();
        let cuda_type = Cuda::ty(ty);
        let method = methods::find(&name);
        let (arguments, function) = match (&name[..], method) {
            ("from", _) => (1, cuda!["cast<", &cuda_type, ">"]),
            ("from_bits" | "from_f32", _) => (1, cuda!["arith::", &name, "<", &cuda_type, ">"]),
            (_, Some(method)) => (1 + method.same + usize::from(method.count), methods::cuda_name(&last.ident)),
            ("new" | "default", _) => {
                let message = "an operator's body makes values by literals: `Point { x: 1.0, y: 2.0 }`, or by a constant or a \
                               function marked #[function]";
                return Err(Error::new(span, message));
            }
            _ => return Err(Error::new(span, methods::advice(&name))),
        };
        if call.args.len() != arguments {
            return Err(Error::new(span, format!("`{name}` takes {} here", methods::values(arguments))));
        }
        let mut rust = Vec::new();
        let mut cuda = Vec::new();
        for (i, argument) in call.args.iter().enumerate() {
            let same = method.is_some_and(|method| i <= method.same);
            let want = if same { Want::Type(cuda_type.clone()) } else { Want::Convert };
            if name == "from" && untyped(argument) {
                return Err(untyped_error(argument));
            }
            let both = self.expression(argument, &want)?;
            rust.push(both.rust);
            cuda.push(both.cuda);
        }
        let function_name = proc_macro2::Ident::new(&name, span);
        let generics = if name == "from" { quote_spanned!(span=> ::<#ty, _>) } else { quote_spanned!(span=> ::<#ty>) };
        Ok(Both {
            rust: quote_spanned!(span=> ::upsweep::operator::arith::#function_name #generics (#(#rust),*)),
            cuda: cuda![function, "(", Cuda::join(cuda, ", "), ")"],
        })
    }
}

/// Splits a path like `u64::from` into its type and its last segment; `None` if the path does not begin with a type.
fn associated(path: &ExprPath) -> Option<(Type, &PathSegment)> {
    let last = path.path.segments.last()?;
    if let Some(qself) = &path.qself {
        return Some(((*qself.ty).clone(), last));
    }
    let count = path.path.segments.len();
    if count < 2 {
        return None;
    }
    let before = path.path.segments.iter().nth(count - 2)?.ident.to_string();
    let primitive = ["f16", "bf16", "f32", "f64", "bool", "char", "isize", "usize"].contains(&&*before)
        || ["i", "u"]
            .iter()
            .any(|sign| ["8", "16", "32", "64", "128"].iter().any(|bits| before == format!("{sign}{bits}")));
    if !primitive && !before.starts_with(char::is_uppercase) {
        return None;
    }
    let segments = path.path.segments.iter().take(count - 1).cloned().collect();
    let ty = Path { leading_colon: path.path.leading_colon, segments };
    Some((Type::Path(TypePath { attrs: Vec::new(), qself: None, path: ty }), last))
}
