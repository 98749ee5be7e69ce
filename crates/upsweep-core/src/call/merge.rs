//! The call that merges two sorted arrays, sorts by a comparison, and the order of keys as a function.

use crate::buffer::View;
use crate::call::Unsorted;
use crate::key::Key;
use crate::operator::{Element, Function, Source};
use crate::outputs::Target;

/// Call that merges two sorted arrays, with its buffers, whose lengths fit.
pub struct Merging<'a, T: Element, V: Element> {
    pub inputs: (View<'a, T>, View<'a, T>),
    /// Values that accompany the elements of both inputs.
    pub values: Option<(View<'a, V>, View<'a, V>)>,
    pub output: Target<'a, T>,
    pub values_output: Option<Target<'a, V>>,
}

/// Order of [`Key`]s, ascending: whether one comes before another. For floats, `-0` equals `+0` and NaN is the last.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ascending;

/// Order of [`Key`]s, descending: whether one comes before another. NaN is the last.
#[derive(Clone, Copy, Debug, Default)]
pub struct Descending;

macro_rules! orders {
    ($($Order:ident $descending:literal $name:literal),*) => { $(
        impl<K: Key> Function<(K, K)> for $Order {
            type Output = bool;

            #[inline(always)]
            fn call(&self, (a, b): (K, K)) -> bool {
                before(a, b, $descending)
            }

            fn cuda_function(&self, source: &mut Source) -> String {
                let ty = K::cuda_type(source);
                let order = K::ORDER;
                let (bits, sign) = (8 * size_of::<K>(), 8 * size_of::<K>() - 1);
                source.define(&format!("{} {ty}", $name), $name, |_, name| {
                    let nans = if order.mantissa > 0 { format!("(((N)1 << {}) - 1)", order.mantissa) } else { "(N)0".to_owned() };
                    // Text for floats: `first` and `second` are the ordered numbers of both zeros. They are neighbours,
                    // but the zeros compare equal.
                    let zeros = order.zeros(bits as u32).map_or(String::new(), |[first, second]| {
                        format!(" && !(number(m) == (N){first}ull && number(n) == (N){second}ull)")
                    });
                    let turned = match (order.mantissa, order.signed) {
                        (0, false) => "x".to_owned(),
                        (0, true) => format!("x ^ (N)1 << {sign}"),
                        _ => format!("x ^ ((x >> {sign} ? (N)~(N)0 : (N)0) | (N)1 << {sign})"),
                    };
                    let turned = if $descending { format!("(N)~(N)({turned})") } else { turned };
                    format!(
                        "__device__ __forceinline__ bool {name}({ty} a, {ty} b) {{\n  using N = u{bits};\n  N m, n;\n  \
                         memcpy(&m, &a, sizeof m), memcpy(&n, &b, sizeof n);\n  \
                         const auto number = [](N x) {{ return (N)((N)({turned}) - {nans}); }};\n  return number(m) < number(n){zeros};\n}}"
                    )
                })
            }
        }
    )* };
}
orders! { Ascending false "ascending", Descending true "descending" }

/// Whether the key `a` comes before `b` in the ascending or `descending` order.
#[inline(always)]
fn before<K: Key>(a: K, b: K, descending: bool) -> bool {
    use crate::key::KeyBits;
    // SAFETY: a key has the bits and the size of its `Bits`.
    let number = |key: K| unsafe { std::mem::transmute_copy::<K, K::Bits>(&key) }.compared(K::ORDER, descending);
    number(a) < number(b)
}

/// Values that a sort permutes with its elements: none, those of a buffer, or the elements' indices.
pub enum Beside<'a, V> {
    Nothing,
    Values(Unsorted<'a, V>),
    /// Indices of the elements in the input, each converted to `V` by this function.
    Positions(fn(usize) -> V),
}

/// Call that sorts by a comparison, with its buffers.
pub struct Sorting<'a, T: Element, V: Element> {
    pub input: Unsorted<'a, T>,
    /// Output of the sorted elements; `None` if only the permuted values are stored.
    pub output: Option<Target<'a, T>>,
    pub beside: Beside<'a, V>,
    pub values_output: Option<Target<'a, V>>,
}

impl<'a, T: Element> Sorting<'a, T, u8> {
    /// Creates a sort of elements without values.
    pub fn keys(input: Unsorted<'a, T>, output: Target<'a, T>) -> Self {
        Self { input, output: Some(output), beside: Beside::Nothing, values_output: None }
    }
}

impl<T: Element, V: Element> Sorting<'_, T, V> {
    /// Returns the number of elements to be sorted.
    pub fn len(&self) -> usize {
        match (&self.input, &self.output) {
            (Unsorted::Buffer(input), _) => input.len(),
            (Unsorted::OfOutput, Some(output)) => output.len(),
            (Unsorted::OfOutput, None) => 0,
        }
    }
}
