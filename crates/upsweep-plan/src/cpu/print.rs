//! CPU plans as text for `upsweep explain`.

use super::{CpuJob, CpuKind, CpuPlan, CpuSegments, Cut, Strips};
use std::fmt;

impl fmt::Display for CpuPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job: CpuJob { kind, shape, segments, bytes, .. }, cut, threads, non_temporal } = self;
        let [input, combined, output] = bytes;
        let what = match kind {
            CpuKind::Scan => "scan",
            CpuKind::Reduction => "reduction",
        };
        let by = match (segments, cut) {
            (CpuSegments::None, Cut::Blocks(_)) => String::new(),
            (CpuSegments::None, Cut::Strips(_)) => " of interleaved lines".to_owned(),
            (CpuSegments::Heads, _) => " of segments by heads".to_owned(),
            (CpuSegments::Offsets(segments), _) => format!(" of {segments} segments"),
        };
        writeln!(f, "{what}{by} in one pass over memory")?;
        write!(f, "  elements      {} of {input} bytes", shape.elements())?;
        if combined != input || output != input {
            write!(f, ", combined as {combined}, stored as {output}")?;
        }
        writeln!(f)?;
        if shape.lines() != 1 && *segments == CpuSegments::None {
            writeln!(f, "  lines         {} of {} elements", shape.lines(), shape.len)?;
        }
        let done = match (kind, cut) {
            (CpuKind::Reduction, _) => "each reduced",
            (CpuKind::Scan, Cut::Blocks(_)) if *threads == 1 => "each scanned after the one before",
            (CpuKind::Scan, Cut::Strips(strips)) if strips.blocks_per_unit == 1 => "each scanned",
            (CpuKind::Scan, _) => "each reduced, then scanned from the cache",
        };
        match cut {
            Cut::Blocks(blocks) if *kind == CpuKind::Reduction && matches!(segments, CpuSegments::Offsets(_)) => {
                let (count, block) = (blocks.count(), blocks.block);
                writeln!(f, "  blocks        {count} of {block} elements and ends of segments, {done}")?;
            }
            Cut::Blocks(blocks) => {
                writeln!(
                    f,
                    "  blocks        {} of {} elements, {done}",
                    blocks.count(),
                    blocks.block.min(blocks.line)
                )?;
            }
            Cut::Strips(strips) => {
                let Strips { width, strips, units, rows, blocks_per_unit, units_per_ticket, .. } = strips;
                writeln!(f, "  strips        {strips} of {width} columns, in {} matrices", shape.outer)?;
                writeln!(f, "  blocks        {} of {rows} rows of a strip, {done}", units * blocks_per_unit)?;
                if *units_per_ticket > 1 {
                    writeln!(f, "  together      {units_per_ticket} strips are one thread's turn")?;
                }
            }
        }
        match threads {
            1 => write!(f, "  threads       the calling one")?,
            _ => write!(f, "  threads       {threads} of the pool")?,
        }
        if *kind == CpuKind::Scan {
            write!(f, "\n  stores        {}", if *non_temporal { "non-temporal" } else { "plain" })?;
        }
        Ok(())
    }
}
