//! Command `upsweep poly`: values of polynomials, and interpolation.

use super::{column, failed, floats, values, write_values};
use crate::args::apps::{Eval, Fit, Poly};
use crate::device::{Chosen, Work};
use crate::element::Type;
use crate::failure::Result;
use crate::input::Input;
use upsweep_apps::Error;
use upsweep_apps::poly::{Interpolant, Polynomial, stable_order};

pub(crate) fn run(poly: &Poly) -> Result<()> {
    match poly {
        Poly::Eval(args) => eval(args),
        Poly::Fit(args) => fit(args),
    }
}

fn eval(args: &Eval) -> Result<()> {
    let device = Chosen::open(args.on.device, Work::Computation)?.device;
    let (coefficients, name) = values(&args.reading, Some(Type::F64), args.on.device)?;
    let wrong = |e: upsweep_apps::Error| failed(&name, e);
    let coefficients = device.upload(&floats(coefficients)).map_err(|e| wrong(e.into()))?;
    let polynomial = Polynomial::of(&coefficients);
    let at = args.at.iter().map(|&x| match args.compensated {
        true => polynomial.evaluate_compensated(&device, x),
        false => polynomial.evaluate(&device, x),
    });
    let results: std::result::Result<Vec<f64>, _> = at.collect();
    write_values(None, &results.map_err(wrong)?.into())
}

fn fit(args: &Fit) -> Result<()> {
    let device = Chosen::open(args.on.device, Work::Computation)?.device;
    let of = |number| column(&args.file, Some(number), Some(Type::F64), args.on.device);
    let (Input { values: x, name, .. }, y) = (of("1")?, of("2")?.values);
    let (x, y) = (floats(x), floats(y));
    let wrong = |e: upsweep_apps::Error| failed(&name, e);
    let library = |e: upsweep::Error| failed(&name, e);
    // The coefficients depend on the order of the points. If they are the output, the points keep the order of the
    // file.
    let order = if args.at.is_empty() { (0..x.len()).collect() } else { stable_order(&x) };
    let ordered = |of: &[f64]| order.iter().filter_map(|&i| of.get(i).copied()).collect::<Vec<f64>>();
    let (x, y) = (device.upload(&ordered(&x)).map_err(library)?, device.upload(&ordered(&y)).map_err(library)?);
    let through = Interpolant::build(&device, &x, &y).map_err(|e| wrong(in_file(e, &order)))?;
    if args.at.is_empty() {
        return write_values(None, &through.coefficients().to_vec().into());
    }
    let points = device.upload(&args.at).map_err(library)?;
    let results = through.at(&device, &points).map_err(wrong)?.to_vec().map_err(library)?;
    write_values(None, &results.into())
}

/// Converts the numbers of points in an error, which count in `order`, to their numbers in the file.
fn in_file(error: Error, order: &[usize]) -> Error {
    let Error::Points { first, second, x } = error else { return error };
    let place = |i: usize| order.get(i).copied().unwrap_or(i);
    let (first, second) = (place(first), place(second));
    Error::Points { first: first.min(second), second: first.max(second), x }
}
