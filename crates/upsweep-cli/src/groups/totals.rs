//! Results of groups whose values come in batches.

use crate::args::{Statistic, Summing};
use crate::element::{Type, Values};
use crate::failure::Result;
use crate::means::{deviations, quantiles, quotient};
use crate::modes::{distinct, modes};
use crate::sums::Sums;
use crate::write::OutputForm;
use std::ops::Range;
use upsweep::Device;
use upsweep_dynamic::{GroupTotals, Op, Value, View, with_values, with_view};

/// Values that are so large make that a sum of floats may leave f64, of however many.
const LARGE: f64 = 1e290;
/// Factor for such values: a power of two, so that nothing is rounded but what does not matter beside them.
const SCALE: f64 = 1.0 / (1u128 << 66) as f64;

/// Whether the values of a group may come in several batches. Others are compared with each other, or with their mean.
pub(super) fn takes_batches(statistic: Statistic) -> bool {
    use Statistic::{Count, First, Last, Mean, Of};
    matches!(statistic, Of(_) | Mean | Count | First | Last)
}

/// State of a statistic of each group.
pub(super) enum Totals {
    Of {
        op: Op,
        sums: Sums,
        totals: GroupTotals,
        exact: Option<Exact>,
    },
    Count,
    Mean(Means),
    End {
        is_last: bool,
        ends: Values,
        seen: Vec<bool>,
    },
    /// Statistic that is computed of one batch, and its results.
    Whole(Statistic, Values),
}

/// Total that does not fit its type: its group, and what it is.
pub(super) struct TooLarge {
    pub(super) group: usize,
    pub(super) op: Op,
    pub(super) sums: Sums,
    pub(super) value: Option<i128>,
}

/// Values sorted by their groups: those of group `i` are from `offsets[i]` to `offsets[i + 1]`.
pub(super) struct Sorted {
    pub(super) values: Values,
    pub(super) offsets: Vec<u64>,
}

impl Totals {
    pub(super) fn new(statistic: Statistic, element: Type, summing: Summing) -> Result<Self> {
        Ok(match statistic {
            Statistic::Of(op) => {
                let sums = Sums::new(summing, op, element, OutputForm::Words)?;
                let exact = sums.checked.then(|| Exact { is_product: op == Op::Product, totals: Vec::new() });
                Self::Of { op, sums, totals: GroupTotals::new(op, sums.computed), exact }
            }
            Statistic::Count => Self::Count,
            Statistic::Mean => Self::Mean(Means::new(element)),
            Statistic::First | Statistic::Last => {
                let is_last = statistic == Statistic::Last;
                Self::End { is_last, ends: none(element), seen: Vec::new() }
            }
            _ => Self::Whole(statistic, none(element)),
        })
    }

    /// Adds values: those of group `i` that are in `ranges[i]`. Statistics that do not take batches take all values.
    pub(super) fn add(
        &mut self,
        device: &Device,
        Sorted { values, offsets }: &Sorted,
        ranges: &[Range<usize>],
    ) -> upsweep_dynamic::Result<()> {
        let x = values.view();
        match self {
            Self::Of { sums, totals, exact, .. } => {
                let converted = sums.converted(x)?;
                let x = converted.as_ref().unwrap_or(values).view();
                if let Some(exact) = exact {
                    exact.add(x, ranges);
                }
                totals.add(device, x, ranges)?;
            }
            Self::Count => {}
            Self::Mean(means) => means.add(device, x, ranges)?,
            Self::End { is_last, ends, seen } => {
                with_values!(ends, ends => ends.resize(ranges.len(), Default::default()));
                seen.resize(ranges.len(), false);
                for (group, (range, seen)) in
                    ranges.iter().zip(seen).enumerate().filter(|(_, (range, _))| !range.is_empty())
                {
                    let at = if *is_last { range.end - 1 } else { range.start };
                    if *is_last || !*seen {
                        ends.view_mut().put(group, x.part(at..at + 1));
                    }
                    *seen = true;
                }
            }
            Self::Whole(statistic, results) => {
                *results = match statistic {
                    Statistic::Var => Values::F64(variances(device, x, offsets, ranges)?),
                    Statistic::Std => {
                        Values::F64(variances(device, x, offsets, ranges)?.into_iter().map(f64::sqrt).collect())
                    }
                    Statistic::Quantile(share) => Values::F64(quantiles(x, offsets, *share)),
                    Statistic::Distinct => distinct(x, offsets).into(),
                    Statistic::Mode => modes(x, offsets),
                    Statistic::Median => Values::F64(quantiles(x, offsets, 0.5)),
                    // They have states of their own.
                    Statistic::Of(_) | Statistic::Mean | Statistic::Count | Statistic::First | Statistic::Last => {
                        return Ok(());
                    }
                };
            }
        }
        Ok(())
    }

    /// Returns the first total that does not fit its type.
    pub(super) fn too_large(&self) -> Option<TooLarge> {
        let Self::Of { op, sums, exact: Some(exact), .. } = self else { return None };
        let range = sums.results.integers()?;
        let (group, &total) = exact.totals.iter().enumerate().find(|(_, total)| !range.contains(total))?;
        let value = (total != i128::MAX && total != i128::MIN).then_some(total);
        Some(TooLarge { group, op: *op, sums: *sums, value })
    }

    /// Returns the results of all groups, which have so many values each.
    pub(super) fn finish(self, device: &Device, counts: &[u64]) -> upsweep_dynamic::Result<Values> {
        match self {
            Self::Of { sums, totals, .. } => sums.results(totals.finish(device, counts.len())?),
            Self::Count => Ok(counts.to_vec().into()),
            Self::Mean(means) => means.finish(device, counts).map(Values::F64),
            // Where there is no value at all, there is no result.
            Self::End { ends, seen, .. } if !seen.contains(&true) => Values::zeroed(ends.element(), 0),
            Self::End { ends, .. } => Ok(ends),
            Self::Whole(_, results) => Ok(results),
        }
    }
}

fn none(element: Type) -> Values {
    upsweep_dynamic::with_type!(element, T => Vec::<T>::new().into())
}

/// Exact totals of integers, which saturate.
pub(super) struct Exact {
    is_product: bool,
    totals: Vec<i128>,
}

impl Exact {
    fn add(&mut self, x: View<'_>, ranges: &[Range<usize>]) {
        let Self { is_product, totals } = self;
        totals.resize(ranges.len(), i128::from(*is_product));
        with_view!(x, x => for (range, total) in ranges.iter().zip(totals) {
            let numbers = x[range.clone()].iter().filter_map(|x| x.number().integer());
            *total = match is_product {
                true => numbers.fold(*total, i128::saturating_mul),
                false => numbers.fold(*total, i128::saturating_add),
            };
        });
    }
}

/// Sums for means: exact ones of integers, which are rounded once; of floats in f64.
pub(super) enum Means {
    Integers(Exact),
    /// Sums, and those of the values times [`SCALE`], if there was a [large](LARGE) one. What is not finite is not finite in
    /// both.
    Floats(GroupTotals, Option<GroupTotals>),
}

impl Means {
    fn new(element: Type) -> Self {
        match element.integers() {
            Some(_) => Self::Integers(Exact { is_product: false, totals: Vec::new() }),
            None => Self::Floats(GroupTotals::new(Op::Sum, Type::F64), None),
        }
    }

    fn add(&mut self, device: &Device, x: View<'_>, ranges: &[Range<usize>]) -> upsweep_dynamic::Result<()> {
        match self {
            Self::Integers(exact) => exact.add(x, ranges),
            Self::Floats(totals, scaled) => {
                if let View::F64(x) = x {
                    let is_large = |x: &f64| x.is_finite() && x.abs() > LARGE;
                    if scaled.is_none() && x.iter().any(is_large) {
                        *scaled = Some(totals.scaled(SCALE));
                    }
                    if let Some(scaled) = scaled {
                        let values = x.iter().map(|x| x * SCALE).collect::<Vec<_>>();
                        scaled.add(device, View::F64(&values), ranges)?;
                    }
                }
                totals.add(device, x, ranges)?;
            }
        }
        Ok(())
    }

    fn finish(self, device: &Device, counts: &[u64]) -> upsweep_dynamic::Result<Vec<f64>> {
        match self {
            Self::Integers(Exact { totals, .. }) => {
                Ok(totals.into_iter().zip(counts).map(|(total, &count)| quotient(total, count as usize)).collect())
            }
            Self::Floats(totals, scaled) => {
                let means = |totals: GroupTotals| -> upsweep_dynamic::Result<Vec<f64>> {
                    let Values::F64(sums) = totals.finish(device, counts.len())? else { return Ok(Vec::new()) };
                    Ok(sums.into_iter().zip(counts).map(|(sum, &count)| sum / count as f64).collect())
                };
                let mut found = means(totals)?;
                for (mean, scaled) in found.iter_mut().zip(scaled.map_or(Ok(Vec::new()), means)?) {
                    if !mean.is_finite() && scaled.is_finite() {
                        *mean = scaled / SCALE;
                    }
                }
                Ok(found)
            }
        }
    }
}

/// Returns the variance of each group.
fn variances(
    device: &Device,
    x: View<'_>,
    offsets: &[u64],
    ranges: &[Range<usize>],
) -> upsweep_dynamic::Result<Vec<f64>> {
    let counts: Vec<u64> = ranges.iter().map(|range| range.len() as u64).collect();
    let mut means = Means::new(x.element());
    means.add(device, x, ranges)?;
    Ok(deviations(x, offsets, &means.finish(device, &counts)?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    fn means(x: &[f64], ranges: &[Range<usize>]) -> Vec<f64> {
        let counts: Vec<u64> = ranges.iter().map(|range| range.len() as u64).collect();
        let mut means = Means::new(Type::F64);
        means.add(&Device::cpu(), View::F64(x), ranges).unwrap();
        means.finish(&Device::cpu(), &counts).unwrap()
    }

    #[test]
    fn means_stay_among_their_values() {
        let largest = f64::MAX;
        assert_eq!(means(&[largest; 7], &[0..3, 3..7]), [largest, largest]);
        assert!(means(&[], &[0..0, 0..0])[0].is_nan());
        assert_eq!(means(&[largest, largest, -largest, -largest, 1.5], &[0..4, 4..5]), [0.0, 1.5]);
        assert_eq!(means(&[1.7e308, 1.7e308, f64::INFINITY, 1.0], &[0..2, 2..4]), [1.7e308, f64::INFINITY]);
        let none = means(&[f64::NAN, largest, largest, f64::INFINITY, -f64::INFINITY], &[0..3, 3..5]);
        assert!(none.iter().all(|x| x.is_nan()));
    }

    /// A large value after a batch that has none.
    #[test]
    fn sums_that_leave_f64_late() {
        let (device, chunk) = (Device::cpu(), upsweep_dynamic::Reduce::CHUNK);
        let mut means = Means::new(Type::F64);
        let small = vec![1e289; 2 * chunk];
        means.add(&device, View::F64(&small), &[0..chunk, chunk..2 * chunk]).unwrap();
        let large = vec![f64::MAX; chunk];
        means.add(&device, View::F64(&large), &[0..chunk, 0..0]).unwrap();
        let found = means.finish(&device, &[2 * chunk as u64, chunk as u64]).unwrap();
        assert!(
            (found[0] / (f64::MAX / 2.0) - 1.0).abs() < 1e-12 && (found[1] / 1e289 - 1.0).abs() < 1e-12,
            "{found:?}"
        );
    }

    #[test]
    fn variances_of_groups() {
        let of = |x: &[f64], offsets: &[u64]| {
            let ranges: Vec<_> = offsets.windows(2).map(|pair| pair[0] as usize..pair[1] as usize).collect();
            variances(&Device::cpu(), View::F64(x), offsets, &ranges).unwrap()
        };
        let found = of(&[1.0, 4.0, 7.0, 1e9, 1e9 + 1.0, 1e9 + 2.0, 7.0], &[0, 3, 6, 7, 7]);
        assert_eq!(found[..2], [9.0, 1.0]);
        assert!(found[2..].iter().all(|x| x.is_nan()));
        let integers = View::I64(&[i64::MAX, i64::MAX]);
        assert_eq!(variances(&Device::cpu(), integers, &[0, 2, 2], &[0..2, 2..2]).unwrap()[0], 0.0);
        // Naive loops of many lengths.
        for n in 0..50u64 {
            let x: Vec<f64> = (0..n).map(|k| (k * k * 7 % 31) as f64 / 4.0).collect();
            let mean = x.iter().sum::<f64>() / n as f64;
            let variance = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n as f64 - 1.0);
            let found = of(&x, &[0, n])[0];
            assert!(if n < 2 { found.is_nan() } else { (found - variance).abs() <= 1e-12 * variance }, "{n}");
        }
    }
}
