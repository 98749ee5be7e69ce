//! Tiles of the lines of a float scan along the last axis: each line has a tree of its own
//! (`upsweep-core/src/tree.rs`), so it begins with a row, a group or a tile. See `tile/places.cuh`.

use super::memory::StatusWords;
use super::tile::{GROUP, SPREAD};
use upsweep_core::tree::{GROUPS, ROWS};

/// Number of rows of a tile of the tree.
const TILE_ROWS: usize = ROWS * GROUPS;

/// How lines of one length lie in tiles. Lines that share a row count as one: a stretch.
///
/// | a line has | it begins with | a tile has |
/// |---|---|---|
/// | at most half a row | any element of a row | stretches of as many lines as a row holds |
/// | at most a group | a row | as many lines in each group as it holds |
/// | at most a tile | a group | as many lines as it holds |
/// | more | a tile | a part of one line |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineTiles {
    /// Number of elements of a stretch: of one line, or of the lines that share a row.
    pub stretch: usize,
    /// Number of stretches of a tile; 0 if a line has more than one tile.
    pub stretches: usize,
    /// Number of tiles of a line; 1 if a tile has several lines.
    pub tiles_of_line: usize,
    /// Number of rows of a unit, which whole stretches lie in: a row, a group or a tile; of a stretch in it; and the number
    /// of stretches of a unit.
    pub unit_rows: usize,
    pub stretch_rows: usize,
    pub of_unit: usize,
    /// Number of all tiles.
    pub tiles: usize,
    /// Number of elements that a tile has room for.
    pub tile: usize,
}

impl LineTiles {
    /// Returns how `lines` of `len` elements lie in tiles; `row` is the number of elements of a row. Neither is 0.
    #[must_use]
    pub fn new(lines: usize, len: usize, row: usize) -> Self {
        let tile = row * TILE_ROWS;
        let per_row = (row / len).max(1);
        let stretch = per_row * len;
        let rows = stretch.div_ceil(row);
        if rows > TILE_ROWS {
            let tiles_of_line = len.div_ceil(tile);
            let tiles = lines * tiles_of_line;
            let unit = (TILE_ROWS, TILE_ROWS, 1);
            return Self {
                stretch,
                stretches: 0,
                tiles_of_line,
                unit_rows: unit.0,
                stretch_rows: unit.1,
                of_unit: unit.2,
                tiles,
                tile,
            };
        }
        let unit_rows = [1, ROWS, TILE_ROWS].into_iter().find(|&unit| rows <= unit).unwrap_or(TILE_ROWS);
        let stretch_rows = if unit_rows == TILE_ROWS { rows.next_multiple_of(ROWS) } else { rows };
        let of_unit = unit_rows / stretch_rows;
        let stretches = TILE_ROWS / unit_rows * of_unit;
        let tiles = (lines * len).div_ceil(stretches * stretch);
        Self { stretch, stretches, tiles_of_line: 1, unit_rows, stretch_rows, of_unit, tiles, tile }
    }

    /// Returns the number by which kernels divide rows of a tile by `rows`: the upper half of a product with it is the
    /// quotient.
    #[must_use]
    pub fn inverse(rows: usize) -> usize {
        (1usize << 16).div_ceil(rows)
    }

    /// Returns the status words of the look-backs of a pipeline, whose states have `state` bytes: each line of several
    /// tiles has a chain of its own, with entries of groups if it has several groups.
    #[must_use]
    pub fn words(&self, state: usize) -> StatusWords {
        let each = match self.tiles_of_line {
            1 => 0,
            tiles if tiles <= GROUP => tiles,
            tiles => tiles + 2 * SPREAD * (tiles / GROUP + 1),
        };
        StatusWords::of((self.tiles / self.tiles_of_line * each).max(1), state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the row, and the place in it, of element `i` of line `line`, as `tile/places.cuh` finds elements.
    fn places(tiles: &LineTiles, row: usize, n: usize) -> Vec<Option<usize>> {
        let mut found = Vec::new();
        for tile in 0..tiles.tiles {
            let (begin, count) = if tiles.stretches > 0 {
                let begin = tile * tiles.stretches * tiles.stretch;
                (begin, (n - begin).min(tiles.stretches * tiles.stretch))
            } else {
                let (line, within) = (tile / tiles.tiles_of_line, tile % tiles.tiles_of_line);
                (line * tiles.stretch + within * tiles.tile, (tiles.stretch - within * tiles.tile).min(tiles.tile))
            };
            for offset in 0..tiles.tile {
                let (mut at, mut there) = (offset, count);
                if tiles.stretches > 0 {
                    let place = offset / row;
                    let unit = (place * LineTiles::inverse(tiles.unit_rows)) >> 16;
                    let in_unit = place - unit * tiles.unit_rows;
                    let stretch = (in_unit * LineTiles::inverse(tiles.stretch_rows)) >> 16;
                    let begin = (unit * tiles.of_unit + stretch) * tiles.stretch;
                    at = begin + (in_unit - stretch * tiles.stretch_rows) * row + offset % row;
                    there = if stretch < tiles.of_unit { count.min(begin + tiles.stretch) } else { 0 };
                }
                found.push((at < there).then_some(begin + at));
            }
        }
        found
    }

    #[test]
    fn every_element_has_one_place_at_its_line() {
        for row in [1, 2, 8, 16, 32] {
            let tile = row * TILE_ROWS;
            let lens = (1..=2 * row * ROWS + 3).chain((1..26).flat_map(|groups| {
                let end = groups * row * ROWS;
                [end - 1, end, end + 1]
            }));
            for len in lens.chain([2 * tile - 1, 2 * tile, 3 * tile + row]) {
                for lines in [1, 2, 5, 400] {
                    let (tiles, n) = (LineTiles::new(lines, len, row), lines * len);
                    if n > 20 * tile {
                        continue;
                    }
                    let places = places(&tiles, row, n);
                    let there: Vec<usize> = places.iter().copied().flatten().collect();
                    assert!(there.iter().copied().eq(0..n), "{lines} lines of {len} in rows of {row}: {tiles:?}");
                    // The rows of a line have the places in groups and tiles that those of a line alone have.
                    for (at, element) in places.iter().enumerate().filter_map(|(at, i)| Some((at, (*i)?))) {
                        let first = at - element % len;
                        assert!(tiles.stretches > 0 || first % tile == 0 || element % len == at - first);
                        if tiles.stretches > 0 {
                            let unit = [row, row * ROWS, tile].into_iter().find(|&unit| len <= unit).unwrap();
                            assert_eq!(
                                (first / unit, len.div_ceil(row) > 1 && first % row != 0),
                                ((first + len - 1) / unit, false)
                            );
                            assert!(len <= row * ROWS || first % (row * ROWS) == 0);
                        }
                    }
                    assert!(tiles.stretches * tiles.stretch <= tile);
                }
            }
        }
    }
}
