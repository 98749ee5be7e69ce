//! Command `upsweep quantile`: the values below which given shares of all values lie.

use crate::args::{Common, QuantileArgs};
use crate::chunks::{self, ArrayFile, Loaded};
use crate::device::{Chosen, Work};
use crate::element::{Values, format, with_values};
use crate::failure::{Failure, Result, note};
use crate::input::Input;
use crate::print::print;
use crate::progress::Progress;
use crate::run;
use crate::write::{self, OutputForm};
use upsweep_dynamic::{Number, Quantile, Quantiles, Value as _};

/// Runs `upsweep quantile`.
pub(crate) fn quantile(args: &QuantileArgs) -> Result<()> {
    if let Some(share) = args.q.iter().find(|share| !(0.0..=1.0).contains(*share)) {
        return Err(Failure::Input(format!("--q {share}: a share is from 0 to 1")));
    }
    let (destination, named) = run::output(args.output.as_deref())?;
    let form = named.unwrap_or(OutputForm::Words);
    form.check(upsweep_dynamic::Type::F64, destination.name())?;
    let device = Chosen::open(args.device, Work::Pass)?;
    let common = Common::of(&args.reading, args.device);
    run::explain_waiting(&common);
    let results = match chunks::of_array(&common, device.on_host.then(|| destination.folder()))? {
        Loaded::File(file) if file.len > 0 => match of_file(&file, &args.q)? {
            Some(results) => results,
            None => of_input(&device, &file.into_input()?, &args.q)?,
        },
        Loaded::File(file) => of_input(&device, &file.into_input()?, &args.q)?,
        Loaded::Whole(input) => of_input(&device, &input, &args.q)?,
    };
    let values = Values::from(results.iter().map(|quantile| quantile.value).collect::<Vec<f64>>());
    if let OutputForm::Words | OutputForm::Table { .. } = form {
        return print(&destination, |out| {
            let mut text = Vec::new();
            for (index, quantile) in results.iter().enumerate() {
                text.clear();
                match &quantile.digits {
                    Some(digits) => text.extend_from_slice(digits.as_bytes()),
                    None => format(&values, index, &mut text),
                }
                text.push(b'\n');
                out.write_all(&text)?;
            }
            Ok(())
        });
    }
    let progress = Progress::new("writing", None);
    destination.write(|out| write::write(form, &values, &[values.len()], (out, destination.name()), &progress))?;
    let rounded = results.iter().filter(|quantile| quantile.digits.is_some() && !quantile.is_exact).count();
    if rounded > 0 {
        let results = if rounded == 1 { "1 result is".to_owned() } else { format!("{rounded} results are") };
        note(&format!(
            "{}: {results} rounded to the nearest f64, which does not hold all integers, and their halves, of 2^52 or \
             more: text (-o - or .csv) has all digits",
            destination.name()
        ));
    }
    Ok(())
}

/// Returns the quantiles of an input that was read as a whole.
fn of_input(device: &Chosen, Input { name, values, .. }: &Input, shares: &[f64]) -> Result<Vec<Quantile>> {
    if values.is_empty() {
        return Err(Failure::input(name, "has no values, so it has no quantiles"));
    }
    upsweep_dynamic::quantiles(&device.device, values.view(), shares).map_err(|e| Failure::computing(name, &e))
}

/// Returns the quantiles of a file that has values, which is read twice or more. `None` where a quantile is zero and the file has zeros
/// of both signs: which of them comes first shows when all are in memory.
fn of_file(file: &ArrayFile, shares: &[f64]) -> Result<Option<Vec<Quantile>>> {
    let failed = |e| Failure::computing(&file.name, &e);
    let mut found = Quantiles::new(file.element, shares).map_err(failed)?;
    while found.again().map_err(failed)? {
        chunks::pass(file, 1, "reading", &mut |_, chunk| found.push(chunk.view()).map_err(failed))?;
    }
    let found = found.finish().map_err(failed)?;
    if file.element.integers().is_some() || found.iter().all(|quantile| quantile.value != 0.0) {
        return Ok(Some(found));
    }
    let mut signs = [false; 2];
    chunks::pass(file, 1, "reading", &mut |_, chunk| {
        with_values!(chunk, x => x.iter().for_each(|x| match x.number() {
            Number::Float(x) if x == 0.0 => signs[usize::from(x.is_sign_negative())] = true,
            _ => {}
        }));
        Ok(())
    })?;
    Ok((signs != [true; 2]).then_some(found))
}
