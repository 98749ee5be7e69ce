//! Command `upsweep terrain`: lines of sight, viewsheds, hill shade.

use super::grid::{self, Grid};
use super::picture::{destination, is_png, write};
use super::raster;
use super::{failed, read_array, write_values};
use crate::args::pictures::{Looking, OfTerrain, ShadeArgs, Sight, Terrain, ViewshedArgs};
use crate::device::{Chosen, Work};
use crate::element::{Values, with_values};
use crate::failure::{Failure, Result, called};
use crate::names;
use crate::output::Destination;
use std::path::Path;
use upsweep::{Array, Device};
use upsweep_apps::image::Extent;
use upsweep_apps::terrain::{HillShade, LineOfSight, Profile, Raster, Viewshed};
use upsweep_dynamic::Number;

pub(crate) fn run(terrain: &Terrain) -> Result<()> {
    match terrain {
        Terrain::Sight(args) => sight(args),
        Terrain::Viewshed(args) => viewshed(args),
        Terrain::Shade(args) => shade(args),
    }
}

/// Terrain with its altitudes in the memory of the device.
struct Land {
    name: String,
    device: Device,
    altitudes: Array<f32>,
    raster: Raster,
    grid: Grid,
}

impl Land {
    fn open(of: &OfTerrain) -> Result<Self> {
        let device = Chosen::open(of.on.device, Work::Computation)?.device;
        let name = called(&of.file);
        let mut grid = if let Some(grid) = raster::read(&of.file, &name, of.on.device)? {
            grid
        } else if names::is_npy(&of.file) {
            let (values, shape) = read_array(&of.file, of.on.device)?;
            let [rows, columns] = shape[..] else {
                let reason = format!("has the shape {shape:?}: a terrain has (rows, columns)");
                return Err(Failure::input(&name, reason));
            };
            let header = raster::plain_header(rows, columns);
            Grid { rows, columns, dx: 1.0, dy: 1.0, altitudes: altitudes(&values, &name)?, header }
        } else {
            return Err(Failure::input(&name, "is no terrain: give an .asc grid, a .tif, an image of greys or a .npy"));
        };
        match of.spacing[..] {
            [] => {}
            [dx, dy] => (grid.dx, grid.dy) = (dx, dy),
            _ => return Err(Failure::Input("--spacing: give DX,DY".to_owned())),
        }
        let raster = Raster::new(grid.rows, grid.columns).spacing(grid.dx, grid.dy);
        let altitudes = device.upload(&grid.altitudes).map_err(|e| failed(&name, e))?;
        Ok(Self { name, device, altitudes, raster, grid })
    }

    fn wrong(&self, error: impl Into<upsweep_apps::Error>) -> Failure {
        failed(&self.name, error)
    }

    fn extent(&self) -> Extent {
        Extent::new(self.grid.rows, self.grid.columns)
    }

    /// Allocates an array with one element, `value`, for each cell.
    fn cells<T: upsweep::Element>(&self, value: T) -> Result<Array<T>> {
        self.device.filled(self.grid.altitudes.len(), value).map_err(|e| self.wrong(e))
    }

    /// Writes `values`, one for each cell, in the format that the ending of `path` names.
    fn write(&self, path: &Path, to: &Destination, values: Vec<u8>) -> Result<()> {
        if grid::is_grid(path) {
            let text = grid::written(&self.grid.header, self.grid.columns, &values);
            return to.write(|out| out.write_all(text.as_bytes()).map_err(|e| Failure::writing(to.name(), &e)));
        }
        write(path, to, &values.into(), self.extent())
    }

    fn shaded(&self, shade: HillShade) -> Result<Vec<u8>> {
        let mut shades = self.cells(0u8)?;
        shade.run(&self.device, &self.altitudes, self.raster, &mut shades).map_err(|e| self.wrong(e))?;
        shades.into_vec().map_err(|e| self.wrong(e))
    }
}

fn altitudes(values: &Values, name: &str) -> Result<Vec<f32>> {
    let altitude = |(at, number)| {
        let z = match number {
            Number::Float(x) => x,
            Number::Integer(n) => n as f64,
        };
        match z.is_finite() && (z as f32).is_infinite() {
            true => {
                Err(Failure::input(name, format!("value {at} is {z:e}, more than an altitude can be: they are f32")))
            }
            false => Ok(z as f32),
        }
    };
    with_values!(values, x => x.iter().map(|&x| Number::from(x)).enumerate().map(altitude).collect())
}

fn cell(option: &str, numbers: &[usize]) -> Result<(usize, usize)> {
    match *numbers {
        [row, column] => Ok((row, column)),
        _ => Err(Failure::Input(format!("{option}: give ROW,COLUMN"))),
    }
}

fn sight(args: &Sight) -> Result<()> {
    let (from, to) = (cell("--from", &args.looking.from)?, cell("--to", &args.to)?);
    let land = Land::open(&args.of)?;
    let Looking { height, target, curvature, .. } = args.looking;
    let wrong = |e: upsweep_apps::Error| land.wrong(e);
    let profile = Profile::new(from, to);
    let altitudes = profile.run(&land.device, &land.altitudes, land.raster).map_err(wrong)?;
    let mut seen = land.device.filled(altitudes.len(), false).map_err(|e| land.wrong(e))?;
    // From a cell to itself the distance is 0, and `spacing` must not be 0.
    let spacing = if from == to { 1.0 } else { profile.spacing(land.raster) };
    let sight = LineOfSight::new().spacing(spacing).observer(height).target(target).curvature(curvature);
    sight.run(&land.device, &altitudes, &mut seen).map_err(wrong)?;
    let seen = seen.into_vec().map_err(|e| land.wrong(e))?;
    write_values(args.output.as_deref(), &seen.into_iter().map(u8::from).collect::<Vec<u8>>().into())
}

fn viewshed(args: &ViewshedArgs) -> Result<()> {
    let to = destination(&args.output, &["asc"])?;
    let (row, column) = cell("--from", &args.looking.from)?;
    if args.shaded && !is_png(&args.output) {
        return Err(Failure::Input("--shaded: -o is a .png".to_owned()));
    }
    let land = Land::open(&args.of)?;
    let Looking { height, target, curvature, .. } = args.looking;
    let viewshed = Viewshed::new(row, column).observer(height).target(target).curvature(curvature);
    let mut seen = land.cells(false)?;
    viewshed.run(&land.device, &land.altitudes, land.raster, &mut seen).map_err(|e| land.wrong(e))?;
    let seen = seen.into_vec().map_err(|e| land.wrong(e))?;
    if !args.shaded {
        let white = if is_png(&args.output) { 255 } else { 1 };
        return land.write(&args.output, &to, seen.into_iter().map(|seen| if seen { white } else { 0 }).collect());
    }
    let shades = land.shaded(HillShade::new())?;
    let mut colours: Vec<u8> = shades.iter().zip(&seen).flat_map(|(&shade, &seen)| colour(shade, seen)).collect();
    // The observer is drawn as a red square of 5 x 5 cells, without those outside the terrain.
    let near = |at: usize, n: usize| at.saturating_sub(2)..(at + 3).min(n);
    for at in near(row, land.grid.rows).flat_map(|y| near(column, land.grid.columns).map(move |x| (y, x))) {
        let at = 3 * (at.0 * land.grid.columns + at.1);
        colours[at..at + 3].copy_from_slice(&[220, 30, 30]);
    }
    write(&args.output, &to, &colours.into(), land.extent().channels(3))
}

/// Colour of a cell with the hill shade `shade`: yellow light if the observer sees it, dark blue if not.
fn colour(shade: u8, seen: bool) -> [u8; 3] {
    let of = |share: f64| (f64::from(shade) * share) as u8;
    if seen { [of(1.0), of(0.9), of(0.45)] } else { [of(0.4), of(0.45), of(0.55)] }
}

fn shade(args: &ShadeArgs) -> Result<()> {
    let to = destination(&args.output, &["asc"])?;
    let [azimuth, altitude] = args.sun[..] else {
        return Err(Failure::Input("--sun: give AZIMUTH,ALTITUDE".to_owned()));
    };
    let land = Land::open(&args.of)?;
    let shades = land.shaded(HillShade::new().sun(azimuth, altitude).exaggerated(args.exaggerate))?;
    land.write(&args.output, &to, shades)
}
