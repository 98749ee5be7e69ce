//! Terrain from files of any of its formats.

use super::grid::{self, Grid};
use super::picture::{self, Picture};
use super::{bytes, float, geotiff};
use crate::device::DeviceChoice;
use crate::element::with_values;
use crate::failure::{Failure, Result};
use std::path::Path;

/// Whether the name is that of a file with altitudes and where they are.
pub(crate) fn is_raster(path: &Path) -> bool {
    grid::is_grid(path) || geotiff::is_tiff(path)
}

/// Reads a terrain from a file, which messages call `name`: with altitudes and where they are, or the greys of an image.
/// `None`: its name says that it has something else.
pub(crate) fn read(path: &Path, name: &str, device: DeviceChoice) -> Result<Option<Grid>> {
    if grid::is_grid(path) {
        return grid::read(path, name).map(Some);
    }
    if geotiff::is_tiff(path) {
        return geotiff::parse(&bytes(path)?.0, name).map(Some);
    }
    if !picture::is_image(path) {
        return Ok(None);
    }
    let Picture { values, extent, .. } = picture::read(path, device)?;
    let [_, rows, columns, channels] = extent.shape();
    if channels != 1 {
        return Err(Failure::input(name, format!("has {channels} channels: a terrain has one")));
    }
    // Greys have 16 bits at most, which an f32 has, too.
    let altitudes = with_values!(&values, x => x.iter().map(|&x| float(x) as f32).collect());
    Ok(Some(Grid { rows, columns, dx: 1.0, dy: 1.0, altitudes, header: plain_header(rows, columns) }))
}

/// Header of a grid whose place is not known.
pub(super) fn plain_header(rows: usize, columns: usize) -> String {
    format!("ncols {columns}\nnrows {rows}\nxllcorner 0\nyllcorner 0\ncellsize 1\n")
}
