//! Test of `console` blocks: the commands print what the chapters show. Commands of a chapter run in one folder, one
//! after the other; the repository's `examples` are there. With `UPSWEEP_TEST_WRITE=1` chapters are rewritten with the
//! output of their commands.

use crate::console::{agree, calls, run};
use crate::support::Folder;
use crate::{Chapter, chapters, file};

/// All commands of a chapter, for the test of tables.
pub(crate) fn commands(chapter: &Chapter) -> Vec<String> {
    calls(&chapter.text).into_iter().map(|call| call.command).collect()
}

/// Runs a chapter's commands, and lists the differences.
fn check(chapter: &Chapter) -> Vec<String> {
    let f = Folder::new();
    std::os::unix::fs::symlink(file("examples").canonicalize().unwrap(), f.path("examples")).unwrap();
    let mut lines: Vec<String> = chapter.text.lines().map(str::to_owned).collect();
    let (mut wrong, mut differing) = (vec![], vec![]);
    for call in calls(&chapter.text) {
        let (printed, succeeded) = run(&f, &call.command);
        if !succeeded || !agree(&call.shown, &printed) {
            let fails = if succeeded { "" } else { ", and fails" };
            let at = format!("{}:{}: {}", chapter.path, call.line, call.command);
            wrong.push(format!("{at}\n-- it prints{fails}\n{}", printed.join("\n")));
            differing.push((call.lines, printed));
        }
    }
    if !wrong.is_empty() && std::env::var("UPSWEEP_TEST_WRITE").is_ok_and(|write| write == "1") {
        for (range, printed) in differing.into_iter().rev() {
            lines.splice(range, printed);
        }
        std::fs::write(file("docs/guide/src").join(&chapter.path), lines.join("\n") + "\n").unwrap();
    }
    wrong
}

#[test]
fn commands_print_what_the_guide_shows() {
    let chapters = chapters();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = chapters.iter().map(|chapter| scope.spawn(|| check(chapter))).collect();
        runs.into_iter().flat_map(|run| run.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n\n"));
}
