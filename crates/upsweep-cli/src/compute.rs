//! From options as values to a call of the library: one operator, one type.

use crate::args::Op;
use crate::device::Chosen;
use crate::element::{Type, Value, Values, Visitor, with_type, with_values};
use crate::failure::{Failure, Result};
use crate::segments::Split;
use std::time::{Duration, Instant};
use upsweep::{Init, Operator, Reduce, Scan};

/// What to compute, whatever the type.
#[derive(Debug)]
pub(crate) struct Task<'a> {
    pub(crate) op: Op,
    pub(crate) exclusive: bool,
    pub(crate) reverse: bool,
    pub(crate) init: Option<&'a str>,
    /// The shape and the axis to work along.
    pub(crate) axis: Option<(&'a [usize], usize)>,
    pub(crate) split: &'a Split,
    /// How messages call the input.
    pub(crate) name: &'a str,
    pub(crate) device: &'a Chosen,
}

/// Scans `values` in place; returns the time it took, on CUDA with the copies to and from the device.
pub(crate) fn scan(values: &mut Values, task: &Task<'_>) -> Result<Duration> {
    let element = values.element();
    let init = init(task, element)?;
    let mut taken = task.same_bits(std::mem::replace(values, Vec::<u8>::new().into()));
    let done = with_values!(&mut taken, x => {
        let scanning = Scanning { x, init: value(&init), task };
        Value::with_operator(task.op, scanning).unwrap_or_else(|| Err(no_operator(task.name, task.op, element)))
    });
    *values = taken.back_to(element);
    done
}

/// Reduces `values` to `count` results; returns them and the time it took, on CUDA with the copies to and from the
/// device.
pub(crate) fn reduce(values: Values, count: usize, task: &Task<'_>) -> Result<(Values, Duration)> {
    let element = values.element();
    let init = init(task, element)?;
    with_values!(task.same_bits(values), x => {
        let reducing = Reducing { x: &x, count, init: value(&init), task };
        let done = Value::with_operator(task.op, reducing).unwrap_or_else(|| Err(no_operator(task.name, task.op, element)));
        done.map(|(results, time)| (Values::from(results).back_to(element), time))
    })
}

impl Task<'_> {
    /// Values with the same bits that the operator combines to the same bits.
    fn same_bits(&self, values: Values) -> Values {
        if matches!(self.op, Op::Min | Op::Max) { values } else { values.unsigned() }
    }
}

/// The bytes of the initial value.
fn init(task: &Task<'_>, element: Type) -> Result<Option<Vec<u8>>> {
    let Some(text) = task.init else { return Ok(None) };
    let bytes = with_type!(element, T => T::parse(text.trim()).map(|value| bytemuck::bytes_of(&value).to_vec()));
    let wrong = |reason| format!("--init: {reason} ({} has elements of {})", task.name, element.name());
    bytes.map(Some).map_err(|reason| Failure::Input(wrong(reason)))
}

/// The value with these bytes.
fn value<T: Value>(bytes: &Option<Vec<u8>>) -> Option<T> {
    let mut value = [T::default()];
    T::read(&mut value, &mut bytes.as_deref()?).ok()?;
    Some(value[0])
}

/// `name`'s elements do not have the operator.
pub(crate) fn no_operator(name: &str, op: Op, element: Type) -> Failure {
    let (op, element) = (op.name(), element.name());
    let reason = match element {
        "bool" => "bool has and, or and xor; --type u64 counts",
        _ => "and, or and xor work on the bits of integers and bool",
    };
    Failure::input(name, format!("{element} values have no {op}: {reason}"))
}

struct Scanning<'a, T> {
    x: &'a mut Vec<T>,
    init: Option<T>,
    task: &'a Task<'a>,
}

impl<T: Value> Visitor<T> for Scanning<'_, T> {
    type Output = Result<Duration>;

    fn visit<O: Operator<T>>(self, operator: O) -> Result<Duration> {
        let task = self.task;
        let mut scan = Scan::new(operator).segments(task.split);
        if task.exclusive {
            scan = scan.exclusive();
        }
        if task.reverse {
            scan = scan.reverse();
        }
        if let Some((shape, axis)) = task.axis {
            scan = scan.axis(shape, axis);
        }
        let done = match self.init {
            Some(value) => run_scan(&scan.init(value), self.x, task.device),
            None => run_scan(&scan, self.x, task.device),
        };
        done.map_err(|e| Failure::computing(task.name, &e))
    }
}

fn run_scan<T: Value, O: Operator<T>, V: Init<T>>(
    scan: &Scan<'_, O, upsweep::operator::Same, upsweep::operator::Same, &Split, V>,
    x: &mut Vec<T>,
    device: &Chosen,
) -> upsweep::Result<Duration> {
    let started = Instant::now();
    if device.on_host {
        scan.run_in_place(&device.device, x)?;
    } else {
        let mut array = device.device.upload(x)?;
        // The host holds one copy at a time.
        *x = Vec::new();
        scan.run_in_place(&device.device, &mut array)?;
        *x = array.to_vec()?;
    }
    Ok(started.elapsed())
}

struct Reducing<'a, T> {
    x: &'a [T],
    count: usize,
    init: Option<T>,
    task: &'a Task<'a>,
}

impl<T: Value> Visitor<T> for Reducing<'_, T> {
    type Output = Result<(Vec<T>, Duration)>;

    fn visit<O: Operator<T>>(self, operator: O) -> Self::Output {
        let task = self.task;
        let mut reduce = Reduce::new(operator).segments(task.split);
        if let Some((shape, axis)) = task.axis {
            reduce = reduce.axis(shape, axis);
        }
        let done = match self.init {
            Some(value) => run_reduce(&reduce.init(value), self.x, self.count, task.device),
            None => run_reduce(&reduce, self.x, self.count, task.device),
        };
        done.map_err(|e| Failure::computing(task.name, &e))
    }
}

fn run_reduce<T: Value, O: Operator<T>, V: Init<T>>(
    reduce: &Reduce<'_, O, upsweep::operator::Same, upsweep::operator::Same, &Split, V>,
    x: &[T],
    count: usize,
    device: &Chosen,
) -> upsweep::Result<(Vec<T>, Duration)> {
    let started = Instant::now();
    let results = if device.on_host {
        let mut results = vec![T::default(); count];
        reduce.run(&device.device, x, &mut results)?;
        results
    } else {
        let mut results = device.device.filled(count, T::default())?;
        reduce.run(&device.device, &device.device.upload(x)?, &mut results)?;
        results.to_vec()?
    };
    Ok((results, started.elapsed()))
}
