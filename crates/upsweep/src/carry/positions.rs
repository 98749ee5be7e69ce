//! Maps of a part of an array that get positions in the whole array.

use upsweep_core::operator::{Element, Map, Source, Values};

/// The map `map` of elements whose first stands at `position`.
#[derive(Clone, Copy, Debug)]
pub(super) struct From<M> {
    pub(super) map: M,
    pub(super) position: u64,
}

impl<I: Element, Args, M: Map<I, Args>> Map<I, Args> for From<M> {
    type Output = M::Output;

    #[inline(always)]
    fn apply(&self, x: I, index: u64) -> M::Output {
        self.map.apply(x, self.position + index)
    }

    fn values(&self, values: &mut Values) {
        self.map.values(values);
        values.push(self.position);
    }

    fn cuda_function(&self, source: &mut Source) -> String {
        let (input, output) = (I::cuda_type(source), M::Output::cuda_type(source));
        let (map, position) = (self.map.cuda_function(source), source.value::<u64>());
        source.define(&format!("{map} from {position}"), "from", |_, name| {
            format!(
                "__device__ __forceinline__ {output} {name}({input} x, u64 index) {{ return {map}(x, {position} + index); }}"
            )
        })
    }
}
