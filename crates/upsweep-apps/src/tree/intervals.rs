//! Combination of arbitrary intervals of an array, by any associative operator (disjoint sparse table).
//!
//! An interval from `l` to `h` is cut at a boundary of the blocks of 2^k elements, for the largest `k` that has a
//! boundary in it: the highest bit in which `l` and `h` differ. The part before the cut is a suffix of a block, the
//! part after it a prefix of the next. So all blocks of a size are scanned in both directions, and an interval combines
//! one element of each scan.

use crate::part::{Part, map};
use upsweep::operator::{Source, Values};
use upsweep::prelude::*;
use upsweep::{Element, Result};

/// Array of elements, of which intervals are combined.
#[derive(Debug)]
pub(super) struct Intervals<T> {
    pub(super) values: Array<T>,
}

/// Number k + 1 for an interval that is cut at a boundary of blocks of 2^k elements; 0 for an interval of one element.
#[function]
fn level(low: u32, high: u32) -> u8 {
    (32 - (low ^ high).leading_zeros()) as u8
}

#[function]
fn within(#[param] last: u32, at: u32) -> u32 {
    at.min(last)
}

/// Function that combines two elements by an operator.
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

/// Operator with its arguments exchanged, because a scan in reverse passes the later element first.
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
    /// Combines the intervals from `low[i]` to `high[i]`, both included, which are in order and in the array. On CUDA
    /// this waits once. Two passes over the elements for each size of blocks at which intervals are cut.
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
        // Each result begins as the first element of its interval, which is all for an interval of one element.
        let mut results: Array<T> = Transform::copy().run_to_array(device, Gather::of(&self.values).at(low))?;
        if questions == 0 || n < 2 {
            return Ok(results);
        }
        let levels: Array<u8> = map(device, Level, (low, high))?;
        let order: Array<u32> = Sort::new().indices().run_to_array(device, &levels)?;
        let sorted = Sort::new().run_to_array(device, &levels)?;
        let sizes: Vec<u8> = (1..=33).collect();
        let ends: Vec<u32> = Search::lower(&sorted).run_to_vec(device, &device.upload(&sizes)?)?;
        // Padding makes blocks of every size whole: elements after the last one are in no interval.
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
