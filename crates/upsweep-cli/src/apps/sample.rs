//! Command `upsweep sample`: random choice by weights.

use super::{failed, load, write_values};
use crate::args::SampleArgs;
use crate::device::{Chosen, Work};
use crate::element::Type;
use crate::failure::{Failure, Result};
use crate::show::position_with;
use upsweep_apps::sampling::{Sampler, Weight};
use upsweep_dynamic::View;

pub(crate) fn run(args: &SampleArgs) -> Result<()> {
    let device = Chosen::open(args.device, Work::Pass)?;
    let read = load(&args.reading, None, args.device)?;
    let left_out = read.left_out().to_vec();
    let (weights, name) = (read.values, read.name);
    let computed = match weights.element() {
        Type::F16 => Type::F32,
        Type::Bool | Type::I8 | Type::I16 | Type::I32 => Type::I64,
        Type::U8 | Type::U16 | Type::U32 => Type::U64,
        other => other,
    };
    let weights = match weights.element() {
        element if element == computed => weights,
        _ => weights.view().nearest(computed).map_err(|e| Failure::computing(&name, &e))?,
    };
    let draws = match weights.view() {
        View::I64(weights) => drawn(args, &device, weights),
        View::U64(weights) => drawn(args, &device, weights),
        View::F32(weights) => drawn(args, &device, weights),
        View::F64(weights) => drawn(args, &device, weights),
        _ => return Err(Failure::input(&name, "has no numbers")),
    };
    let mut draws = draws.map_err(|e| failed(&name, e))?;
    // A row has the index that it has in the table.
    draws.iter_mut().for_each(|draw| *draw = position_with(&left_out, *draw as usize) as u64);
    write_values(args.output.as_deref(), &draws.into())
}

fn drawn<W: Weight>(args: &SampleArgs, chosen: &Chosen, weights: &[W]) -> upsweep_apps::Result<Vec<u64>> {
    let device = &chosen.device;
    let sampler = match chosen.on_host {
        true => Sampler::build(device, weights)?,
        false => Sampler::build(device, &device.upload(weights)?)?,
    };
    let draws = match args.systematic {
        true => sampler.systematic(device, args.count, args.seed)?,
        false => sampler.independent(device, args.count, args.seed)?,
    };
    Ok(draws.into_vec()?)
}
