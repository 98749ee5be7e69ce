//! Command `upsweep scan` over windows: results of a value and of some before it.

mod rolling;

use crate::args::{Running, ScanArgs};
use crate::asked::places;
use crate::column::{self, Compute};
use crate::element::{Type, Values};
use crate::failure::{Failure, Result};
use crate::input::{self, Form, Input};
use crate::progress::Progress;
use crate::run;
use crate::show::{Places, position_with};
use crate::sums::Sums;
use crate::write::{self, OutputForm};
use rolling::{Rolling, Wrong};
use upsweep_dynamic::Op;

/// Runs `upsweep scan` with a window, or with the value before.
pub(crate) fn scan(args: &ScanArgs, op: Running, window: Option<usize>) -> Result<()> {
    let common = &args.common;
    let width = width(op, window)?;
    let of_all = [
        ("--exclusive", args.exclusive),
        ("--reverse", args.reverse),
        ("--init", common.init.is_some()),
        ("--axis", common.axis.is_some()),
        ("--segments", common.segments.is_some()),
        ("--carry-in", args.carries.carry_in.is_some()),
        ("--carry-out", args.carries.carry_out.is_some()),
    ];
    if let Some((option, _)) = of_all.iter().find(|(_, given)| *given) {
        return Err(Failure::Input(format!("{option}: is for results of all values before: leave it out")));
    }
    let is_sum = op == Running::Of(Op::Sum);
    common.sums.check(if is_sum { &[Op::Sum] } else { &[] })?;
    let (destination, named) = run::output(common.output.as_deref())?;
    run::explain_waiting(common);
    let suffix = window.map_or_else(|| op.name().to_owned(), |window| format!("{}_{window}", op.name()));
    let begin = |name: &str, element, form| -> Result<Windows> {
        let sums = Sums::new(common.sums, Op::Sum, element, form)?;
        let rolling = Rolling::new(op, (element, width), sums).map_err(|e| Failure::computing(name, &e))?;
        form.check_as(rolling.element(), destination.name(), Some(if is_sum { "--sum-type" } else { "--type" }))?;
        Ok(Windows { name: name.to_owned(), is_sum, sums, rolling })
    };
    if let Some(table) = column::open(common)? {
        let form = named.unwrap_or(OutputForm::Table { delimiter: table.delimiter });
        return table.read(common, destination.is_plain_file(), |column| {
            let mut windows = begin(column.name, column.element, form)?;
            column.scan(&mut windows, (&destination, form), &suffix).map(drop)
        });
    }
    let mut input = input::load(common)?;
    let form = named.unwrap_or(OutputForm::of_input(&input.form));
    run::check_one_table(common, (&input, form))?;
    let heads = input.keys.take().map(|keys| keys.heads).unwrap_or_default();
    let mut windows = begin(&input.name, input.values.element(), form)?;
    let (results, without) = windows.results(&input.values, &heads, &places(&input.form, &input.shape))?;
    let Input { name, form: mut of_input, .. } = input;
    if let Form::Table { layout, .. } = &mut of_input {
        let before = layout.left_out().to_vec();
        layout.leave_out(without.into_iter().map(|at| position_with(&before, at)));
    }
    let out_name = destination.name();
    destination.write(|out| match (&of_input, form) {
        (Form::Table { layout, .. }, OutputForm::Table { delimiter }) => {
            let progress = Progress::new("writing", None);
            layout.write_joined((&name, &suffix), &results, delimiter, (out, out_name), &progress)
        }
        _ => write::write(form, &results, &[results.len()], (out, out_name), &Progress::new("writing", None)),
    })
}

/// Windows over the values of an input.
struct Windows {
    /// Name of the input in messages.
    name: String,
    is_sum: bool,
    sums: Sums,
    rolling: Rolling,
}

impl Compute for Windows {
    fn element(&self) -> Type {
        self.rolling.element()
    }

    fn results(&mut self, values: &Values, heads: &[bool], places: &Places<'_>) -> Result<(Values, Vec<usize>)> {
        self.rolling.results(values.view(), heads).map_err(|wrong| match wrong {
            Wrong::Computing(e) => Failure::computing(&self.name, &e),
            Wrong::TooLarge { at, value } => {
                let (advice, results) = (self.sums.advice(Some(value)), self.sums.results);
                let reason = match self.is_sum {
                    true => format!("the sum is {value}, which does not fit {results}: {advice}"),
                    false => format!("the difference is {value}, which does not fit i64"),
                };
                Failure::input(&self.name, format!("{} {}: {reason}", places.name, places.of(at)))
            }
        })
    }
}

/// Returns the number of values that a result is of.
fn width(op: Running, window: Option<usize>) -> Result<usize> {
    match (op, window) {
        (Running::Lag | Running::Diff, None) => Ok(2),
        (Running::Of(Op::Sum | Op::Min | Op::Max) | Running::Mean, Some(0)) => {
            Err(Failure::Input("--window 0: a window has a value at least".to_owned()))
        }
        (Running::Of(Op::Sum | Op::Min | Op::Max) | Running::Mean, Some(width)) => Ok(width),
        (_, None) => Err(Failure::Input("--op mean: is of windows: give --window 7 for those of 7 values".to_owned())),
        (_, Some(_)) => {
            let name = op.name();
            Err(Failure::Input(format!("--window: is for sum, mean, min and max, and --op is {name}: leave it out")))
        }
    }
}
