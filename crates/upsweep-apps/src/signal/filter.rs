//! IIR filters, in one direction and in both (zero phase).

use super::along::Along;
use super::sample::{Sample, picked};
use super::steady;
use upsweep::Shape;
use upsweep::recurrence::Signal;
use upsweep::{Carry, Device, Error, Input, Output, Recurrence, Result};
use upsweep_core::memory;

/// Coefficients of a linear filter.
#[derive(Clone, Copy, Debug)]
enum Coefficients<'a> {
    Direct { b: &'a [f64], a: &'a [f64] },
    Sections(&'a [[f64; 6]]),
}

impl<'a> Coefficients<'a> {
    fn recurrence(self) -> Recurrence<'a, f64> {
        match self {
            Self::Direct { b, a } => Recurrence::new(b, a),
            Self::Sections(sections) => Recurrence::sections(sections),
        }
    }

    fn states(self) -> usize {
        match self {
            Self::Direct { b, a } => b.len().max(a.len()).saturating_sub(1),
            Self::Sections(sections) => 2 * sections.len(),
        }
    }
}

/// Filter from the first element of a signal to the last, with initial states of 0: `scipy.signal.lfilter`, or with
/// sections `scipy.signal.sosfilt`. [`Recurrence`] is the same with more options.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct Filter<'a> {
    coefficients: Coefficients<'a>,
    along: Along<'a>,
}

impl<'a> Filter<'a> {
    /// Filter with the coefficients `b` of elements and `a` of results, of an order of at most 16.
    pub fn new(b: &'a [f64], a: &'a [f64]) -> Self {
        Self { coefficients: Coefficients::Direct { b, a }, along: Along::default() }
    }

    /// Cascade of at most 8 sections of order 2: `b[0] b[1] b[2] a[0] a[1] a[2]` each.
    pub fn sections(sections: &'a [[f64; 6]]) -> Self {
        Self { coefficients: Coefficients::Sections(sections), along: Along::default() }
    }

    /// Runs along `axis` (counted from 0) of a row-major array of this `shape`: each line is a signal of its own.
    pub fn axis(mut self, shape: &'a [usize], axis: usize) -> Self {
        self.along.axis = Some((shape, axis));
        self
    }

    /// Filters forward, and then backward over the results, so that nothing is delayed: `scipy.signal.filtfilt` and
    /// `sosfiltfilt`.
    pub fn both_ways(self) -> BothWays<'a> {
        BothWays { filter: self, padding: Padding::Odd, elements: None, goes_on: None }
    }

    /// Filters `input` into `output`, which has the same length.
    ///
    /// # Errors
    /// As [`Recurrence::run`].
    pub fn run<X, Y, T>(&self, device: &Device, input: &X, output: &mut Y) -> Result<()>
    where
        X: Input<Item = T> + ?Sized,
        Y: Output<Item = T> + ?Sized,
        T: Sample + Signal<f64>,
    {
        self.along.put(self.coefficients.recurrence()).run(device, input, output)
    }

    /// Filters a part of a signal, after the parts before it: see [`Recurrence::run_with_carry`].
    ///
    /// # Errors
    /// As [`Recurrence::run_with_carry`].
    pub fn run_with_carry<X, Y, T>(&self, device: &Device, input: &X, output: &mut Y, carry: &mut Carry) -> Result<()>
    where
        X: Input<Item = T> + ?Sized,
        Y: Output<Item = T> + ?Sized,
        T: Sample + Signal<f64>,
    {
        self.along.put(self.coefficients.recurrence()).run_with_carry(device, input, output, carry)
    }
}

/// Extension of a signal before its first element and after its last one, with which a filter settles before the signal
/// begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// Rotated by half a turn around the element at the end: `2 x[0] - x[k]`.
    Odd,
    /// Mirrored at the element at the end: `x[k]`.
    Even,
    /// The element at the end repeated.
    Constant,
    /// No padding: the filter begins in the steady state of the element at the end.
    None,
}

/// A [`Filter`] forward and backward, made by [`Filter::both_ways`]. The filter's gain applies twice to the amplitude
/// of each frequency; phases are unchanged.
///
/// Each end of the signal is [padded](Self::padding). Each direction begins in the filter's steady state of the first
/// element that it reads.
#[derive(Clone, Copy, Debug)]
#[must_use = "it does nothing until it is run"]
pub struct BothWays<'a> {
    filter: Filter<'a>,
    padding: Padding,
    elements: Option<usize>,
    /// Number of elements after the padding in which the forward results fade out, for a signal that goes on there;
    /// `None` for a signal that ends with its padding.
    goes_on: Option<usize>,
}

impl BothWays<'_> {
    /// Sets the padding of both ends of the signal; [`Padding::Odd`] by default.
    pub fn padding(mut self, padding: Padding) -> Self {
        self.padding = padding;
        self
    }

    /// Sets the number of elements by which each end is padded. The default is SciPy's: three times the number of
    /// coefficients. A signal is longer than its padding.
    pub fn padded_by(mut self, elements: usize) -> Self {
        self.elements = Some(elements);
        self
    }

    /// The signal goes on after the padding with the padding's last element repeated, and the filter forgets its states
    /// within `elements` elements. Without this a direction begins in the steady state of the first element it reads,
    /// as in SciPy, though the other direction may not have settled there.
    pub(crate) fn going_on(mut self, elements: usize) -> Self {
        self.goes_on = Some(elements);
        self
    }

    /// Filters `input` into `output`, which has the same length. On CUDA this waits between the two directions.
    ///
    /// # Errors
    /// - [`Error::Coefficients`]: as [`Recurrence::run`]; the filter has no steady state; or a signal is no longer than
    ///   its padding
    /// - the others of [`Recurrence::run`]
    pub fn run<X, Y, T>(&self, device: &Device, input: &X, output: &mut Y) -> Result<()>
    where
        X: Input<Item = T> + ?Sized,
        Y: Output<Item = T> + Input<Item = T> + ?Sized,
        T: Sample + Signal<f64>,
    {
        let Self { filter: Filter { coefficients, along }, .. } = *self;
        let shape = along.shape(Input::view(input).len())?;
        // An empty run finds errors of the coefficients before anything is computed.
        coefficients.recurrence().run_to_vec(&Device::cpu(), &Vec::<T>::new())?;
        let steady = match coefficients {
            Coefficients::Direct { b, a } => steady::direct(b, a),
            Coefficients::Sections(sections) => steady::cascade(sections),
        }?;
        let padded = self.padded();
        if padded > 0 && shape.len <= padded {
            return Err(Error::Coefficients {
                what: format!("the padding of a signal of {} elements", shape.len),
                value: padded.to_string(),
                rule: "a signal is longer than its padding: pad it by fewer elements",
            });
        }
        if Input::view(input).is_empty() {
            return along.put(coefficients.recurrence()).run(device, input, output);
        }
        let ends = Ends { coefficients, steady, shape, padded };
        let [before, after] = ends.of(self.padding, device, input)?;
        let first = device.upload(&ends.go_over(before, false)?.1)?;
        let mut last = device.filled(ends.states(), 0.0f64)?;
        along.put(coefficients.recurrence()).state(&first).run_with_state(device, input, output, &mut last)?;
        let first = if padded == 0 {
            ends.go_over(picked(device, &*output, shape, &[shape.len - 1])?, true)?.1
        } else {
            let (levels, mut behind) = (ends.outermost(&after), after);
            let states = ends.run(&mut behind, &last.to_vec()?, false)?;
            match self.goes_on {
                None => ends.go_over(behind, true)?.1,
                Some(elements) => {
                    let first = ends.returning(&states, &levels, elements)?;
                    ends.run(&mut behind, &first, true)?
                }
            }
        };
        let first = device.upload(&first)?;
        along.put(coefficients.recurrence()).reverse().state(&first).run_in_place(device, output)
    }

    fn padded(&self) -> usize {
        let coefficients = match self.filter.coefficients {
            Coefficients::Direct { b, a } => b.len().max(a.len()),
            Coefficients::Sections(sections) => {
                let without = |i: usize| sections.iter().filter(|section| section[i] == 0.0).count();
                2 * sections.len() + 1 - without(2).min(without(5))
            }
        };
        match (self.padding, self.elements) {
            (Padding::None, _) => 0,
            (_, elements) => elements.unwrap_or(3 * coefficients),
        }
    }
}

/// Padding at both ends of the signals. It is filtered on the host: these are some tens of elements.
struct Ends<'a> {
    coefficients: Coefficients<'a>,
    /// States of the filter after infinitely many elements of 1.
    steady: Vec<f64>,
    shape: Shape,
    padded: usize,
}

impl Ends<'_> {
    fn states(&self) -> usize {
        self.shape.lines() * self.coefficients.states()
    }

    /// Returns the padding before all lines, and the padding after them; without padding, the first element of each
    /// line, and nothing.
    fn of<X, T>(&self, padding: Padding, device: &Device, input: &X) -> Result<[Vec<f64>; 2]>
    where
        X: Input<Item = T> + ?Sized,
        T: Sample,
    {
        let Self { shape, padded, .. } = *self;
        let Shape { len, inner, .. } = shape;
        if padded == 0 {
            return Ok([picked(device, input, shape, &[0])?, Vec::new()]);
        }
        let positions = memory::collected(2 * padded + 2, (0..=padded).chain(len - 1 - padded..len))?;
        let near = picked(device, input, shape, &positions)?;
        let rows = positions.len();
        // Padding at one end of all lines, in signal order: `at_end` is the row, in `near`, of the elements at that
        // end, and `away` returns the row of the elements that row `k` of the padding is computed from.
        let end = |at_end: usize, away: &dyn Fn(usize) -> usize| {
            let mut all = memory::room(shape.lines() * padded)?;
            for line in near.chunks_exact(rows * inner) {
                for k in 0..padded {
                    for i in 0..inner {
                        let (end, x) = (line[at_end * inner + i], line[away(k) * inner + i]);
                        all.push(match padding {
                            Padding::Odd => 2.0 * end - x,
                            Padding::Even => x,
                            Padding::Constant | Padding::None => end,
                        });
                    }
                }
            }
            Ok(all)
        };
        Ok([end(0, &|k| padded - k)?, end(rows - 1, &|k| rows - 2 - k)?])
    }

    /// Filters padding, with the steady state of its first element as the initial state. Returns the results and the
    /// states after the padding.
    fn go_over(&self, mut padding: Vec<f64>, reverse: bool) -> Result<(Vec<f64>, Vec<f64>)> {
        let Shape { inner, .. } = self.shape;
        let rows = self.padded.max(1);
        let first = if reverse { rows - 1 } else { 0 };
        let mut states = memory::room(self.states())?;
        for line in padding.chunks_exact(rows * inner) {
            for z in &self.steady {
                states.extend(line.iter().skip(first * inner).take(inner).map(|x| z * x));
            }
        }
        if self.padded > 0 {
            states = self.run(&mut padding, &states, reverse)?;
        }
        Ok((padding, states))
    }

    /// Returns the last element of the padding after each line.
    fn outermost(&self, after: &[f64]) -> Vec<f64> {
        let Shape { inner, .. } = self.shape;
        let lines = after.chunks_exact((self.padded * inner).max(1));
        lines.flat_map(|line| line.iter().skip((self.padded - 1) * inner)).copied().collect()
    }

    /// Returns the states with which the backward direction enters the padding, when the signal goes on after it at the
    /// constant level of its line, in `levels`, without end. `states` are those with which the forward direction left
    /// the padding. Their difference from the steady states fades out after the padding, and comes back as a linear
    /// function of itself.
    fn returning(&self, states: &[f64], levels: &[f64], elements: usize) -> Result<Vec<f64>> {
        let (cpu, count) = (Device::cpu(), self.coefficients.states());
        let mut back = Vec::with_capacity(count * count);
        for unit in 0..count {
            let state: Vec<f64> = (0..count).map(|k| f64::from(u8::from(k == unit))).collect();
            let (mut fading, mut behind) = (cpu.filled(elements, 0.0f64)?, vec![0.0; count]);
            self.coefficients.recurrence().state(&state).run_in_place(&cpu, &mut fading)?;
            let zeros = vec![0.0; count];
            let mut results = cpu.filled(elements, 0.0f64)?;
            let way_back = self.coefficients.recurrence().reverse().state(&zeros);
            way_back.run_with_state(&cpu, &fading, &mut results, &mut behind)?;
            back.extend(behind);
        }
        let Shape { outer, inner, .. } = self.shape;
        let at = |o: usize, k: usize, i: usize| (o * count + k) * inner + i;
        let mut first = vec![0.0; states.len()];
        for (o, i) in (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))) {
            let level = levels[o * inner + i];
            for k in 0..count {
                let faded = (0..count)
                    .map(|unit| back[unit * count + k] * (states[at(o, unit, i)] - self.steady[unit] * level));
                first[at(o, k, i)] = self.steady[k] * level + faded.sum::<f64>();
            }
        }
        Ok(first)
    }

    /// Filters padding in place with `states` as the initial states, and returns the states after it.
    fn run(&self, padding: &mut [f64], states: &[f64], reverse: bool) -> Result<Vec<f64>> {
        let Shape { outer, inner, .. } = self.shape;
        let input = memory::collected(padding.len(), padding.iter().copied())?;
        let mut behind = memory::filled(states.len(), 0.0)?;
        let shape = [outer, self.padded, inner];
        let recurrence = self.coefficients.recurrence().axis(&shape, 1).state(states);
        let recurrence = if reverse { recurrence.reverse() } else { recurrence };
        recurrence.run_with_state(&Device::cpu(), &input, padding, &mut behind)?;
        Ok(behind)
    }
}
