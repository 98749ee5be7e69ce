//! Runs one call on a backend and compares it with the oracle, to the bit.

use super::oracle::{self, Cut, Rule};
use super::place::{Buffer, Place};
use super::sample::Sample;
use upsweep::operator::Map;
use upsweep::segments::{Segmentation, Whole};
use upsweep::{Device, Element, Function, Init, Operator, Reduce, Result, Scan, Segments};

/// What every scan and reduction begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start<T> {
    Nothing,
    /// `init`
    Value(T),
    /// `init_from`
    Buffer(T),
}

/// The options of one call. A reduction has no direction.
#[derive(Clone, Debug)]
pub(crate) struct Case<T> {
    pub(crate) exclusive: bool,
    pub(crate) reverse: bool,
    pub(crate) start: Start<T>,
    pub(crate) cut: Cut,
    /// Elements between an aligned address and the input, and the output.
    pub(crate) offsets: (usize, usize),
}

impl<T> Case<T> {
    /// A forward inclusive scan or a reduction, of the whole array.
    pub(crate) fn new() -> Self {
        Self { exclusive: false, reverse: false, start: Start::Nothing, cut: Cut::Whole, offsets: (0, 0) }
    }

    pub(crate) fn exclusive(self, exclusive: bool) -> Self {
        Self { exclusive, ..self }
    }

    pub(crate) fn reverse(self, reverse: bool) -> Self {
        Self { reverse, ..self }
    }

    pub(crate) fn start(self, start: Start<T>) -> Self {
        Self { start, ..self }
    }

    pub(crate) fn cut(self, cut: Cut) -> Self {
        Self { cut, ..self }
    }

    pub(crate) fn offsets(self, input: usize, output: usize) -> Self {
        Self { offsets: (input, output), ..self }
    }

    /// Forward and reverse, inclusive and exclusive; exclusive only where there is something to begin with.
    pub(crate) fn directions(self, identity: bool) -> Vec<Self>
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

/// How the buffers of a scan are given.
trait Buffers<Op, M, F, T: Element> {
    fn run<S: Segmentation, V: Init<T>>(&mut self, device: &Device, scan: &Scan<'_, Op, M, F, S, V>) -> Result<()>;
}

struct Apart<'a, I, O>(&'a Buffer<I>, &'a mut Buffer<O>);

impl<I, T, O, Op, M, F> Buffers<Op, M, F, T> for Apart<'_, I, O>
where
    I: Element,
    T: Element,
    O: Element,
    Op: Operator<T>,
    M: Map<I, Output = T>,
    F: Function<(T,), Output = O>,
{
    fn run<S: Segmentation, V: Init<T>>(&mut self, device: &Device, scan: &Scan<'_, Op, M, F, S, V>) -> Result<()> {
        scan.run(device, self.0, self.1)
    }
}

struct InPlace<'a, I>(&'a mut Buffer<I>);

impl<I, T, Op, M, F> Buffers<Op, M, F, T> for InPlace<'_, I>
where
    I: Element,
    T: Element,
    Op: Operator<T>,
    M: Map<I, Output = T>,
    F: Function<(T,), Output = I>,
{
    fn run<S: Segmentation, V: Init<T>>(&mut self, device: &Device, scan: &Scan<'_, Op, M, F, S, V>) -> Result<()> {
        scan.run_in_place(device, self.0)
    }
}

/// Checks that are compiled for whole arrays and axes: most need no more.
pub(crate) struct Lines;

/// Checks that are compiled for segments too, each of whose kinds is a backend function of its own.
pub(crate) struct Cuts;

/// A scan of a whole array.
type WholeScan<'a, Op, M, F, V> = Scan<'a, Op, M, F, Whole, V>;
/// A reduction of a whole array.
type WholeReduce<'a, Op, M, F, V> = Reduce<'a, Op, M, F, Whole, V>;

/// The buffers of a reduction.
struct Reduced<'a, I, O> {
    device: &'a Device,
    input: &'a Buffer<I>,
    output: &'a mut Buffer<O>,
    count: Option<&'a mut Buffer<u64>>,
}

impl<I: Element, O: Element> Reduced<'_, I, O> {
    fn run<T, Op, M, F, S, V>(self, reduce: &Reduce<'_, Op, M, F, S, V>) -> Result<()>
    where
        T: Element,
        Op: Operator<T>,
        M: Map<I, Output = T>,
        F: Function<(T,), Output = O>,
        S: Segmentation,
        V: Init<T>,
    {
        match self.count {
            Some(count) => reduce.run_counted(self.device, self.input, self.output, count),
            None => reduce.run(self.device, self.input, self.output),
        }
    }
}

/// Gives a call its cut, and checks what it computes. Implemented by [`Lines`] and [`Cuts`].
#[allow(private_interfaces, private_bounds, reason = "the two that implement it are in this file")]
pub(crate) trait Reach {
    fn run_scan<T, Op, M, F, V>(
        place: &Place,
        scan: WholeScan<'_, Op, M, F, V>,
        cut: &Cut,
        buffers: impl Buffers<Op, M, F, T>,
    ) -> Result<()>
    where
        V: Init<T>,
        T: Element;

    fn run_reduce<I, T, O, Op, M, F, V>(
        place: &Place,
        reduce: WholeReduce<'_, Op, M, F, V>,
        cut: &Cut,
        buffers: Reduced<'_, I, O>,
    ) -> Result<()>
    where
        I: Element,
        T: Element,
        O: Element,
        Op: Operator<T>,
        M: Map<I, Output = T>,
        F: Function<(T,), Output = O>,
        V: Init<T>;

    /// Scans `x` into another buffer.
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
        let input = place.upload(x, case.offsets.0);
        let mut output = place.poisoned::<O>(x.len(), case.offsets.1);
        start_scan::<Self, _, _, _, _>(place, scan, case, Apart(&input, &mut output));
        compare_scan::<_, _, _, Op>(rule, x, case, &output.check_guards());
        let kept = input.check_guards();
        assert!(kept.iter().zip(x).all(|(a, b)| a.same(b)), "the input of {case:?} was overwritten");
    }

    /// Scans `x` in place.
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
        let mut data = place.upload(x, case.offsets.0);
        start_scan::<Self, _, _, _, _>(place, scan, case, InPlace(&mut data));
        compare_scan::<_, _, _, Op>(rule, x, case, &data.check_guards());
    }

    /// Reduces `x`, and counts the segments when that is what the case has.
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
        // The number of segments by flags or keys depends on the data: the output may be longer, and keeps its rest.
        let open_ended = matches!(case.cut, Cut::HeadFlags(_) | Cut::Keys(_));
        let spare = if open_ended { x.len() % 4 } else { 0 };
        let input = place.upload(x, case.offsets.0);
        let mut output = place.poisoned::<O>(expected.len() + spare, case.offsets.1);
        let mut count = x.len().is_multiple_of(2).then(|| place.poisoned::<u64>(1, 1));
        let buffers = Reduced { device: &place.device, input: &input, output: &mut output, count: count.as_mut() };
        let result = match &case.start {
            Start::Nothing => Self::run_reduce(place, reduce, &case.cut, buffers),
            Start::Value(value) => Self::run_reduce(place, reduce.init(*value), &case.cut, buffers),
            Start::Buffer(value) => {
                Self::run_reduce(place, reduce.init_from(&place.upload(&[*value], 3)), &case.cut, buffers)
            }
        };
        assert_eq!(result, Ok(()), "{case:?} of {} elements", x.len());
        let found = output.check_guards();
        compare::<Op, I, O>(&expected, &found[..expected.len()], x.len(), &format!("reduce {case:?}"));
        assert!(found[expected.len()..].iter().all(|v| v.same(&O::poison())), "results past the last segment");
        if let Some(count) = count {
            assert_eq!(count.check_guards(), [expected.len() as u64], "the number of segments of {case:?}");
        }
    }
}

#[allow(private_interfaces, private_bounds, reason = "the two that implement it are in this file")]
impl Reach for Lines {
    fn run_scan<T, Op, M, F, V>(
        place: &Place,
        scan: WholeScan<'_, Op, M, F, V>,
        cut: &Cut,
        mut buffers: impl Buffers<Op, M, F, T>,
    ) -> Result<()>
    where
        V: Init<T>,
        T: Element,
    {
        match cut {
            Cut::Axis(shape, axis) => buffers.run(&place.device, &scan.axis(shape, *axis)),
            Cut::Whole => buffers.run(&place.device, &scan),
            _ => panic!("this check is not compiled for segments"),
        }
    }

    fn run_reduce<I, T, O, Op, M, F, V>(
        _: &Place,
        reduce: WholeReduce<'_, Op, M, F, V>,
        cut: &Cut,
        buffers: Reduced<'_, I, O>,
    ) -> Result<()>
    where
        I: Element,
        T: Element,
        O: Element,
        Op: Operator<T>,
        M: Map<I, Output = T>,
        F: Function<(T,), Output = O>,
        V: Init<T>,
    {
        match cut {
            Cut::Axis(shape, axis) => buffers.run(&reduce.axis(shape, *axis)),
            Cut::Whole => buffers.run(&reduce),
            _ => panic!("this check is not compiled for segments"),
        }
    }
}

#[allow(private_interfaces, private_bounds, reason = "the two that implement it are in this file")]
impl Reach for Cuts {
    fn run_scan<T, Op, M, F, V>(
        place: &Place,
        scan: WholeScan<'_, Op, M, F, V>,
        cut: &Cut,
        mut buffers: impl Buffers<Op, M, F, T>,
    ) -> Result<()>
    where
        V: Init<T>,
        T: Element,
    {
        let device = &place.device;
        match cut {
            Cut::HeadFlags(x) => {
                buffers.run(device, &scan.segments(Segments::HeadFlags(&place.upload(x, x.len() % 5))))
            }
            Cut::Keys(x) => buffers.run(device, &scan.segments(Segments::Keys(&place.upload(x, x.len() % 7)))),
            Cut::Offsets(x) => buffers.run(device, &scan.segments(Segments::Offsets(&place.upload(x, x.len() % 3)))),
            Cut::Whole | Cut::Axis(..) => Lines::run_scan(place, scan, cut, buffers),
        }
    }

    fn run_reduce<I, T, O, Op, M, F, V>(
        place: &Place,
        reduce: WholeReduce<'_, Op, M, F, V>,
        cut: &Cut,
        buffers: Reduced<'_, I, O>,
    ) -> Result<()>
    where
        I: Element,
        T: Element,
        O: Element,
        Op: Operator<T>,
        M: Map<I, Output = T>,
        F: Function<(T,), Output = O>,
        V: Init<T>,
    {
        match cut {
            Cut::HeadFlags(x) => buffers.run(&reduce.segments(Segments::HeadFlags(&place.upload(x, x.len() % 5)))),
            Cut::Keys(x) => buffers.run(&reduce.segments(Segments::Keys(&place.upload(x, x.len() % 7)))),
            Cut::Offsets(x) => buffers.run(&reduce.segments(Segments::Offsets(&place.upload(x, x.len() % 3)))),
            Cut::Whole | Cut::Axis(..) => Lines::run_reduce(place, reduce, cut, buffers),
        }
    }
}

/// Gives a scan its direction and its initial value, and runs it.
#[track_caller]
fn start_scan<R: Reach + ?Sized, T, Op, M, F>(
    place: &Place,
    scan: Scan<'_, Op, M, F>,
    case: &Case<T>,
    buffers: impl Buffers<Op, M, F, T>,
) where
    T: Sample,
{
    let scan = if case.exclusive { scan.exclusive() } else { scan.inclusive() };
    let scan = if case.reverse { scan.reverse() } else { scan };
    let result = match &case.start {
        Start::Nothing => R::run_scan(place, scan, &case.cut, buffers),
        Start::Value(value) => R::run_scan(place, scan.init(*value), &case.cut, buffers),
        Start::Buffer(value) => R::run_scan(place, scan.init_from(&place.upload(&[*value], 3)), &case.cut, buffers),
    };
    assert_eq!(result, Ok(()), "{case:?}");
}

#[track_caller]
fn compare_scan<I: Sample, T: Sample, O: Sample, Op>(rule: &Rule<I, T, O>, x: &[I], case: &Case<T>, found: &[O]) {
    let lines = case.cut.lines(x.len());
    let expected = oracle::scan(x, &lines, rule, case.start.value(), case.exclusive, case.reverse);
    compare::<Op, I, O>(&expected, found, x.len(), &format!("scan {case:?}"));
}

/// Compares results to the bit.
///
/// # Panics
/// At a difference, with the first one and their number.
#[track_caller]
fn compare<Op, I, O: Sample>(expected: &[O], found: &[O], len: usize, case: &str) {
    assert_eq!(expected.len(), found.len());
    let wrong: Vec<usize> = (0..found.len()).filter(|&i| !found[i].same(&expected[i])).collect();
    if let Some(&i) = wrong.first() {
        let (operator, input) = (std::any::type_name::<Op>(), std::any::type_name::<I>());
        panic!(
            "{operator} of {len} x {input}, {case}: result {i} is {:?} and must be {:?}; {} of {} are wrong",
            found[i],
            expected[i],
            wrong.len(),
            found.len()
        );
    }
}
