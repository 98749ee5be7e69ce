//! The table of pairs is complete: each call that takes an input has a case with each kind of input, and with each kind
//! of counted input, or refuses these.

use crate::kinds::counted;
use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::path::Path;
use upsweep::prelude::*;
use upsweep::{Error, Result};
use upsweep_testing::on_each_backend;
use upsweep_testing::place::Place;

on_each_backend! { counted_inputs_are_refused }

/// Kinds of inputs: files of `upsweep-core/src/inputs`, and how the cases write each.
const KINDS: &[(&str, &str)] = &[
    ("apply", "Apply("),
    ("bits", "Bits::of("),
    ("buffers", "&on.x"),
    ("first", "count.of("),
    ("gather", "Gather::of("),
    ("neighbours", "Neighbours::of("),
    ("range", "5..5 + len as u32"),
    ("repeat", "Repeat("),
    ("zip", "(&on.x, &on.small)"),
];

/// Files below `folder` whose text has `word` outside of comments, without their ends.
fn files_with(folder: &Path, below: &str, word: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_stem().unwrap().to_str().unwrap());
        if path.is_dir() {
            found.extend(files_with(&path, &format!("{name}/"), word));
        } else if read_to_string(&path).unwrap().lines().any(|line| line.contains(word) && !line.contains("//")) {
            found.insert(name);
        }
    }
    found
}

/// Builders that the cases of this folder name after `macro_name`.
fn builders_of(macro_name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kinds")).unwrap() {
        let text = read_to_string(entry.unwrap().path()).unwrap();
        for part in text.split(&format!("{macro_name}!(")).skip(1) {
            let names = part.trim_start().strip_prefix('"').and_then(|part| part.split('"').next());
            found.extend(names.unwrap_or_default().split(", ").map(str::to_owned));
        }
    }
    found.remove("");
    found
}

#[test]
fn every_kind_has_its_cases() {
    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../upsweep-core/src/inputs");
    let of_sources = files_with(&inputs, "", "Inputs<'a> for ");
    assert_eq!(of_sources, KINDS.iter().map(|(file, _)| (*file).to_owned()).collect());
    let cases = include_str!("kinds.rs");
    for (file, written) in KINDS {
        assert!(cases.contains(written), "{file}: no kind of `each_kind` has `{written}`");
    }
}

#[test]
fn every_builder_has_its_cases() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut builders = files_with(&sources, "", "Inputs<'x");
    // They take the inputs of others: those of `scan_axes`, of calls that want a buffer, and of sorts.
    assert!(["scan_axes/padded", "buffered", "bounds"].map(|name| builders.remove(name)) == [true; 3]);
    // A scan by its own operator.
    builders.insert("varying".to_owned());
    assert_eq!(builders_of("each_kind"), builders, "each has a case with each kind of input");
    let (taken, refused) = (builders_of("each_counted_kind"), builders_of("refuses"));
    assert_eq!(taken.intersection(&refused).next(), None);
    assert_eq!(&taken | &refused, builders, "each has a case with a counted input, or refuses it");
}

/// Calls that have to know how many elements there are, and what they say.
fn counted_inputs_are_refused(place: &Place) {
    let device = &place.device;
    let x = place.upload(&[3u32; 10], 0);
    let next = place.upload(&[0u32, 0, 1, 2, 3, 4, 5, 6, 7, 8], 0);
    let codes = place.upload(&[0u8; 10], 0);
    let count = counted(place, 10, 4);
    let counted = || count.of(&x);
    let mut output = place.poisoned::<u32>(10, 0);
    let (mut keys, mut offsets) = (place.poisoned::<u32>(10, 0), place.poisoned::<u32>(3, 0));
    let told = |builder: &str, found: Result<()>, remedy: &str| {
        let text = match &found {
            Err(error @ Error::Options { .. }) => error.to_string(),
            _ => panic!("{builder}: {found:?}"),
        };
        assert!(text.contains("counted") || text.contains("a part of an array"), "{builder}: {text}");
        assert!(text.contains(remedy), "{builder}: {text}");
    };
    macro_rules! refuses {
        ($builder:literal, $call:expr) => {
            refuses!($builder, $call, "give a part of the buffer")
        };
        ($builder:literal, $call:expr, $remedy:literal) => {
            told($builder, $call.map(drop), $remedy)
        };
    }
    refuses!("sort", Sort::new().run(device, counted(), &mut output));
    refuses!("sort", Sort::new().indices().run(device, counted(), &mut output));
    refuses!("sort", Sort::pairs().run(device, (counted(), &x), (&mut keys, &mut output)));
    refuses!("sort", Sort::pairs().run(device, (&x, counted()), (&mut keys, &mut output)));
    refuses!("sort_by", Sort::by(Descends).run(device, counted(), &mut output));
    refuses!("sort_by_key", Sort::by_key(LowBits).run(device, counted(), &mut output));
    refuses!("sort_by_fields", Sort::by_fields().run_to_vec(device, Apply(Sized, counted())));
    refuses!("search", Search::lower(&x).run(device, counted(), &mut output));
    refuses!("topk", TopK::largest(10).run(device, counted(), &mut output));
    refuses!("nth", Nth::median().run_to_vec(device, counted()));
    refuses!("merge", Merge::new().run(device, (counted(), 0..6u32), &mut output));
    refuses!("merge", Merge::new().run(device, (0..6u32, counted()), &mut output));
    refuses!("sets", Sets::union().run_to_vec(device, (counted(), &x)));
    refuses!("unique", Unique::new().run_to_vec(device, counted()));
    refuses!("multisplit", Partition::ways(LowBits, 2).run(device, counted(), &mut output, &mut offsets));
    refuses!("multisplit", Partition::ways(LowBits, 2).indices().run(device, counted(), &mut output, &mut offsets));
    refuses!("histogram", Histogram::by(LowBits, 10).run(device, counted(), &mut output));
    refuses!("recurrence", Recurrence::new(&[1u32], &[1]).run(device, counted(), &mut output));
    refuses!("moving_sum", MovingSum::new([1, 10, 1, 1]).rows(1, 1).run(device, counted(), &mut output));
    refuses!("pyramid", Pyramid::new(Highest, [1, 1, 10, 1], 1).run(device, counted(), &mut output));
    refuses!("up_sweep", UpSweep::new(Sum).run(device, counted(), &mut output));
    refuses!("scan_axes", Scan::new(Sum).axes(&[2, 5], &[0, 1]).run(device, counted(), &mut output));
    refuses!("list_scan", Scan::new(Sum).along(&next, 9).run(device, counted(), &mut output), "known length");
    refuses!("reduce_by_code", Reduce::new(Sum).by_code(&codes, 3).run(device, counted(), &mut offsets));
    refuses!("reduce_by_code", Reduce::new(Sum).by_code(count.of(&codes), 3).run(device, &x, &mut offsets));
    let of_keys = Reduce::new(Sum).segments(Segments::Keys(&x));
    let carry = &mut Carry::new();
    refuses!("carry/scan", Scan::new(Sum).run_with_carry(device, counted(), &mut output, carry), "give");
    refuses!("carry/reduce", Reduce::new(Sum).run_with_carry(device, counted(), &mut offsets, carry), "give a slice");
    refuses!("carry/keys", of_keys.run_with_carry(device, counted(), (&mut keys, &mut output), carry), "give a slice");
    let (third, dedup) = (Select::new(Third), Dedup::new());
    refuses!("carry/selection", third.run_with_carry(device, counted(), &mut output, carry), "give a slice");
    refuses!("carry/dedup", dedup.run_with_carry(device, counted(), &mut output, carry), "give a slice");
    refuses!("carry/histogram", Histogram::by(LowBits, 10).run_with_carry(device, counted(), &mut output, carry));
    let recurrence = Recurrence::new(&[1u32], &[1]);
    refuses!("carry/recurrence", recurrence.run_with_carry(device, counted(), &mut output, carry));
    let moving = MovingSum::new([1, 10, 1, 1]).rows(1, 1);
    refuses!("carry/moving_sum", moving.run_with_carry(device, counted(), &mut output, carry));
    assert_eq!(output.check_guards(), [0xABAB_ABAB; 10]);
}

#[function]
fn descends(a: u32, b: u32) -> bool {
    a > b
}
#[function]
fn low_bits(x: u32) -> u8 {
    (x % 16) as u8
}
#[function]
fn third(x: u32) -> bool {
    x % 3 == 0
}
#[function]
fn highest(a: u32, b: u32, c: u32, d: u32) -> u32 {
    a.max(b).max(c.max(d))
}
#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Size {
    #[key]
    size: u32,
}
#[function]
fn sized(size: u32) -> Size {
    Size { size }
}
