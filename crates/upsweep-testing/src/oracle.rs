//! Oracle: the documented formulas as plain sequential loops. It shares no code with the library; its only input from
//! there is each operator's rule, written out again.

use std::ops::Range;

/// Meaning of an operator with its map and finish: `finish(map(x[0]) ⊕ map(x[1]) ⊕ ...)`.
#[derive(Clone, Copy, Debug)]
pub struct Rule<I, T, O> {
    pub map: fn(I, u64) -> T,
    pub combine: fn(T, T) -> T,
    pub identity: Option<T>,
    pub finish: fn(T) -> O,
}

impl<T> Rule<T, T, T> {
    /// Creates the rule of an operator without a map and a finish.
    pub fn new(combine: fn(T, T) -> T, identity: Option<T>) -> Self {
        Self { map: |x, _| x, combine, identity, finish: |x| x }
    }
}

/// Division of an array into lines of elements, each of which is scanned or reduced by itself.
#[derive(Clone)]
pub enum Cut {
    Whole,
    Axis(Vec<usize>, usize),
    HeadFlags(Vec<bool>),
    Keys(Vec<i32>),
    Offsets(Vec<u64>),
}

/// A line: elements that are scanned or reduced together, by their indices in the array. `first` is the index that
/// `enumerate` gives to the first of them.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub start: usize,
    pub stride: usize,
    pub len: usize,
    pub first: u64,
}

impl Line {
    /// Index, in the array, of the line's element `k`.
    #[inline(always)]
    pub fn at(&self, k: usize) -> usize {
        self.start + k * self.stride
    }

    fn of(range: Range<usize>) -> Self {
        Self { start: range.start, stride: 1, len: range.len(), first: range.start as u64 }
    }
}

impl std::fmt::Debug for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole => f.write_str("Whole"),
            Self::Axis(shape, axis) => write!(f, "Axis({shape:?}, {axis})"),
            Self::HeadFlags(flags) => write!(f, "HeadFlags(of which {})", flags.iter().filter(|&&flag| flag).count()),
            Self::Keys(keys) => write!(f, "Keys({:?} ..)", &keys[..keys.len().min(8)]),
            Self::Offsets(offsets) => {
                write!(f, "Offsets({} from {:?} ..)", offsets.len(), &offsets[..offsets.len().min(8)])
            }
        }
    }
}

impl Cut {
    /// Returns the lines into which an array of `len` elements is divided, in the order of a reduction's results.
    pub fn lines(&self, len: usize) -> Vec<Line> {
        match self {
            Self::Whole => vec![Line::of(0..len)],
            Self::Axis(shape, axis) => axis_lines(shape, *axis),
            Self::HeadFlags(flags) => runs(len, |i| flags[i]),
            Self::Keys(keys) => runs(len, |i| keys[i] != keys[i - 1]),
            Self::Offsets(offsets) => offsets.windows(2).map(|w| Line::of(w[0] as usize..w[1] as usize)).collect(),
        }
    }
}

/// Returns the lines along `axis`: one for every combination of the other coordinates, in row-major order.
fn axis_lines(shape: &[usize], axis: usize) -> Vec<Line> {
    let mut starts = vec![0];
    for (k, &n) in shape.iter().enumerate() {
        let stride: usize = shape[k + 1..].iter().product();
        let n = if k == axis { 1 } else { n };
        starts = starts.iter().flat_map(|&start| (0..n).map(move |c| start + c * stride)).collect();
    }
    let stride = shape[axis + 1..].iter().product();
    starts.into_iter().map(|start| Line { start, stride, len: shape[axis], first: 0 }).collect()
}

/// Returns the runs that begin at element 0 and at each element for which `head` holds.
pub fn runs(len: usize, head: impl Fn(usize) -> bool) -> Vec<Line> {
    let mut heads: Vec<usize> = (0..len).filter(|&i| i == 0 || head(i)).collect();
    heads.push(len);
    heads.windows(2).map(|w| Line::of(w[0]..w[1])).collect()
}

/// Computes the expected results of a scan of each of `lines` by itself.
pub fn scan<I: Copy, T: Copy, O: Copy>(
    x: &[I],
    lines: &[Line],
    rule: &Rule<I, T, O>,
    init: Option<T>,
    exclusive: bool,
    reverse: bool,
) -> Vec<O> {
    let Some(&first) = x.first() else { return Vec::new() };
    assert_eq!(lines.iter().map(|line| line.len).sum::<usize>(), x.len(), "the lines cover the array");
    // Placeholder values: each is replaced.
    let mut out = vec![(rule.finish)((rule.map)(first, 0)); x.len()];
    for line in lines {
        let mut before = init;
        for step in 0..line.len {
            let k = if reverse { line.len - 1 - step } else { step };
            let mapped = (rule.map)(x[line.at(k)], line.first + k as u64);
            let with = match before {
                Some(before) => (rule.combine)(before, mapped),
                None => mapped,
            };
            let result = if exclusive { before.or(rule.identity) } else { Some(with) };
            let result = result.expect("an exclusive scan has something to begin with");
            out[line.at(k)] = (rule.finish)(result);
            before = Some(with);
        }
    }
    out
}

/// Computes the expected results of a reduction, one per line.
pub fn reduce<I: Copy, T: Copy, O>(x: &[I], lines: &[Line], rule: &Rule<I, T, O>, init: Option<T>) -> Vec<O> {
    let reduce_line = |line: &Line| {
        let mut total = init;
        for k in 0..line.len {
            let mapped = (rule.map)(x[line.at(k)], line.first + k as u64);
            total = Some(match total {
                Some(total) => (rule.combine)(total, mapped),
                None => mapped,
            });
        }
        (rule.finish)(total.or(rule.identity).expect("an empty line has an identity or an init"))
    };
    lines.iter().map(reduce_line).collect()
}
