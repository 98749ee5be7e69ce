//! Claims that are tables: threads, words and banks of accesses, as recorded in runs.

use super::measure::{Measured, Open, list};
use crate::algorithm::{Input, Setup};
use crate::algorithms::by_name;
use crate::machine::{Banks, Run};
use crate::operator::Operator;

/// Records a run of an algorithm on `n` ones.
fn recorded(name: &str, n: usize, banks: Banks) -> Result<Run, String> {
    let algorithm = by_name(name).ok_or_else(|| format!("there is no algorithm {name}"))?;
    let setup = Setup { operator: Operator::<i64>::sum(), shape: banks.into(), records: true };
    let outcome = algorithm.run(setup, &Input { values: &vec![1; n], heads: &vec![false; n] });
    Ok(outcome.map_err(|error| error.to_string())?.run)
}

/// Returns the index of the first word that each thread reads in step `number`, from 0, of those with this label.
fn addresses(name: &str, n: usize, label: &str, number: usize) -> Result<Vec<usize>, String> {
    let run = recorded(name, n, Banks::Sixteen)?;
    let step = run.steps.iter().filter(|step| step.label == label).nth(number).ok_or("there is no such step")?;
    Ok(step.events.iter().filter_map(|event| event.reads.first()).map(|place| place.index).collect())
}

fn banks_of(addresses: &[usize]) -> Vec<usize> {
    addresses.iter().map(|address| address % Banks::Sixteen.number()).collect()
}

fn last_addresses() -> Result<Measured, String> {
    let row = addresses("reduce-strided", 128, "add", 1)?;
    let last = &row[row.len().saturating_sub(4)..];
    let found = format!("{}; banks {}", list(last), list(&banks_of(last)));
    let claimed = "112 116 120 122; banks 0 4 8 10";
    Ok(Measured::new(claimed, &found, found == claimed))
}

fn padded_addresses() -> Result<Measured, String> {
    let row = addresses("reduce-strided-padded", 64, "add", 0)?;
    let found = format!("{} addresses, the last is {}", row.len(), row.last().copied().unwrap_or(0));
    let claimed = "31 addresses, the last is 63";
    Ok(Measured::new(claimed, &found, found == claimed))
}

fn padded_banks() -> Result<Measured, String> {
    let row = addresses("reduce-strided-padded", 128, "add", 1)?;
    Ok(Measured::same(&[0, 4, 8, 12, 17, 21, 25, 29], &banks_of(&row[..8.min(row.len())])))
}

/// Says how many threads of a half-warp access each bank that is accessed, and which threads the lowest bank.
fn crowd(number: usize) -> Result<String, String> {
    let row = addresses("blelloch", 64, "up", number)?;
    let half = banks_of(&row[..16.min(row.len())]);
    let at = |bank: usize| (0..half.len()).filter(|&thread| half[thread] == bank).collect::<Vec<_>>();
    let crowds: Vec<_> = (0..16).map(|bank| (bank, at(bank))).filter(|(_, threads)| !threads.is_empty()).collect();
    let first = crowds.first().ok_or("nobody is anywhere")?;
    if crowds.iter().any(|(_, threads)| threads.len() != first.1.len()) {
        return Ok(format!("unequal: {crowds:?}"));
    }
    Ok(format!("{} at each of {}: {} at bank {}", first.1.len(), crowds.len(), list(&first.1), first.0))
}

fn crowds() -> Result<Measured, String> {
    let claimed = "2 at each of 8: 0 8 at bank 0; 4 at each of 4: 0 4 8 12 at bank 1";
    let found = format!("{}; {}", crowd(0)?, crowd(1)?);
    Ok(Measured::new(claimed, &found, found == claimed))
}

fn waste() -> Result<Measured, String> {
    let run = recorded("brent-kung-padded", 1024, Banks::ThirtyTwo)?;
    let words = run.arrays.iter().find(|array| array.block.is_some()).map_or(0, |array| array.initial.len());
    let percent = 100.0 * (words as f64 / 1024.0 - 1.0);
    Ok(Measured::new("about 3 %", format!("{percent:.1} % ({words} words for 1024)"), percent.round() == 3.0))
}

/// Counts the words of shared memory in a double-buffered scan of 16 elements.
fn in_place() -> Result<Measured, String> {
    let run = recorded("double-buffered", 16, Banks::ThirtyTwo)?;
    let words: usize = run.arrays.iter().filter(|array| array.block.is_some()).map(|array| array.initial.len()).sum();
    Ok(Measured::same(&[16], &[words]))
}

pub(super) static CLAIMS: &[Open] = &[
    Open {
        name: "tree-128-addresses",
        source: "Lensch and Strzodka, \"Scan Bank Conflicts (2)\"",
        statement: "128 leaves, scale 2: the last addresses are 112 116 120 122",
        remark: "A misprint: 4 more each time.",
        measure: last_addresses,
    },
    Open {
        name: "tree-64-padded-addresses",
        source: "Lensch and Strzodka, \"Fixing Scan Bank Conflicts\"",
        statement: "64 leaves padded, scale 1: the addresses end with 59 61 63",
        remark: "The last one is missing: 62, behind three words of padding.",
        measure: padded_addresses,
    },
    Open {
        name: "tree-128-padded-banks",
        source: "Lensch and Strzodka, \"Fixing Scan Bank Conflicts\"",
        statement: "128 leaves padded, scale 2: banks 0 4 8 12 17 21 25 29 ...",
        remark: "There are 16 banks: the slide repeats the addresses and leaves out modulo 16. The conflicts that it gives are \
                 right.",
        measure: padded_banks,
    },
    Open {
        name: "tree-crowds",
        source: "Lensch and Strzodka, \"Bank Conflicts in the tree algorithm\"",
        statement: "in the first iteration 2 threads access each of 8 banks, in the second one 4 each of 4: \
                    threads 0 and 8 bank 0; threads 0, 4, 8 and 12 bank 1",
        remark: "The left words that a half-warp reads, 16 banks.",
        measure: crowds,
    },
    Open {
        name: "padding-waste",
        source: "CS121, \"Removing bank conflicts\"",
        statement: "padding wastes about 3 % of the space with 32 banks",
        remark: "A word for each 32: 1/32.",
        measure: waste,
    },
    Open {
        name: "double-buffer-in-place",
        source: "Hwu, Kirk, El Hajj, \"Parallel scan with the Kogge-Stone algorithm\"",
        statement: "the kernel with XY[pout * n + t] is an in-place scan of an array XY of n words",
        remark: "It has two buffers of n words. The text goes on with the form in place, which needs the second barrier. n = 16.",
        measure: in_place,
    },
];
