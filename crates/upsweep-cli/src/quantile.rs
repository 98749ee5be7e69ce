//! `upsweep quantile`: the values below which given shares of all values lie.

use crate::args::{Common, QuantileArgs};
use crate::device::Chosen;
use crate::element::Values;
use crate::failure::{Failure, Result};
use crate::input::{self, Input};
use crate::progress::Progress;
use crate::run;
use crate::write::{self, OutputForm};

/// `upsweep quantile`.
pub(crate) fn quantile(args: &QuantileArgs) -> Result<()> {
    if let Some(share) = args.q.iter().find(|share| !(0.0..=1.0).contains(*share)) {
        return Err(Failure::Input(format!("--q {share}: a share is from 0 to 1")));
    }
    let (destination, named) = run::output(args.output.as_deref())?;
    let form = named.unwrap_or(OutputForm::Words);
    form.check(upsweep_dynamic::Type::F64, destination.name())?;
    let device = Chosen::open(args.device)?;
    let common = Common::of(&args.reading, args.device);
    run::explain_waiting(&common);
    let Input { name, values, .. } = input::load(&common, false)?;
    if values.is_empty() {
        return Err(Failure::input(&name, "has no values, so it has no quantiles"));
    }
    let results = upsweep_dynamic::quantiles(&device.device, values.view(), &args.q);
    let results = Values::from(results.map_err(|e| Failure::computing(&name, &e))?);
    let progress = Progress::new("writing", None);
    destination.write(|out| write::write(form, &results, &[results.len()], (out, destination.name()), &progress))
}
