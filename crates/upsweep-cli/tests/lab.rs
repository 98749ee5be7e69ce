//! Tests of the laboratory on the command line: output, files and errors.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod support;
use support::Folder;

#[test]
fn list() {
    let text = Folder::new().prints(&["lab", "list"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), upsweep_lab::algorithms::ALGORITHMS.len() + 1);
    let title = lines[0].find("title").unwrap();
    for (line, algorithm) in lines[1..].iter().zip(upsweep_lab::algorithms::ALGORITHMS) {
        assert!(line.starts_with(&format!("{} ", algorithm.name)), "{line}");
        assert!(line[..title].contains(algorithm.computes.name()) && line[title..] == *algorithm.title, "{line}");
    }
}

#[test]
fn show() {
    let f = Folder::new();
    let text = f.prints(&["lab", "show", "blelloch", "--values", "3,1,7,0,4,1,6,3"]);
    assert!(text.starts_with("blelloch: Blelloch"), "{text}");
    assert!(text.contains("\nexclusive scan of 8 elements, operator sum, 32 banks\n"), "{text}");
    assert!(text.contains("\n  y       *0  *3  *4 *11 *11 *15 *16 *22\n"), "{text}");
    assert!(text.ends_with("result  as it should be\n") && !text.contains('\x1b'), "{text}");
    let text = f.prints(&["lab", "show", "kogge-stone", "--values=-3,-1,-7", "--op", "max", "--banks", "16"]);
    assert!(text.contains("operator max, 16 banks\n") && text.contains("*-3 *-1 *-1\n"), "{text}");
    let text = f.prints(&["lab", "show", "kogge-stone", "--values", "2x+1, x-3,-x,5", "--op", "affine"]);
    assert!(text.contains("*2x+1  *2x-2 *-2x+2  *0x+5\n"), "{text}");
    let random = |seed: &str| f.prints(&["lab", "show", "kogge-stone", "--seed", seed]);
    assert!(random("1").contains("16 elements") && random("1") == random("1") && random("1") != random("2"));
}

#[test]
fn show_in_files() {
    let f = Folder::new();
    // The files are the whole output.
    assert_eq!(f.prints(&["lab", "show", "blelloch", "--n", "8", "--svg", "a.svg", "--html", "a.html"]), "");
    let (svg, html) = (f.read("a.svg"), f.read("a.html"));
    assert!(svg.starts_with(b"<?xml") && html.starts_with(b"<!DOCTYPE html>"));
    assert_eq!(f.run(&["lab", "show", "blelloch", "--n", "8", "--svg", "-"]).good_bytes(), svg);
    assert_eq!(f.run(&["lab", "show", "blelloch", "--n", "8", "--html", "-"]).good_bytes(), html);
    assert_eq!(f.names(), ["a.html", "a.svg"]);
}

#[test]
fn two_algorithms_in_step() {
    let f = Folder::new();
    let show = |first: &'static str, n: &'static str| ["lab", "show", first, "--n", n, "--beside", "kogge-stone"];
    assert_eq!(f.prints(&[&show("blelloch", "16")[..], &["--html", "both.html"]].concat()), "");
    let page = String::from_utf8(f.read("both.html")).unwrap();
    assert!(page.contains("<title>blelloch beside kogge-stone</title>") && page.contains("id=\"run-2\""));
    f.fails(&show("blelloch", "16"), b"", 2, &["--html"]);
    let reason = "kogge-stone takes 1 to 1024 elements, not 2000";
    f.fails(&[&show("hillis-steele", "2000")[..], &["--html", "none.html"]].concat(), b"", 2, &[reason]);
    assert_eq!(f.names(), ["both.html"]);
}

#[test]
fn a_fault_comes_after_its_steps() {
    let f = Folder::new();
    let fault = "\nfault   race at s[31] in step \"write\" of kogge_stone: thread 32 of block 0 reads \
                 and thread 31 of block 0 writes, and no barrier lies between\n";
    // This algorithm is meant to race: its race is no failure.
    assert_eq!(f.prints(&["lab", "show", "kogge-stone-race", "--n", "33", "--html", "race.html"]), "");
    let text = f.prints(&["lab", "show", "kogge-stone-race", "--n", "33"]);
    assert!(text.contains("\nstep 3  write: ") && !text.contains("\nstep 4"), "{text}");
    assert!(text.replace("\n    ", " ").ends_with(fault), "{text}");
    assert!(String::from_utf8(f.read("race.html")).unwrap().contains("race at s[31]"));
    assert!(f.prints(&["lab", "show", "kogge-stone-race", "--n", "32"]).ends_with("as it should be\n"));
}

#[test]
fn count() {
    let f = Folder::new();
    let text =
        f.prints(&["lab", "count", "kogge-stone", "blelloch", "--n", "16..64", "--csv", "c.csv", "--svg", "c.svg"]);
    let (table, legend) = text.split_once("\n\n").unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    let head = "algorithm,n,work,depth,barriers,divergent,conflicts,cycles,critical_cycles,all_divergent,all_conflicts,all_cycles";
    assert_eq!(rows[0].join(","), head.replace('_', ","));
    assert_eq!(rows.len(), 7);
    for word in ["work", "depth", "divergent", "conflicts", "cycles", "critical cycles", "all"] {
        assert!(legend.contains(&format!("{word}: ")), "{legend}");
    }
    // n log n - (n - 1), and 2 (n - 1).
    assert_eq!((&rows[1][..3], &rows[6][..3]), (&["kogge-stone", "16", "49"][..], &["blelloch", "64", "126"][..]));
    assert!(table.lines().all(|line| line.len() == text.find('\n').unwrap()), "{text}");
    let csv = String::from_utf8(f.read("c.csv")).unwrap();
    let commas: Vec<String> = rows[1..].iter().map(|row| row.join(",")).collect();
    assert_eq!(csv, format!("{head}\n{}\n", commas.join("\n")));
    let svg = String::from_utf8(f.read("c.svg")).unwrap();
    // Three sizes of two algorithms in three panels, each with its axes and the lines' names.
    assert_eq!(svg.matches("<circle").count(), 3 * 2 * 3);
    for (words, count) in
        [(">elements<", 3), (">operations<", 1), (">operations one after the other<", 1), (">blelloch<", 3)]
    {
        assert_eq!(svg.matches(words).count(), count, "{words}");
    }
    assert_eq!(f.prints(&["lab", "count", "kogge-stone", "blelloch", "--n", "10..100", "--csv", "-"]), csv);
    let banks = |banks: &str| f.prints(&["lab", "count", "blelloch", "--n", "50", "--banks", banks, "--csv", "-"]);
    assert!(banks("16").contains("\nblelloch,50,") && banks("16") != banks("32"));
    // The lecture's 102 cycles of 64 leaves with 16 banks; 6 more for the load and the store. Two half-warps of degree
    // 2, then one of 4, 4, 4 and 2: 3 (2 + 3 + 3 + 3 + 1) conflicts. Depth is log n.
    let row = |name: &str, n: &str| {
        let csv = f.prints(&["lab", "count", name, "--n", n, "--banks", "16", "--csv", "-"]);
        csv.lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(row("reduce-strided", "64"), "reduce-strided,64,63,6,6,5,36,102,102,6,36,108");
    assert!(row("reduce-strided-padded", "64").contains(",84,84,"));
    assert!(row("kogge-stone", "1024").starts_with("kogge-stone,1024,9217,10,"));
    assert!(row("hillis-steele", "16384").starts_with("hillis-steele,16384,212993,14,"));
}

#[test]
fn operators_that_do_not_commute() {
    let f = Folder::new();
    for name in ["reduce-sequential", "reduce-unrolled"] {
        let reason = format!("{name} combines elements out of their order, and affine does not commute");
        f.fails(
            &["lab", "show", name, "--op", "affine"],
            b"",
            2,
            &[&reason, &format!("{name}-ordered keeps the order")],
        );
        let ordered = f.prints(&["lab", "show", &format!("{name}-ordered"), "--op", "affine"]);
        assert!(ordered.ends_with("result  as it should be\n"), "{ordered}");
    }
    // As on the slide.
    let text = f.prints(&["lab", "show", "reduce-sequential", "--values", "3,1,7,0,4,1,6,3"]);
    assert!(text.contains("\n  s       *7  *2 *13  *3   4   1   6   3\n"), "{text}");
}

#[test]
fn claims() {
    let text = Folder::new().prints(&["lab", "claims"]);
    let all = upsweep_lab::claims::claims();
    let not = all.iter().filter(|claim| !claim.holds).count();
    assert!(text.starts_with(&format!("{} claims, of which {not} do not hold", all.len())), "{text}");
    // The lecture's padded tree of 128 leaves, by its own rule.
    assert!(text.contains("DIFFERS  tree-128\n") && text.contains("found    186 48 112\n"), "{text}");
    assert!(text.contains("\nholds  tree-64\n") && text.contains("found    102 36 84\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn small_machines() {
    let f = Folder::new();
    let show = |more: &[&str]| f.prints(&[&["lab", "show"], more].concat());
    let small = ["--warp", "4", "--banks", "4", "--tile", "8"];
    let text = show(&[&["look-back", "--n", "40", "--op", "ranges"], &small[..]].concat());
    assert!(text.contains("operator ranges, 4 banks, warps of 4, 8 elements a block\n"), "{text}");
    assert!(text.contains(" (block 4): ") && text.contains("x0..39"), "{text}");
    // The schedule.
    let order = |seed: &str| show(&[&["look-back", "--n", "40", "--order", seed], &small[..]].concat());
    assert!(order("1") == order("1") && order("1") != order("2") && order("1").contains("order of seed 1"));
    // The course's segments.
    let text = show(&["segmented-pairs", "--values", "1,2,3,4,6,5,1,3,5", "--heads", "0,4,6"]);
    assert!(text.contains("segments begin at 0 4 6\n"), "{text}");
    assert!(text.contains("  y       *0  *1  *3  *6  *0  *6  *0  *1  *4\n"), "{text}");
    // The lecture's table of threads and banks, and registers.
    let text = show(&["reduce-strided", "--n", "32", "--banks", "16"]);
    let table = "    the worst access, a read of s, takes 2 turns\n    thread    0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15\n    \
                 word      0   2   4   6   8  10  12  14  16  18  20  22  24  26  28  30\n    \
                 bank      0   2   4   6   8  10  12  14   0   2   4   6   8  10  12  14\n";
    assert!(text.contains(table), "{text}");
    assert!(show(&["kogge-stone", "--values", "3,1,7,0"]).contains("    registers temp: . 4 8 7\n"));
    let count = f.prints(&["lab", "count", "look-back", "--n", "64", "--warp", "4", "--tile", "8", "--csv", "-"]);
    assert!(count.contains("\nlook-back,64,"), "{count}");

    let fails = |more: &[&str], words: &[&str]| f.fails(&[&["lab", "show"], more].concat(), b"", 2, words);
    fails(&["blelloch", "--heads", "0,4"], &["--heads: blelloch knows no segments"]);
    fails(&["segmented-pairs", "--n", "4", "--heads", "4"], &["--heads: there is no element 4, only 0 to 3"]);
    fails(&["segmented-pairs", "--heads", "x"], &["--heads"]);
    fails(&["blelloch", "--op", "ranges", "--values", "1,2"], &["--values: --op ranges shows places"]);
    fails(&["blelloch", "--warp", "5"], &["warps of 5 threads: a warp has a power of two from 2 to 32"]);
    fails(&["look-back", "--warp", "4", "--tile", "64"], &["tiles of 64 elements", "from 4 to 16"]);
    fails(&["reduce-shuffle", "--warp", "4", "--n", "17"], &["reduce-shuffle takes 1 to 16 elements, not 17"]);
}

/// Errors that need no GPU.
#[test]
#[cfg(feature = "cuda")]
fn races_that_there_are_not() {
    let f = Folder::new();
    for (args, reason) in [
        (&["--n", "2^40"][..], "1099511627776 elements: a race has 2147483648 at most"),
        (&["--device", "cpu"], "--device cpu: the race is one of CUDA kernels"),
        (&["--csv", "-", "--svg", "-"], "--csv and --svg cannot both go to standard output"),
        (&["nothing"], "no such algorithm"),
        (&["--n", "0"], "0 elements: a race has 1 at least"),
    ] {
        f.fails(&[&["lab", "race"], args].concat(), b"", 2, &[reason]);
    }
}

#[test]
fn page() {
    let f = Folder::new();
    let count = upsweep_lab::algorithms::ALGORITHMS.len() + 2;
    assert_eq!(f.prints(&["lab", "page", "--out", "lab"]), format!("{count} pages in lab\n"));
    let pages = || std::fs::read_dir(f.path("lab")).unwrap().count();
    assert_eq!((pages(), f.names()), (count, vec!["lab".to_owned()]));
    let index = String::from_utf8(f.read("lab/index.html")).unwrap();
    for algorithm in upsweep_lab::algorithms::ALGORITHMS {
        let page = format!("{}.html", algorithm.name);
        assert!(index.contains(&format!("href=\"{page}\"")));
        assert!(String::from_utf8(f.read(&format!("lab/{page}"))).unwrap().contains("href=\"index.html\""));
    }
    // Pages replace pages, and other files stay.
    let old = index.replace("All algorithms", "Old");
    f.file("lab/notes.txt", "mine").file("lab/index.html", &old[..5000.min(old.len())]);
    f.prints(&["lab", "page", "--out", "lab"]);
    assert_eq!(
        (f.read("lab/notes.txt"), f.read("lab/index.html"), pages()),
        (b"mine".to_vec(), index.as_bytes().to_vec(), count + 1)
    );
    // Nothing is written if one page would replace another file.
    f.file("lab/index.html", "<p>mine").file("lab/blelloch.html", &old);
    let reason = "--out lab: lab/index.html was not made by upsweep";
    f.fails(&["lab", "page", "--out", "lab"], b"", 2, &[reason, "another folder"]);
    assert_eq!((f.read("lab/index.html"), f.read("lab/blelloch.html")), (b"<p>mine".to_vec(), old.into_bytes()));
    f.file("file", "");
    f.fails(&["lab", "page", "--out", "file"], b"", 2, &["--out file: is no folder"]);
    f.fails(&["lab", "page", "--out", "file/b"], b"", 2, &["--out file/b: not a directory"]);
    f.fails(&["lab", "page", "--out", "a/b"], b"", 2, &["--out a/b: the folder that it would be in is not there"]);
    f.fails(&["lab", "page"], b"", 2, &["--out"]);
}

#[test]
fn book() {
    let f = Folder::new();
    let chapters = upsweep_lab::book::CHAPTERS;
    let count = upsweep_lab::algorithms::ALGORITHMS.len() + 2 + chapters.len() + 1;
    assert_eq!(f.prints(&["lab", "book", "--out", "book"]), format!("{count} pages in book\n"));
    let page = |name: &str| String::from_utf8(f.read(&format!("book/{name}"))).unwrap();
    let index = page("index.html");
    for (number, chapter) in chapters.iter().enumerate() {
        let file = format!("{}.html", chapter.file);
        assert!(index.contains(&format!("href=\"{file}\"")));
        // Every link leads to a page.
        let text = page(&file);
        for link in text.split("href=\"").skip(1).map(|rest| rest.split(['"', '#']).next().unwrap()) {
            assert!(link == "data:," || f.path("book").join(link).exists(), "{file}: {link}");
        }
        assert_eq!(text.contains("rel=\"prev\""), number > 0);
        assert!(text.contains("id=\"exercise\"") && text.contains("default-src 'none'"));
    }
    assert!(
        page("blelloch.html").contains("href=\"algorithms.html\"")
            && page("algorithms.html").contains("Work is the number")
    );
}

/// A folder that is a shell's working directory, or a mount, must stay the same one.
#[cfg(unix)]
/// A disk with room for some pages and not for all: by a limit of 720 half kilobytes a file.
#[cfg(unix)]
#[test]
fn a_full_disk_has_all_pages_or_none() {
    let f = Folder::new();
    let limited = |command: &str, out: &str| {
        let script = format!("trap '' XFSZ; ulimit -f 720; exec \"$0\" lab {command} --out {out}");
        let program = env!("CARGO_BIN_EXE_upsweep");
        let done = std::process::Command::new("sh").args(["-c", &script, program]).current_dir(f.path("")).output();
        let done = done.unwrap();
        let stderr = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.code() == Some(1) && done.stdout.is_empty(), "{command}: {:?} {stderr}", done.status);
        assert!(stderr.starts_with(&format!("upsweep: {out}/")) && stderr.contains("writing failed: file too large"));
    };
    for command in ["page", "book"] {
        limited(command, "new");
        assert_eq!(f.names(), Vec::<String>::new(), "{command}");
    }
    // Old files stay as they were, also pages that would be replaced.
    std::fs::create_dir(f.path("old")).unwrap();
    f.prints(&["lab", "page", "--out", "old"]);
    std::fs::remove_file(f.path("old/blelloch.html")).unwrap();
    f.file("old/notes.txt", "mine");
    let all = || {
        let mut all: Vec<_> = std::fs::read_dir(f.path("old")).unwrap().map(|e| e.unwrap().path()).collect();
        all.sort();
        all.into_iter().map(|path| (std::fs::read(&path).unwrap(), path)).collect::<Vec<_>>()
    };
    let before = all();
    limited("page", "old");
    limited("book", "old");
    assert!(all() == before);
}

#[test]
fn pages_go_into_the_folder_that_is_there() {
    use std::os::unix::fs::MetadataExt;
    let f = Folder::new();
    let folder = || std::fs::metadata(f.path("")).map(|found| found.ino()).unwrap();
    let before = folder();
    let pages = f.prints(&["lab", "page", "--out", "."]);
    assert_eq!((folder(), pages), (before, format!("{} pages in .\n", f.names().len())));
}

#[test]
fn algorithms_and_lengths_that_there_are_not() {
    let f = Folder::new();
    for command in ["show", "count"] {
        f.fails(&["lab", command, "blellock"], b"", 2, &["blellock", "did you mean `blelloch`?", "lab list"]);
        f.fails(&["lab", command, "?"], b"", 2, &["no such algorithm; `upsweep lab list`"]);
        f.fails(&["lab", command], b"", 2, &["ALGORITHM"]);
        f.fails(&["lab", command, "blelloch", "--n", "0"], b"", 2, &["blelloch takes 1 to 2048 elements, not 0"]);
        f.fails(
            &["lab", command, "kogge-stone", "--n", "1025"],
            b"",
            2,
            &["kogge-stone takes 1 to 1024 elements, not 1025"],
        );
        f.fails(&["lab", command, "kogge-stone", "--n", "2^60"], b"", 2, &["1 to 1024 elements"]);
        f.fails(&["lab", command, "blelloch", "--banks", "24"], b"", 2, &["24", "2, 4, 8, 16 or 32 banks"]);
        f.fails(&["lab", command, "blelloch", "--n", "x"], b"", 2, &["--n", "2^20"]);
        f.fails(&["lab", command, "blelloch", "--svg", "no/x.svg"], b"", 2, &["--svg no/x.svg: there is no folder no"]);
        f.fails(&["lab", command, "blelloch", "--svg", "."], b"", 2, &["--svg .: is a directory"]);
    }
    for (range, reason) in [
        ("64..16", "16..64?"),
        ("16..", "16..1024"),
        ("..16", "16..1024"),
        ("..", "16..1024"),
        ("0..8", "one element"),
        ("17..31", "no power of two"),
        ("a..b", "2^20"),
    ] {
        f.fails(&["lab", "count", "blelloch", &format!("--n={range}")], b"", 2, &["--n", range, reason]);
    }
    f.fails(
        &["lab", "count", "kogge-stone", "blelloch", "--n", "16..2048"],
        b"",
        2,
        &["kogge-stone takes 1 to 1024 elements, not 2048"],
    );
    f.fails(
        &["lab", "count", "kogge-stone-race", "--n", "64", "--csv", "c.csv"],
        b"",
        2,
        &["64 elements", "kogge-stone-race: race at s["],
    );
    f.fails(&["lab", "count", "blelloch", "--csv", "-", "--svg", "-"], b"", 2, &["--csv and --svg"]);
}

#[test]
fn elements_that_are_none() {
    let f = Folder::new();
    let values = |values: &str, op: &str, words: &[&str]| {
        f.fails(&["lab", "show", "blelloch", &format!("--values={values}"), "--op", op], b"", 2, words);
    };
    values("", "sum", &["--values: `` is no whole number"]);
    values("1,,2", "max", &["--values: ``"]);
    values("1,2.5", "sum", &["`2.5` is no whole number"]);
    values("9223372036854775808", "sum", &["`9223372036854775808`"]);
    for wrong in ["", "2y", "x1", "2x3", "xx", "2x+", "2x+-3"] {
        values(wrong, "affine", &["is no function like 2x+3"]);
    }
    values(&["1"; 2049].join(","), "sum", &["1 to 2048 elements, not 2049"]);
    f.fails(&["lab", "show", "blelloch", "--values", "1", "--n", "2"], b"", 2, &["--n", "--values"]);
    f.fails(&["lab", "show", "blelloch", "--op", "min"], b"", 2, &["min", "sum, max, affine, ranges"]);
    f.fails(&["lab", "show", "blelloch", "--svg", "-", "--html", "-"], b"", 2, &["--svg and --html"]);
    f.fails(&["lab", "frob"], b"", 2, &["frob"]);
}
