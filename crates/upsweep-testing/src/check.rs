//! Comparison of one call on a backend with the oracle, to the bit.

use crate::oracle::{self, Cut, Rule};
use crate::place::{Buffer, Place};
use crate::sample::Sample;
use upsweep::operator::Map;
use upsweep::segments::{Segmentation, Whole};
use upsweep::{Device, Element, Function, Init, Operator, Reduce, Result, Scan, Segments};

/// Initial value of a scan or reduction.
#[derive(Clone, Copy, Debug)]
pub enum Start<T> {
    Nothing,
    /// Value given by `init`.
    Value(T),
    /// Value given by `init_from`.
    Buffer(T),
}

/// Options of one scan or reduction. A reduction uses neither `exclusive` nor `reverse`.
#[derive(Clone, Debug)]
pub struct Case<T> {
    pub exclusive: bool,
    pub reverse: bool,
    pub start: Start<T>,
    pub cut: Cut,
    /// Number of elements from an aligned address to the start of the input, and to the start of the output.
    pub offsets: (usize, usize),
}

impl<T> Case<T> {
    /// Creates the case of a forward inclusive scan, or of a reduction, of the whole array.
    pub fn new() -> Self {
        Self { exclusive: false, reverse: false, start: Start::Nothing, cut: Cut::Whole, offsets: (0, 0) }
    }

    pub fn exclusive(self, exclusive: bool) -> Self {
        Self { exclusive, ..self }
    }

    pub fn reverse(self, reverse: bool) -> Self {
        Self { reverse, ..self }
    }

    pub fn start(self, start: Start<T>) -> Self {
        Self { start, ..self }
    }

    pub fn cut(self, cut: Cut) -> Self {
        Self { cut, ..self }
    }

    pub fn offsets(self, input: usize, output: usize) -> Self {
        Self { offsets: (input, output), ..self }
    }

    /// Returns the case in each direction (forward and reverse) and of each kind (inclusive and exclusive). Exclusive
    /// scans are left out if there is neither an identity nor an initial value.
    pub fn directions(self, identity: bool) -> Vec<Self>
    where
        T: Clone,
    {
        let may_exclude = identity || !matches!(self.start, Start::Nothing);
        let options = [(false, false), (false, true), (true, false), (true, true)];
        let options = options.into_iter().filter(|&(exclusive, _)| may_exclude || !exclusive);
        options.map(|(exclusive, reverse)| self.clone().exclusive(exclusive).reverse(reverse)).collect()
    }
}

impl<T: Copy> Start<T> {
    fn value(self) -> Option<T> {
        match self {
            Self::Nothing => None,
            Self::Value(value) | Self::Buffer(value) => Some(value),
        }
    }
}

/// A scan or reduction with its buffers, which is run once: of the whole array, along an axis, or by segments.
pub trait Call {
    fn whole(self) -> Result<()>;
    fn axis(self, shape: &[usize], axis: usize) -> Result<()>;
    fn segments<S: Segmentation>(self, segments: S) -> Result<()>;
}

/// A scan with its options and buffers, which runs as a [`Call`].
struct Scanning<'a, Op, M, F, V, B> {
    device: &'a Device,
    scan: Scan<'a, Op, M, F, Whole, V>,
    buffers: B,
}

impl<Op, M, F, V, B> Call for Scanning<'_, Op, M, F, V, B>
where
    B: Buffers<Op, M, F>,
    V: Init<B::T>,
{
    fn whole(self) -> Result<()> {
        self.buffers.run(self.device, &self.scan)
    }
    fn axis(self, shape: &[usize], axis: usize) -> Result<()> {
        self.buffers.run(self.device, &self.scan.axis(shape, axis))
    }
    fn segments<S: Segmentation>(self, segments: S) -> Result<()> {
        self.buffers.run(self.device, &self.scan.segments(segments))
    }
}

/// Buffers of a scan: separate, or in place.
trait Buffers<Op, M, F> {
    /// Operand type of the operator.
    type T: Element;
    fn run<S: Segmentation, V: Init<Self::T>>(self, device: &Device, scan: &Scan<'_, Op, M, F, S, V>) -> Result<()>;
}

struct Apart<'a, I, O>(&'a Buffer<I>, &'a mut Buffer<O>);

impl<I, O, Op, M, F> Buffers<Op, M, F> for Apart<'_, I, O>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
{
    type T = M::Output;
    fn run<S: Segmentation, V: Init<Self::T>>(self, device: &Device, scan: &Scan<'_, Op, M, F, S, V>) -> Result<()> {
        scan.run(device, self.0, self.1)
    }
}

struct InPlace<'a, I>(&'a mut Buffer<I>);

impl<I, Op, M, F> Buffers<Op, M, F> for InPlace<'_, I>
where
    I: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = I>,
{
    type T = M::Output;
    fn run<S: Segmentation, V: Init<Self::T>>(self, device: &Device, scan: &Scan<'_, Op, M, F, S, V>) -> Result<()> {
        scan.run_in_place(device, self.0)
    }
}

/// A reduction with its options and buffers, which runs as a [`Call`].
struct Reducing<'a, Op, M, F, V, I, O> {
    device: &'a Device,
    reduce: Reduce<'a, Op, M, F, Whole, V>,
    buffers: Reduced<'a, I, O>,
}

/// Buffers of a reduction: input, output, and the number of segments, if it is stored.
struct Reduced<'a, I, O>(&'a Buffer<I>, &'a mut Buffer<O>, Option<&'a mut Buffer<u64>>);

impl<Op, M, F, V, I, O> Call for Reducing<'_, Op, M, F, V, I, O>
where
    I: Element,
    O: Element,
    M: Map<I>,
    Op: Operator<M::Output>,
    F: Function<(M::Output,), Output = O>,
    V: Init<M::Output>,
{
    fn whole(self) -> Result<()> {
        self.buffers.run(self.device, &self.reduce)
    }
    fn axis(self, shape: &[usize], axis: usize) -> Result<()> {
        self.buffers.run(self.device, &self.reduce.axis(shape, axis))
    }
    fn segments<S: Segmentation>(self, segments: S) -> Result<()> {
        self.buffers.run(self.device, &self.reduce.segments(segments))
    }
}

impl<I: Element, O: Element> Reduced<'_, I, O> {
    fn run<Op, M, F, S, V>(self, device: &Device, reduce: &Reduce<'_, Op, M, F, S, V>) -> Result<()>
    where
        M: Map<I>,
        Op: Operator<M::Output>,
        F: Function<(M::Output,), Output = O>,
        S: Segmentation,
        V: Init<M::Output>,
    {
        let Self(input, output, count) = self;
        match count {
            Some(count) => reduce.run_counted(device, input, output, count),
            None => reduce.run(device, input, output),
        }
    }
}

/// Checks of calls on whole arrays and along axes, which suffice for most test cases. Fewer backend functions are
/// compiled for them than for [`Cuts`].
pub struct Lines;

/// Checks of calls on whole arrays, along axes and by segments. Each kind of segments is a backend function of its own.
pub struct Cuts;

/// Checks of calls, whose results are compared with the oracle's. [`Lines`] and [`Cuts`] implement it for the divisions
/// of an array ([`Cut`]) that each can run.
pub trait Reach {
    fn run(place: &Place, call: impl Call, cut: &Cut) -> Result<()>;

    /// Checks a scan of `x` into another buffer.
    #[track_caller]
    fn scan<I, T, O, Op, M, F>(
        &self,
        place: &Place,
        scan: Scan<'_, Op, M, F>,
        rule: &Rule<I, T, O>,
        x: &[I],
        case: &Case<T>,
    ) where
        I: Sample,
        T: Sample,
        O: Sample,
        Op: Operator<T>,
        M: Map<I, Output = T>,
        F: Function<(T,), Output = O>,
    {
        scan_apart::<Self, _, _, _, _, _, _>(place, scan, &expected_scan(rule, x, case), x, case);
    }

    /// Checks scans of `x` into another buffer, and in place.
    #[track_caller]
    fn scan_both<T, Op, M, F>(
        &self,
        place: &Place,
        scan: Scan<'_, Op, M, F>,
        rule: &Rule<T, T, T>,
        x: &[T],
        case: &Case<T>,
    ) where
        T: Sample,
        Op: Operator<T>,
        M: Map<T, Output = T>,
        F: Function<(T,), Output = T>,
    {
        let expected = expected_scan(rule, x, case);
        scan_apart::<Self, _, _, _, _, _, _>(place, scan, &expected, x, case);
        scan_in_place::<Self, _, _, _, _, _>(place, scan, &expected, x, case);
    }

    /// Checks a scan of `x` in place.
    #[track_caller]
    fn scan_in_place<I, T, Op, M, F>(
        &self,
        place: &Place,
        scan: Scan<'_, Op, M, F>,
        rule: &Rule<I, T, I>,
        x: &[I],
        case: &Case<T>,
    ) where
        I: Sample,
        T: Sample,
        Op: Operator<T>,
        M: Map<I, Output = T>,
        F: Function<(T,), Output = I>,
    {
        scan_in_place::<Self, _, _, _, _, _>(place, scan, &expected_scan(rule, x, case), x, case);
    }

    /// Checks a reduction of `x`, and for inputs of an even length also the number of results that it stores.
    #[track_caller]
    fn reduce<I, T, O, Op, M, F>(
        &self,
        place: &Place,
        reduce: Reduce<'_, Op, M, F>,
        rule: &Rule<I, T, O>,
        x: &[I],
        case: &Case<T>,
    ) where
        I: Sample,
        T: Sample,
        O: Sample,
        Op: Operator<T>,
        M: Map<I, Output = T>,
        F: Function<(T,), Output = O>,
    {
        let expected = oracle::reduce(x, &case.cut.lines(x.len()), rule, case.start.value());
        // The number of segments by flags or keys depends on the data: the output may be longer, and what follows the
        // results stays unchanged.
        let open_ended = matches!(case.cut, Cut::HeadFlags(_) | Cut::Keys(_));
        let spare = if open_ended { x.len() % 4 } else { 0 };
        let input = place.upload(x, case.offsets.0);
        let mut output = place.poisoned::<O>(expected.len() + spare, case.offsets.1);
        let mut count = x.len().is_multiple_of(2).then(|| place.poisoned::<u64>(1, 1));
        let (device, buffers) = (&place.device, Reduced(&input, &mut output, count.as_mut()));
        let result = match &case.start {
            Start::Nothing => Self::run(place, Reducing { device, reduce, buffers }, &case.cut),
            Start::Value(value) => {
                Self::run(place, Reducing { device, reduce: reduce.init(*value), buffers }, &case.cut)
            }
            Start::Buffer(value) => {
                let value = place.upload(&[*value], 3);
                Self::run(place, Reducing { device, reduce: reduce.init_from(&value), buffers }, &case.cut)
            }
        };
        assert_eq!(result, Ok(()), "{case:?} of {} elements", x.len());
        let found = output.checked();
        compare::<Op, I, O>(&expected, &found[..expected.len()], x.len(), || format!("reduce {case:?}"));
        assert!(found[expected.len()..].iter().all(|v| v.same(&O::poison())), "results past the last segment");
        if let Some(count) = count {
            assert_eq!(count.check_guards(), [expected.len() as u64], "the number of segments of {case:?}");
        }
    }
}

impl Reach for Lines {
    fn run(_: &Place, call: impl Call, cut: &Cut) -> Result<()> {
        match cut {
            Cut::Whole => call.whole(),
            Cut::Axis(shape, axis) => call.axis(shape, *axis),
            _ => panic!("this check is not compiled for segments"),
        }
    }
}

impl Reach for Cuts {
    fn run(place: &Place, call: impl Call, cut: &Cut) -> Result<()> {
        match cut {
            Cut::HeadFlags(x) => call.segments(Segments::HeadFlags(&place.upload(x, x.len() % 5))),
            Cut::Keys(x) => call.segments(Segments::Keys(&place.upload(x, x.len() % 7))),
            Cut::Offsets(x) => call.segments(Segments::Offsets(&place.upload(x, x.len() % 3))),
            Cut::Whole | Cut::Axis(..) => Lines::run(place, call, cut),
        }
    }
}

/// Applies the direction and the initial value of `case` to a scan, and runs it on its buffers.
#[track_caller]
fn start_scan<R: Reach + ?Sized, T: Sample, Op, M, F>(
    place: &Place,
    scan: Scan<'_, Op, M, F>,
    case: &Case<T>,
    buffers: impl Buffers<Op, M, F, T = T>,
) {
    let scan = if case.exclusive { scan.exclusive() } else { scan.inclusive() };
    let scan = if case.reverse { scan.reverse() } else { scan };
    let device = &place.device;
    let result = match &case.start {
        Start::Nothing => R::run(place, Scanning { device, scan, buffers }, &case.cut),
        Start::Value(value) => R::run(place, Scanning { device, scan: scan.init(*value), buffers }, &case.cut),
        Start::Buffer(value) => {
            let value = place.upload(&[*value], 3);
            R::run(place, Scanning { device, scan: scan.init_from(&value), buffers }, &case.cut)
        }
    };
    assert_eq!(result, Ok(()), "{case:?}");
}

/// Scans `x` into another buffer, and compares the results with the `expected` ones.
#[track_caller]
fn scan_apart<R: Reach + ?Sized, I, T, O, Op, M, F>(
    place: &Place,
    scan: Scan<'_, Op, M, F>,
    expected: &[O],
    x: &[I],
    case: &Case<T>,
) where
    I: Sample,
    T: Sample,
    O: Sample,
    for<'a> Apart<'a, I, O>: Buffers<Op, M, F, T = T>,
{
    let input = place.upload(x, case.offsets.0);
    let mut output = place.poisoned::<O>(x.len(), case.offsets.1);
    start_scan::<R, _, _, _, _>(place, scan, case, Apart(&input, &mut output));
    compare::<Op, I, O>(expected, &output.checked(), x.len(), || format!("scan {case:?}"));
    let kept = input.checked();
    assert!(kept.iter().zip(x).all(|(a, b)| a.same(b)), "the input of {case:?} was overwritten");
}

/// Scans `x` in place, and compares the results with the `expected` ones.
#[track_caller]
fn scan_in_place<R: Reach + ?Sized, I, T, Op, M, F>(
    place: &Place,
    scan: Scan<'_, Op, M, F>,
    expected: &[I],
    x: &[I],
    case: &Case<T>,
) where
    I: Sample,
    T: Sample,
    for<'a> InPlace<'a, I>: Buffers<Op, M, F, T = T>,
{
    let mut data = place.upload(x, case.offsets.0);
    start_scan::<R, _, _, _, _>(place, scan, case, InPlace(&mut data));
    compare::<Op, I, I>(expected, &data.checked(), x.len(), || format!("scan {case:?} in place"));
}

/// Computes the expected results of the scan of `x` with the options of `case`, by the oracle.
fn expected_scan<I: Sample, T: Sample, O: Sample>(rule: &Rule<I, T, O>, x: &[I], case: &Case<T>) -> Vec<O> {
    oracle::scan(x, &case.cut.lines(x.len()), rule, case.start.value(), case.exclusive, case.reverse)
}

/// Compares the results `found` with the `expected` ones, to the bit.
///
/// # Panics
/// At a difference, with the first one and their number.
#[track_caller]
fn compare<Op, I, O: Sample>(expected: &[O], found: &[O], len: usize, case: impl FnOnce() -> String) {
    assert_eq!(expected.len(), found.len());
    let wrong: Vec<usize> = (0..found.len()).filter(|&i| !found[i].same(&expected[i])).collect();
    if let Some(&i) = wrong.first() {
        let (operator, input, case) = (std::any::type_name::<Op>(), std::any::type_name::<I>(), case());
        panic!(
            "{operator} of {len} x {input}, {case}: result {i} is {:?} and must be {:?}; {} of {} are wrong",
            found[i],
            expected[i],
            wrong.len(),
            found.len()
        );
    }
}
