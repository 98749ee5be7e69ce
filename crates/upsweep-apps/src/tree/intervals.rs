//! The combination of any interval of an array, by any operator.
//!
//! An interval from `l` to `h` is cut where a block of the size 2^k begins or ends, for the largest `k` for which there is such a place: the
//! highest bit in which `l` and `h` differ. Before it lies the end of a block, behind it the begin of one. So all blocks of a size are scanned in
//! both directions, and an interval is one element of each.

use crate::part::{Part, map};
use upsweep::operator::{Source, Values};
use upsweep::prelude::*;
use upsweep::{Element, Result};

/// Elements whose intervals are combined.
#[derive(Debug)]
pub(super) struct Intervals<T> {
    pub(super) values: Array<T>,
}

/// The size of the blocks that an interval is cut between, as a power of two, counted from 1; 0 for one element.
#[function]
fn level(low: u32, high: u32) -> u8 {
    (32 - (low ^ high).leading_zeros()) as u8
}

#[function]
fn within(#[param] last: u32, at: u32) -> u32 {
    at.min(last)
}

/// What an operator combines two elements to.
#[derive(Clone, Copy, Debug)]
struct Combined<Op>(Op);

impl<T: Element, Op: Operator<T>> Function<(T, T)> for Combined<Op> {
    type Output = T;
    fn call(&self, (a, b): (T, T)) -> T {
        self.0.combine(a, b)
    }
    fn values(&self, values: &mut Values) {
        self.0.values(values);
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        self.0.cuda_function(source)
    }
}

/// An operator with its arguments exchanged, as a scan in reverse gives the later element first.
#[derive(Clone, Copy, Debug)]
struct Flipped<Op>(Op);

impl<T: Element, Op: Operator<T>> Operator<T> for Flipped<Op> {
    fn combine(&self, a: T, b: T) -> T {
        self.0.combine(b, a)
    }
    fn values(&self, values: &mut Values) {
        self.0.values(values);
    }
    fn cuda_function(&self, source: &mut Source) -> String {
        let (ty, operator) = (T::cuda_type(source), self.0.cuda_function(source));
        source.define(&format!("flipped {operator} {ty}"), "flipped", |_, name| {
            format!("__device__ __forceinline__ {ty} {name}({ty} a, {ty} b) {{ return {operator}(b, a); }}")
        })
    }
}

impl<T: Element> Intervals<T> {
    /// Those from `low[i]` to `high[i]`, both included, which are in order and in the array. On CUDA this waits once. Two passes over the
    /// elements for each size of blocks that intervals are cut between.
    ///
    /// # Errors
    /// The library's.
    pub(super) fn combine<Op: Operator<T>>(
        &self,
        device: &Device,
        operator: Op,
        low: &Array<u32>,
        high: &Array<u32>,
    ) -> Result<Array<T>> {
        let (n, questions) = (self.values.len(), low.len());
        // The results, one of which stands in each place first.
        let mut results: Array<T> = Transform::copy().run_to_array(device, Gather::of(&self.values).at(low))?;
        if questions == 0 || n < 2 {
            return Ok(results);
        }
        let levels: Array<u8> = map(device, Level, (low, high))?;
        let order: Array<u32> = Sort::new().indices().run_to_array(device, &levels)?;
        let sorted = Sort::new().run_to_array(device, &levels)?;
        let sizes: Vec<u8> = (1..=33).collect();
        let ends: Vec<u32> = Search::lower(&sorted).run_to_vec(device, &device.upload(&sizes)?)?;
        // So that blocks of every size are whole: what is behind the last element is in no interval.
        let size = n.next_power_of_two();
        let places = Apply(Within { last: n as u32 - 1 }, 0..size as u32);
        let padded: Array<T> = Transform::copy().run_to_array(device, Gather::of(&self.values).at(places))?;
        for (k, ends) in ends.windows(2).enumerate() {
            if ends[0] == ends[1] {
                continue;
            }
            let shape = [size >> k, 1 << k];
            let begins: Array<T> = Scan::new(operator).axis(&shape, 1).run_to_array(device, &padded)?;
            let ends_of: Array<T> =
                Scan::new(Flipped(operator)).axis(&shape, 1).reverse().run_to_array(device, &padded)?;
            let these = Part::of(&order, ends[0] as usize..ends[1] as usize)?;
            let before = Gather::of(&ends_of).at(Gather::of(low).at(&these));
            let behind = Gather::of(&begins).at(Gather::of(high).at(&these));
            let to = Scatter::to(&mut results).at(&these);
            Transform::new(Combined(operator)).run(device, (before, behind), to)?;
        }
        Ok(results)
    }
}
