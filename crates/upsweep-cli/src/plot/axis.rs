//! Axes of a plot: the range of values, and marks at round numbers.

/// Range of the values along a side of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Axis {
    /// Axis over those of the values that are finite: from 0 to 1 without any, and wider than one value alone.
    pub(crate) fn over(values: impl IntoIterator<Item = f64>) -> Self {
        let finite = values.into_iter().filter(|x| x.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        if low > high {
            return Self { low: 0.0, high: 1.0 };
        }
        // Halves are subtracted here and below: the width of the widest range would overflow f64.
        if high / 2.0 - low / 2.0 > 0.0 {
            return Self { low, high };
        }
        let half = if low == 0.0 { 0.5 } else { (low.abs() / 2.0).max(1e-300) };
        Self { low: (low - half).max(f64::MIN), high: (high + half).min(f64::MAX) }
    }

    /// Place of a value along the axis: 0 at its beginning, 1 at its end.
    pub(crate) fn part(self, value: f64) -> f64 {
        ((value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)).clamp(0.0, 1.0)
    }

    /// Marks at multiples of 1, 2 or 5 times a power of ten, about `most` of them, each with its text.
    pub(crate) fn ticks(self, most: usize) -> Vec<(f64, String)> {
        let apart = (self.high / 2.0 - self.low / 2.0) / most.max(1) as f64 * 2.0;
        let exponent = apart.log10().floor();
        let unit = 10f64.powf(exponent);
        let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * unit).into_iter().find(|step| *step >= apart);
        let Some(step) = step.filter(|step| step.is_normal()) else {
            return [self.low, self.high].map(|value| (value, format!("{value:e}"))).into();
        };
        let first = (self.low / step).ceil();
        // A multiple may be past the end by its rounding alone.
        let end = (self.high + step * 1e-6).min(f64::MAX);
        let mut values: Vec<f64> = (0..2 * most + 2)
            .map(|k| (first + k as f64) * step)
            .take_while(|value| *value <= end)
            .map(|value| value.clamp(self.low, self.high))
            .collect();
        values.dedup();
        let largest = self.low.abs().max(self.high.abs());
        values.into_iter().map(|value| (value, text(value, step, largest))).collect()
    }
}

/// Formats a value with the digits that tell it from those a `step` before and after it. All values up to `largest` have
/// the same form.
fn text(value: f64, step: f64, largest: f64) -> String {
    let exponent = step.log10().floor() as i32;
    if value == 0.0 {
        return "0".to_owned();
    }
    if largest < 1e9 && exponent >= -6 {
        return format!("{value:.*}", usize::try_from(-exponent).unwrap_or(0));
    }
    let digits = value.abs().log10().floor() as i32 - exponent;
    format!("{value:.*e}", usize::try_from(digits).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(low: f64, high: f64) -> Vec<String> {
        Axis { low, high }.ticks(5).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn marks_are_round_and_told_apart() {
        assert_eq!(texts(0.0, 10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts(-0.3, 0.3), ["-0.2", "0", "0.2"]);
        assert_eq!(texts(1.7e9, 1.7e9 + 10.0)[1], "1.700000002e9");
        assert_eq!(texts(0.0, 4e-9), ["0", "1e-9", "2e-9", "3e-9", "4e-9"]);
        assert_eq!(texts(999.0, 1000.0), ["999.0", "999.2", "999.4", "999.6", "999.8", "1000.0"]);
        assert_eq!(texts(0.0, 0.3), ["0", "0.1", "0.2", "0.3"]);
    }

    #[test]
    fn any_range_has_few_marks_inside_of_it() {
        let numbers = [0.0, 5e-324, 1e-300, 1.0, 1.0000000000000002, 1e16, 1.7e308, f64::MAX];
        for (a, b) in numbers.iter().flat_map(|a| numbers.iter().map(move |b| (*a, *b))) {
            for ends in [[a, b], [-a, b], [-a, -b]] {
                let axis = Axis::over(ends);
                assert!(axis.low < axis.high && axis.low.is_finite() && axis.high.is_finite(), "{ends:?}: {axis:?}");
                let ticks = axis.ticks(5);
                assert!((1..=8).contains(&ticks.len()), "{ends:?}: {ticks:?}");
                assert!(ticks.iter().all(|(value, _)| (0.0..=1.0).contains(&axis.part(*value))), "{ends:?}: {ticks:?}");
                assert_eq!((axis.part(axis.low), axis.part(axis.high)), (0.0, 1.0), "{ends:?}");
            }
        }
        assert_eq!(Axis::over([f64::NAN, f64::INFINITY]), Axis { low: 0.0, high: 1.0 });
        assert_eq!(Axis::over([3.0, f64::NAN, -1.0]), Axis { low: -1.0, high: 3.0 });
    }
}
