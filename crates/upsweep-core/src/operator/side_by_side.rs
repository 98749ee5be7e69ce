//! Tuples of operators, which combine tuples field by field: several aggregates in one pass.

use super::{Element, Operator, Source, Values};

macro_rules! tuples {
    ($($($operator:ident $t:ident $field:tt $name:literal),*;)*) => { $(
        // Who gives what is no operator wants the names of operators.
        #[diagnostic::do_not_recommend]
        impl<$($t: Element, $operator: Operator<$t>),*> Operator<($($t,)*)> for ($($operator,)*) {
            const VECTORS: bool = $($operator::VECTORS)&&*;

            #[inline(always)]
            fn combine(&self, a: ($($t,)*), b: ($($t,)*)) -> ($($t,)*) {
                ($(self.$field.combine(a.$field, b.$field),)*)
            }

            #[inline]
            fn identity(&self) -> Option<($($t,)*)> {
                Some(($(self.$field.identity()?,)*))
            }

            fn values(&self, values: &mut Values) {
                $(self.$field.values(values);)*
            }

            fn cuda_function(&self, source: &mut Source) -> String {
                let ty = <($($t,)*)>::cuda_type(source);
                let functions = [$(self.$field.cuda_function(source)),*];
                source.define(&format!("side by side {ty} {}", functions.join(" ")), "side_by_side", |_, name| {
                    let fields = functions.iter().zip([$($name),*]);
                    let fields: Vec<String> = fields.map(|(f, field)| format!("{f}(a.{field}, b.{field})")).collect();
                    let value = fields.join(", ");
                    format!("__device__ __forceinline__ {ty} {name}({ty} a, {ty} b) {{ return {ty}::make({value}); }}")
                })
            }
        }
    )* };
}
tuples! {
    P A 0 "f0", Q B 1 "f1";
    P A 0 "f0", Q B 1 "f1", R C 2 "f2";
    P A 0 "f0", Q B 1 "f1", R C 2 "f2", S D 3 "f3";
}
