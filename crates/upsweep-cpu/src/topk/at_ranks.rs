//! Keys of given ranks, of each line or segment.

use super::call::Call;
use upsweep_core::call::bounds::Bounds;
use upsweep_core::error::Result;
use upsweep_core::key::KeyBits;
use upsweep_core::memory;
use upsweep_core::shape::Shape;

/// Number of lines, side by side, that are copied together: their keys share cache lines.
const COLUMNS: usize = 16;

/// Wanted ranks, from 1 on: for lines the same, for each segment its own, which begin where `begins` says.
pub(super) struct Places<'a> {
    pub(super) bounds: &'a Bounds,
    pub(super) ranks: &'a [usize],
    pub(super) begins: &'a [usize],
}

/// Returns the ranks that a part has, ascending, and where in `ranks` each is.
fn ascending(ranks: &[usize]) -> Result<(Vec<u64>, Vec<usize>)> {
    let mut order = memory::room(ranks.len())?;
    order.extend(ranks.iter().copied().zip(0..).filter(|&(rank, _)| rank > 0));
    order.sort_unstable();
    let sorted = memory::collected(order.len(), order.iter().map(|&(rank, _)| rank as u64))?;
    Ok((sorted, memory::collected(order.len(), order.iter().map(|&(_, at)| at))?))
}

impl<B: KeyBits> Call<B> {
    pub(super) fn at_ranks(&self, places: &Places<'_>) -> Result<()> {
        if places.ranks.is_empty() {
            return Ok(());
        }
        match places.bounds {
            Bounds::Lines(shape) => self.of_lines(shape, places.ranks),
            Bounds::Segments(_) => {
                let segment = |segment: usize, alone: bool| self.of_segment(places, segment, alone);
                self.each(places.bounds.count(), |segment| places.bounds.range(segment).len(), segment)
            }
        }
    }

    fn of_lines(&self, &Shape { outer, len, inner }: &Shape, ranks: &[usize]) -> Result<()> {
        let (sorted, order) = ascending(ranks)?;
        let store = |o: usize, i: usize, found: Vec<B>| {
            for (key, at) in found.into_iter().zip(&order) {
                // SAFETY: the output has an element for each rank of each line, and a line is one thread's.
                unsafe { self.store((o * ranks.len() + at) * inner + i, &[(key, 0)]) };
            }
        };
        if inner == 1 {
            let row = |o: usize, alone: bool| {
                store(o, 0, self.keys(o * len, len, alone).bits_of_ranks(&sorted)?);
                Ok(())
            };
            return self.each(outer, |_| len, row);
        }
        let blocks = inner.div_ceil(COLUMNS);
        let block = |block: usize, alone: bool| {
            let (o, first) = (block / blocks, block % blocks * COLUMNS);
            let plane = self.keys(o * len * inner, len * inner, true).bits;
            let columns = COLUMNS.min(inner - first);
            let elements = (first..first + columns).flat_map(|i| plane.iter().skip(i).step_by(inner));
            let lines = memory::collected(columns * len, elements.copied())?;
            for (i, line) in (first..).zip(lines.chunks_exact(len)) {
                store(o, i, self.with_bits(line, alone).bits_of_ranks(&sorted)?);
            }
            Ok(())
        };
        self.each(outer * blocks, |_| COLUMNS.min(inner) * len, block)
    }

    fn of_segment(&self, places: &Places<'_>, segment: usize, alone: bool) -> Result<()> {
        let (begin, end) = (places.begins[segment], places.begins[segment + 1]);
        let ranks = &places.ranks[begin..end];
        let (sorted, order) = ascending(ranks)?;
        // SAFETY: the output has an element for each rank, and a segment is one thread's.
        let store = |at: usize, key: B| unsafe { self.store(begin + at, &[(key, 0)]) };
        for (at, _) in ranks.iter().enumerate().filter(|&(_, &rank)| rank == 0) {
            store(at, self.instead);
        }
        let range = places.bounds.range(segment);
        if !sorted.is_empty() {
            let found = self.keys(range.start, range.len(), alone).bits_of_ranks(&sorted)?;
            found.into_iter().zip(order).for_each(|(key, at)| store(at, key));
        }
        Ok(())
    }
}
