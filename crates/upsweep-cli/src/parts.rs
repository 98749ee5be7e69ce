//! Scans and reductions of values that come part by part, one after the other, with a carry from each to the next: the results
//! have the bits of one array.

use crate::args::ScanArgs;
use crate::asked::Asked;
use crate::carried::Carried;
use crate::chunks::in_file;
use crate::element::{Type, Values};
use crate::failure::{Failure, Result};
use crate::show::Places;
use upsweep_dynamic::{Carry, Error, Op, Operation, Reduce, RunningCheck, Scan, View};

/// Scans of a call: in the type of the results, for their check, and in the type of the computation.
pub(crate) struct Scans<'a> {
    pub(crate) checked: Scan<'a>,
    pub(crate) computed: Scan<'a>,
}

impl<'a> Scans<'a> {
    pub(crate) fn new((args, op): (&ScanArgs, Op), asked: &Asked<'a>, axis: Option<usize>) -> Result<Self> {
        let sums = &asked.sums;
        let mut scan = Scan::new(op);
        if args.exclusive {
            scan = scan.exclusive();
        }
        if args.reverse {
            scan = scan.reverse();
        }
        if let Some(axis) = axis {
            scan = scan.axis(asked.shape, axis);
        }
        let (mut checked, mut computed) = (scan.accumulate(sums.results), scan.accumulate(sums.computed));
        if let Some(init) = asked.init()? {
            (checked, computed) = (checked.init(init), computed.init(sums.init(init)));
        }
        Ok(Self { checked, computed })
    }
}

/// Number of values that are reduced at a time: few enough to stay in a cache.
const PIECE: usize = 1 << 17;

/// Parts of a call so far.
struct State<'a> {
    asked: &'a Asked<'a>,
    /// Beginning of the message about a result that does not fit.
    from: &'static str,
    check: Option<RunningCheck>,
    carry: Carry,
    /// Number of values so far.
    position: usize,
}

impl State<'_> {
    fn failed(&self, places: &Places<'_>, error: Error) -> Failure {
        self.asked.overflow(places, self.from, &in_file(error, self.position))
    }

    /// Converts a part to the type of the computation, if it has another one, and checks that its results fit.
    fn converted(&mut self, values: &Values, places: &Places<'_>) -> Result<Option<Values>> {
        let sums = self.asked.sums;
        let other = values.element() != sums.computed;
        let computed = other.then(|| sums.in_computed(values.view())).transpose();
        let computed = computed.map_err(|e| self.failed(places, e))?;
        let x = computed.as_ref().unwrap_or(values).view();
        measure(&mut self.check, x).map_err(|e| self.failed(places, e))?;
        Ok(computed)
    }

    /// Fails if a result does not fit; the total, too, if it is handed on.
    fn check(&self, carried: &Carried<'_>, places: &Places<'_>) -> Result<()> {
        let Some(check) = &self.check else { return Ok(()) };
        check.finish(carried.is_handed_on()).map_err(|e| self.failed(places, e))
    }
}

/// Adds values to a check that their results fit, if there is one.
fn measure(check: &mut Option<RunningCheck>, x: View<'_>) -> upsweep_dynamic::Result<()> {
    let Some(check) = check else { return Ok(()) };
    check.part(x, check.measure(x)?)
}

/// Scan of parts.
pub(crate) struct Running<'a> {
    scan: Scan<'a>,
    state: State<'a>,
}

impl<'a> Running<'a> {
    /// Begins a scan of values, in the type of the results for their check, and in that of the computation.
    pub(crate) fn new(
        asked: &'a Asked<'a>,
        (op, checked, scan): (Op, &Scan<'a>, Scan<'a>),
        (element, len): (Type, usize),
        carried: &Carried<'_>,
    ) -> Result<Self> {
        let carry = carried.read(Operation::Scan, op, asked.sums.computed)?;
        let check = if asked.sums.checked { checked.running_check(&carry, element, len) } else { Ok(None) };
        let check = check.map_err(|e| asked.failed(&e))?;
        Ok(Self { scan, state: State { asked, from: "", check, carry, position: 0 } })
    }

    /// Returns the results of the next part. `places` are those of all values so far.
    pub(crate) fn results(&mut self, values: &Values, places: &Places<'_>) -> Result<Values> {
        let sums = self.state.asked.sums;
        let computed = self.state.converted(values, places)?;
        let x = computed.as_ref().unwrap_or(values).view();
        let device = &self.state.asked.device.device;
        let results = Values::zeroed(sums.computed, values.len()).and_then(|mut results| {
            self.scan.run_part(device, x, results.view_mut(), &mut self.state.carry)?;
            sums.results(results)
        });
        let results = results.map_err(|e| self.state.failed(places, e))?;
        self.state.position += values.len();
        Ok(results)
    }

    /// Checks the results after the last part, before they take their place.
    pub(crate) fn check(&self, carried: &Carried<'_>, places: &Places<'_>) -> Result<()> {
        self.state.check(carried, places)?;
        carried.check_init(&self.state.carry, self.state.asked)
    }

    /// Writes the carry, if it is asked for.
    pub(crate) fn finish(&self, carried: &Carried<'_>) -> Result<()> {
        carried.write(&self.state.carry, self.state.asked)
    }
}

/// Reduction of parts.
pub(crate) struct Total<'a> {
    reduce: Reduce<'a>,
    state: State<'a>,
    total: Values,
}

impl<'a> Total<'a> {
    /// Begins a reduction of values.
    pub(crate) fn new(
        asked: &'a Asked<'a>,
        op: Op,
        (element, len): (Type, usize),
        carried: &Carried<'_>,
    ) -> Result<Self> {
        let sums = asked.sums;
        let mut reduce = Reduce::new(op).accumulate(sums.computed);
        let mut checked = Reduce::new(op).accumulate(sums.results);
        if let Some(init) = asked.init()? {
            (reduce, checked) = (reduce.init(sums.init(init)), checked.init(init));
        }
        let mut carry = carried.read(Operation::Reduction, op, sums.computed)?;
        let check = if sums.checked { checked.running_check(&carry, element, len) } else { Ok(None) };
        let check = check.map_err(|e| asked.failed(&e))?;
        // Nothing more has the total of what came before.
        let nothing = Values::zeroed(sums.computed, 0);
        let total = nothing.and_then(|nothing| reduce.run_part(&asked.device.device, nothing.view(), &mut carry));
        let total = total.map_err(|e| asked.failed(&e))?;
        Ok(Self { reduce, state: State { asked, from: "from here on ", check, carry, position: 0 }, total })
    }

    /// Adds the next part. `places` are those of all values so far.
    pub(crate) fn add(&mut self, values: &Values, places: &Places<'_>) -> Result<()> {
        let computed = self.state.converted(values, places)?;
        let x = computed.as_ref().unwrap_or(values).view();
        for start in (0..x.len()).step_by(PIECE) {
            let piece = x.part(start..(start + PIECE).min(x.len()));
            let total = self.reduce.run_part(&self.state.asked.device.device, piece, &mut self.state.carry);
            self.total = total.map_err(|e| self.state.failed(places, e))?;
        }
        self.state.position += values.len();
        Ok(())
    }

    /// Whether the total fits its type.
    pub(crate) fn fits(&self, carried: &Carried<'_>) -> bool {
        self.state.check.as_ref().is_none_or(|check| check.finish(carried.is_handed_on()).is_ok())
    }

    /// Returns the total after the last part. `write` writes it before the carry, if that is asked for.
    pub(crate) fn finish(
        self,
        carried: &Carried<'_>,
        places: &Places<'_>,
        write: impl FnOnce(&Values) -> Result<()>,
    ) -> Result<()> {
        let asked = self.state.asked;
        self.state.check(carried, places)?;
        write(&asked.sums.results(self.total).map_err(|e| asked.failed(&e))?)?;
        carried.write(&self.state.carry, asked)
    }
}
