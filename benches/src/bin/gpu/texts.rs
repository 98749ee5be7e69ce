//! Tokens of texts, lines that match, and the first difference of two texts. The bytes of a record's row are those of
//! the text, whatever the call stores.

use super::gpu::Gpu;
use std::cell::RefCell;
use upsweep::prelude::*;
use upsweep_apps::text::{Compare, Grammar, Grep};
use upsweep_bench::{Outcome, texts};

/// Number of bytes after which a text repeats.
const PERIOD: usize = 16 << 20;

const PATTERN: &str = "[A-Z][a-z]+ [0-9]{2,4}(st|nd|th)?";

pub(crate) fn bench(gpu: &mut Gpu, log2n: u32) -> Outcome {
    let n = 1 << log2n;
    for grammar in ["json", "csv", "rust"] {
        if gpu.wants::<u8>(&format!("lex_{grammar}")) {
            lex(gpu, grammar, n)?;
        }
    }
    if gpu.wants::<u8>("grep_count") {
        grep(gpu, n)?;
    }
    if gpu.wants::<u8>("compare") {
        compare(gpu, n)?;
    }
    Ok(())
}

/// Returns the first `n` bytes of the text `name`, which is repeated without end.
fn text(name: &str, n: usize) -> Outcome<Vec<u8>> {
    let period = PERIOD.min(n);
    let once = match name {
        "json" => texts::json(period)?,
        "csv" => texts::csv(period)?,
        _ => texts::rust(period),
    };
    let mut text = once.into_bytes().repeat(n.div_ceil(period));
    text.truncate(n);
    Ok(text)
}

fn lex(gpu: &mut Gpu, grammar: &str, n: usize) -> Outcome {
    let host = text(grammar, n)?;
    let lexer = Grammar::find(grammar).ok_or("no such grammar")?.lexer()?;
    let expected = lexer.run(&Device::cpu(), &host)?;
    let text = gpu.upload(&host)?;
    let tokens = lexer.run(gpu.device(), &text)?;
    let (kinds, ends) = (tokens.kinds.to_vec()?, tokens.ends.to_vec()?);
    let (all_kinds, all_ends) = (expected.kinds.to_vec()?, expected.ends.to_vec()?);
    if kinds.len() != all_kinds.len() {
        return Err(format!("lex_{grammar}: {} tokens, not {}", kinds.len(), all_kinds.len()).into());
    }
    if let Some(at) = (0..kinds.len()).find(|&at| (kinds[at], ends[at]) != (all_kinds[at], all_ends[at])) {
        return Err(format!("lex_{grammar}: token {at} is {} up to {}", kinds[at], ends[at]).into());
    }
    let outputs = RefCell::new((tokens.kinds, gpu.upload(&vec![0u32; ends.len()])?));
    let mut nothing = gpu.filled::<u8>(1)?;
    gpu.call::<u8>(&format!("lex_{grammar}"), n, n, &mut nothing, |device, _| {
        let (kinds, ends) = &mut *outputs.borrow_mut();
        lexer.run_into(device, &text, kinds, ends).map(drop).map_err(of_library)
    })?;
    let outputs = RefCell::new((outputs.into_inner().0, tokens.ends));
    gpu.call::<u8>(&format!("lex_{grammar}_u64"), n, n, &mut nothing, |device, _| {
        let (kinds, ends) = &mut *outputs.borrow_mut();
        lexer.run_into(device, &text, kinds, ends).map(drop).map_err(of_library)
    })
}

fn grep(gpu: &mut Gpu, n: usize) -> Outcome {
    // Every seventh row matches the pattern.
    let rows = (0u32..).flat_map(|i| {
        format!("{} {} of row {i}, which goes on\n", ["Mile", "mile"][usize::from(i % 7 > 0)], i % 9_000 + 100)
            .into_bytes()
    });
    let once: Vec<u8> = rows.take(PERIOD.min(n)).collect();
    let host: Vec<u8> = once.iter().copied().cycle().take(n).collect();
    let grep = Grep::new(PATTERN)?;
    let text = gpu.upload(&host)?;
    let (found, expected) = (grep.count(gpu.device(), &text)?, grep.count(&Device::cpu(), &host)?);
    if found != expected {
        return Err(format!("grep_count: {found} lines, not {expected}").into());
    }
    let mut nothing = gpu.filled::<u8>(1)?;
    gpu.call::<u8>("grep_count", n, n, &mut nothing, |device, _| {
        grep.count(device, &text).map(drop).map_err(of_library)
    })
}

/// Measures the comparison of two texts that differ in the last byte, beside a kernel that reads both.
fn compare(gpu: &mut Gpu, n: usize) -> Outcome {
    let (a, b) = (gpu.filled::<f32>(n / 4)?, gpu.filled::<f32>(n / 4)?);
    gpu.plain::<f32>("compare", ("read_two", 4096), n / 4, 2 * n, (&a, &b))?;
    let mut host: Vec<u8> = text("json", n)?;
    let a = gpu.upload(&host)?;
    host[n - 1] ^= 1;
    let b = gpu.upload(&host)?;
    let found = Compare::new().run(gpu.device(), &a, &b)?;
    if found.at != Some(n - 1) {
        return Err(format!("compare: {found:?}, not at {}", n - 1).into());
    }
    let mut nothing = gpu.filled::<u8>(1)?;
    gpu.call::<u8>("compare", n, 2 * n, &mut nothing, |device, _| Compare::new().run(device, &a, &b).map(drop))
}

fn of_library(error: upsweep_apps::Error) -> upsweep::Error {
    match error {
        upsweep_apps::Error::Library(error) => error,
        other => upsweep::Error::Device { reason: other.to_string() },
    }
}
