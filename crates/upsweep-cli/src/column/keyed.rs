//! Scan of a column that begins anew where a key changes.
//!
//! Segments that begin and end in a part are scanned by one call. The one that the part before has left open goes on by its
//! carry. The last one is scanned on its own, for the carry that it leaves.
//!
//! Float sums have the tree of the whole column, whose levels are counted from its first value ([`upsweep_core::tree`]). So a call on a
//! part begins with as many elements as there are before it in its span. They are a segment of their own before closed segments, and
//! change no bits of the open one: they are -0 in a sum, and 1 in a product.

use super::Compute;
use super::parts::shifted;
use crate::asked::Asked;
use crate::element::{Type, Values};
use crate::failure::Result;
use crate::parts::Scans;
use crate::show::Places;
use std::ops::Range;
use upsweep_core::tree::{GROUPS, ROWS, TILES, row_len};
use upsweep_dynamic::{Carry, Error, Op, RunningCheck, Scan, Segments, View};

/// Scan of segments.
pub(super) struct Keyed<'a> {
    asked: &'a Asked<'a>,
    op: Op,
    scans: Scans<'a>,
    /// Scan of a first value alone, which combines it with the initial value.
    first: Scan<'a>,
    /// Scan of values after such a one.
    rest: Scan<'a>,
    /// Type of the values.
    element: Type,
    /// Number of elements of a span, or 1 where the grouping of results does not show.
    span: usize,
    /// Segment to which the next values may belong.
    open: Option<Open>,
    /// Number of all values so far.
    position: usize,
}

struct Open {
    carry: Carry,
    check: Option<RunningCheck>,
    /// Index of its first value.
    begin: usize,
}

impl<'a> Keyed<'a> {
    pub(super) fn new(
        (op, exclusive): (Op, bool),
        scans: Scans<'a>,
        asked: &'a Asked<'a>,
        element: Type,
    ) -> Result<Self> {
        let computed = asked.sums.computed;
        let (mut first, mut rest) = (Scan::new(op).accumulate(computed), Scan::new(op).accumulate(computed));
        if let Some(init) = asked.init()? {
            first = first.init(asked.sums.init(init));
        }
        if exclusive {
            rest = rest.exclusive();
        }
        let has_tree = matches!(op, Op::Sum | Op::Product) && computed.integers().is_none();
        let row = row_len(computed.size(), computed.size());
        let span = if has_tree { TILES * GROUPS * ROWS * row } else { 1 };
        Ok(Self { asked, op, scans, first, rest, element, span, open: None, position: 0 })
    }

    /// Number of elements before this value of the part in its span.
    fn before(&self, index: usize) -> usize {
        (self.position + index) % self.span
    }

    /// Returns the results of values of the open segment.
    fn go_on(&mut self, x: View<'_>) -> std::result::Result<Values, Error> {
        let mut results = Values::zeroed(self.asked.sums.computed, x.len())?;
        if let Some(Open { carry, check, begin }) = &mut self.open {
            measure(check, x, *begin)?;
            self.rest.run_part(&self.asked.device.device, x, results.view_mut(), carry)?;
        }
        Ok(results)
    }

    /// Returns the results of segments that begin and end in a range of the part.
    fn closed(&self, x: View<'_>, heads: &[bool], range: Range<usize>) -> std::result::Result<Values, Error> {
        let (Scans { checked, computed }, before) = (&self.scans, self.before(range.start));
        let (x, heads) = (x.part(range.clone()), heads.get(range.clone()).unwrap_or_default());
        if self.asked.sums.checked {
            let checked = checked.segments(Segments::HeadFlags(heads));
            checked.check_overflow(x).map_err(|e| shifted(e, self.position + range.start))?;
        }
        let values = joined([Values::zeroed(x.element(), before)?.view(), x])?;
        let mut flags = vec![false; before];
        flags.extend(heads);
        let results = computed.segments(Segments::HeadFlags(&flags)).run(&self.asked.device.device, values.view())?;
        results.view().part(before..values.len()).to_values()
    }

    /// Opens the segment of values that begin at an index of the part, and returns their results.
    fn begin(&mut self, x: View<'_>, index: usize) -> std::result::Result<Values, Error> {
        let (device, before) = (&self.asked.device.device, self.before(index));
        let (mut carry, begin, x) = (Carry::new(), self.position + index, x.part(index..x.len()));
        let mut check = match self.asked.sums.checked {
            true => self.scans.checked.running_check(&carry, self.element, usize::MAX)?,
            false => None,
        };
        measure(&mut check, x, begin)?;
        let neutral = if self.op == Op::Product { 1.0 } else { -0.0 };
        let neutral = match before {
            0 => Values::zeroed(x.element(), 0)?,
            _ => View::F64(&vec![neutral; before]).nearest(x.element())?,
        };
        let (first, others) = (x.part(0..1), x.part(1..x.len()));
        let values = joined([neutral.view(), self.first.run(device, first)?.view(), others])?;
        let mut results = Values::zeroed(self.asked.sums.computed, values.len())?;
        self.rest.run_part(device, values.view(), results.view_mut(), &mut carry)?;
        self.open = Some(Open { carry, check, begin });
        joined([self.scans.computed.run(device, first)?.view(), results.view().part(before + 1..results.len())])
    }
}

impl Compute for Keyed<'_> {
    fn element(&self) -> Type {
        self.asked.sums.results
    }

    fn results(&mut self, values: &Values, heads: &[bool], places: &Places<'_>) -> Result<(Values, Vec<usize>)> {
        let sums = self.asked.sums;
        let computed = |keyed: &mut Self| {
            let x = sums.in_computed(values.view())?;
            let is_head = |head: &bool| *head;
            let Some((first, last)) = heads.iter().position(is_head).zip(heads.iter().rposition(is_head)) else {
                return keyed.go_on(x.view());
            };
            let open = keyed.go_on(x.view().part(0..first))?;
            let closed = keyed.closed(x.view(), heads, first..last)?;
            joined([open.view(), closed.view(), keyed.begin(x.view(), last)?.view()])
        };
        let results = computed(self).and_then(|computed| sums.results(computed));
        let results = results.map_err(|e| self.asked.overflow(places, "", &e))?;
        self.position += values.len();
        Ok((results, Vec::new()))
    }
}

/// Adds values of a segment, which begins at this index, to a check that their results fit, if there is one.
fn measure(check: &mut Option<RunningCheck>, x: View<'_>, begin: usize) -> std::result::Result<(), Error> {
    let Some(check) = check else { return Ok(()) };
    check.part(x, check.measure(x)?).map_err(|e| shifted(e, begin))
}

/// Puts arrays together that have one type.
fn joined<const N: usize>(parts: [View<'_>; N]) -> std::result::Result<Values, Error> {
    let element = parts.first().map_or(Type::F64, View::element);
    let mut all = Values::zeroed(element, 0)?;
    for part in parts {
        all.append(part)?;
    }
    Ok(all)
}
