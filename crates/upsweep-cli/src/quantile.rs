//! Command `upsweep quantile`: the values below which given shares of all values lie.

use crate::args::{Common, QuantileArgs};
use crate::device::{Chosen, Work};
use crate::element::{Values, format};
use crate::failure::{Failure, Result, note};
use crate::input::{self, Input};
use crate::print::print;
use crate::progress::Progress;
use crate::run;
use crate::write::{self, OutputForm};

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
    let Input { name, values, .. } = input::load(&common, false)?;
    if values.is_empty() {
        return Err(Failure::input(&name, "has no values, so it has no quantiles"));
    }
    let results = upsweep_dynamic::quantiles(&device.device, values.view(), &args.q);
    let results = results.map_err(|e| Failure::computing(&name, &e))?;
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
