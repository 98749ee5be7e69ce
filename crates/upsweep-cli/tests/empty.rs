//! Tests of arrays without elements, with huge numbers of lines: every command ends at once, with a result or an error.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;
use std::time::{Duration, Instant};
use support::{Done, Folder, npy, npy_data};

/// Shapes without elements: with few lines along any axis, and with many.
const SHAPES: &[(usize, &str)] = &[
    (1, "(0,)"),
    (2, "(0, 3)"),
    (2, "(50, 0)"),
    (2, "(0, 0)"),
    (2, "(0, 1099511627776)"),
    (2, "(1099511627776, 0)"),
    (3, "(2, 0, 3)"),
    (3, "(1048576, 0, 1048576)"),
    (3, "(0, 1, 1099511627776)"),
    (3, "(3, 1099511627776, 0)"),
];

/// Commands that keep the shape.
const KEEP_SHAPE: &[&str] = &[
    "scan e.npy",
    "scan e.npy --exclusive --reverse",
    "sort e.npy",
    "sort e.npy --desc",
    "sort e.npy --argsort",
    "signal filter e.npy --b 1,1 --a 1,-0.5",
    "signal filter e.npy --b 2",
    "signal filter e.npy --b 1,1 --a 1,-0.5 --both-ways --pad none",
    "signal smooth e.npy --span 3",
    "signal smooth e.npy --half-life 3",
];

/// Other commands, and the errors that they may end with.
const OTHERS: &[(&str, &[&str])] = &[
    ("reduce e.npy", &[]),
    ("unique e.npy", &[]),
    ("select e.npy --where x>1", &[]),
    ("histogram e.npy --bins 3 --range 0 1", &[]),
    ("median e.npy", &["has no values"]),
    ("quantile e.npy --q 0.5", &["has no values"]),
    ("sample e.npy", &["there are no weights"]),
    ("image integral e.npy -o o.npy", &["has the shape", "is at most", "not enough memory"]),
    ("image blur e.npy --radius 1 -o o.npy", &["has the shape"]),
    ("image blur e.npy --sigma 1 -o o.npy", &["has the shape"]),
    ("image mipmap e.npy -o o.npy", &["has the shape", "an image without values has no levels"]),
    ("terrain shade e.npy -o o.npy", &["has the shape", "is at most"]),
];

fn at_once(f: &Folder, args: &[&str], shape: &str) -> Done {
    let begun = Instant::now();
    let done = f.run(args);
    assert!(begun.elapsed() < Duration::from_secs(10), "{args:?} of {shape}: {:?}", begun.elapsed());
    done
}

fn files(shape: &str) -> Folder {
    let f = Folder::new();
    f.file("e.npy", npy("'<f8'", shape, &[]));
    f
}

#[test]
fn along_every_axis() {
    for &(axes, shape) in SHAPES {
        let f = files(shape);
        for command in KEEP_SHAPE {
            for axis in 0..axes {
                let axis = axis.to_string();
                let args: Vec<&str> = command.split(' ').chain(["--axis", &*axis, "-o", "o.npy"]).collect();
                at_once(&f, &args, shape).good();
                let found = f.read("o.npy");
                assert!(npy_data(&found).is_empty(), "{args:?} of {shape}");
                let header = String::from_utf8_lossy(&found[..found.len().min(200)]).into_owned();
                assert!(header.contains(&format!("'shape': {shape}")), "{args:?} of {shape}: {header}");
            }
        }
    }
}

/// Padding longer than the signal allows is an error, even if the array has no signal of that length.
#[test]
fn padding_of_nothing() {
    let both_ways = "signal filter e.npy --b 1,1 --a 1,-0.5 --both-ways -o o.npy --axis";
    for (shape, axis, error) in [
        ("(50, 0)", "0", None),
        ("(50, 0)", "1", Some("the padding of a signal of 0 elements is 6")),
        ("(0, 3)", "0", Some("the padding of a signal of 0 elements is 6")),
        ("(4, 0)", "0", Some("the padding of a signal of 4 elements is 6")),
    ] {
        let f = files(shape);
        let args: Vec<&str> = both_ways.split(' ').chain([axis]).collect();
        match error {
            None => drop(f.prints(&args)),
            Some(words) => f.fails(&args, b"", 2, &[words]),
        }
    }
}

#[test]
fn all_other_commands() {
    for (_, shape) in SHAPES {
        let f = files(shape);
        for (command, errors) in OTHERS {
            let done = at_once(&f, &command.split(' ').collect::<Vec<_>>(), shape);
            match done.code {
                Some(0) => {}
                Some(1 | 2) => {
                    let known = errors.iter().any(|error| done.stderr.contains(error));
                    assert!(known && done.stderr.lines().count() == 1, "{command} of {shape}: {}", done.stderr);
                }
                _ => panic!("{command} of {shape}: {done:?}"),
            }
        }
    }
}
