//! Tests of the book: chapters open, exercises are solved and failed, the calculator calculates, and axe finds no
//! barriers.

use super::driver::{Browser, Tab};
use super::views::{axe, findings};
use serde_json::json;
use upsweep_lab::book::occupancy::{GPUS, Kernel, hiding};
use upsweep_lab::book::{CHAPTERS, Chapter, run};
use upsweep_lab::claims::claims;
use upsweep_lab::machine::Banks;
use upsweep_lab::show::html;

fn pages() -> Vec<String> {
    let claims = claims();
    CHAPTERS.iter().map(|chapter| html::chapter(chapter, &claims)).collect()
}

fn tried(tab: &mut Tab<'_>, answer: u64) -> String {
    tab.value(&format!("document.getElementById('guess').value = '{answer}'"));
    tab.click("#exercise button");
    tab.value("document.getElementById('verdict').textContent").as_str().unwrap().trim().to_owned()
}

/// Fails an exercise, and solves it.
fn exercise(tab: &mut Tab<'_>, chapter: &Chapter) {
    let answer = (chapter.exercise.answer)().unwrap();
    let state = "[document.getElementById('hint').hidden, document.getElementById('why').open]";
    assert_eq!(tried(tab, answer + 1), "Not so.", "{}", chapter.title);
    assert_eq!(tab.value(state), json!([false, false]));
    assert_eq!(tried(tab, answer), "Right.", "{}", chapter.title);
    assert_eq!(tab.value(state), json!([true, true]));
}

/// Work, depth, conflicts and critical cycles in the table of a comparison, a row for each algorithm; [`None`] if the
/// row gives a reason instead.
fn compared(tab: &mut Tab<'_>) -> Vec<(String, Option<[u64; 4]>)> {
    let rows = "[...document.querySelectorAll('#compared tbody tr')].map(row => [...row.cells].map(cell => cell.textContent.trim()))";
    let rows: Vec<Vec<String>> = serde_json::from_value(tab.value(rows)).unwrap();
    let number = |cell: &String| cell.parse::<u64>().unwrap();
    let row = |row: Vec<String>| {
        let numbers = (row.len() > 2).then(|| [1, 2, 3, 4].map(|column| number(&row[column])));
        (row[0].clone(), numbers)
    };
    rows.into_iter().map(row).collect()
}

/// Counts of the library.
fn counted(name: &str, n: usize, banks: Banks) -> Option<[u64; 4]> {
    let run = run(name, n, banks)?;
    Some([run.inner().operations, run.span().operations, run.inner().conflicts, run.span().cycles])
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn comparisons_are_the_librarys() {
    let mut browser = Browser::start();
    for (chapter, page) in CHAPTERS.iter().zip(pages()) {
        let mut tab = browser.open(&page);
        tab.waits_for("document.documentElement.dataset.model === 'ready'");
        let (n, banks, names) = chapter.compare;
        let expect = |tab: &mut Tab<'_>, n: usize, banks: Banks, more: Option<&str>| {
            let names = names.iter().copied().chain(more.filter(|more| !names.contains(more)));
            let expected: Vec<_> = names.map(|name| (name.to_owned(), counted(name, n, banks))).collect();
            assert_eq!(compared(tab), expected, "{}, {n}", chapter.title);
        };
        expect(&mut tab, n, banks, None);
        let set = |tab: &mut Tab<'_>, id: &str, value: &str| {
            tab.value(&format!(
                "{{ const box = document.getElementById('compare-{id}'); box.value = '{value}'; box.dispatchEvent(new Event('change', {{ bubbles: true }})); }}"
            ));
            tab.value("document.getElementById('compare-trouble').textContent").as_str().unwrap().to_owned()
        };
        assert_eq!(set(&mut tab, "n", "100"), "");
        assert_eq!(set(&mut tab, "banks", "8"), "");
        expect(&mut tab, 100, Banks::Eight, None);
        let before = tab.busy();
        assert_eq!(set(&mut tab, "more", "quicksort"), "");
        expect(&mut tab, 100, Banks::Eight, Some("quicksort"));
        println!("{}: {:.0} ms", chapter.title, tab.busy() - before);
        // More elements than a block takes: an algorithm with that limit says so.
        assert_eq!(set(&mut tab, "n", "1500"), "");
        expect(&mut tab, 1500, Banks::Eight, Some("quicksort"));
        // The times of another length.
        let text = "document.getElementById('compared').textContent";
        assert!(tab.value(text).as_str().unwrap().contains("for 2²⁶"));
        assert_eq!(set(&mut tab, "log", "20"), "");
        assert!(tab.value(text).as_str().unwrap().contains("for 2²⁰"));
        // An error is shown, and the table stays.
        assert_eq!(set(&mut tab, "n", "0"), "n: 0 elements; a page compares 1 to 65536, `upsweep lab count` more");
        expect(&mut tab, 1500, Banks::Eight, Some("quicksort"));
        tab.is_quiet();
    }
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn the_calculator_is_the_librarys() {
    let mut browser = Browser::start();
    let mut tab = browser.open(pages().last().unwrap());
    let shown = "['by-threads', 'by-blocks', 'by-registers', 'by-shared', 'blocks', 'warps', 'occupancy', 'needed'].map(id => Number(document.getElementById(id).textContent))";
    for (place, gpu) in GPUS.iter().enumerate() {
        for (threads, registers, shared) in
            [(256, 16, 2048), (256, 11, 0), (1024, 255, 0), (33, 40, 5000), (0, 0, 0), (2000, 8, 0), (32, 10, 8192)]
        {
            let set = [
                ("gpu", place as u64),
                ("threads", threads),
                ("registers", registers),
                ("shared", shared),
                ("latency", 200),
            ];
            let set: String =
                set.iter().map(|(id, value)| format!("document.getElementById('{id}').value = '{value}';")).collect();
            tab.value(&format!("{{ {set} document.getElementById('calculator').dispatchEvent(new Event('input')); }}"));
            let found = gpu.holds(&Kernel { threads, registers, shared });
            let [a, b, c, d] = found.allowed;
            let needed = gpu.schedulers * hiding(200, 1, 8);
            let expected = json!([a, b, c, d, found.blocks, found.warps, found.occupancy, needed]);
            assert_eq!(tab.value(shown), expected, "{} {threads} {registers} {shared}", gpu.name);
            let says = tab.value("document.getElementById('says').textContent");
            let bound = found.bound().join(" and ");
            let words = if (1..=gpu.block).contains(&threads) { &bound } else { "A block has 1 to" };
            assert!(says.as_str().unwrap().contains(words), "{says}: {words}");
        }
    }
    tab.is_quiet();
}

/// Opens every chapter of one half, fails and solves its exercise, at every width, light and dark, and checks that axe
/// finds no barriers.
fn chapters_at_every_width(half: usize) {
    let (axe, mut browser) = (axe(), Browser::start());
    let contents = html::contents("algorithms.html");
    let pages = pages();
    let all = pages.iter().zip(CHAPTERS.iter().map(Some)).chain([(&contents, None)]);
    for (page, chapter) in all.enumerate().filter(|(place, _)| place % 2 == half).map(|(_, page)| page) {
        assert!(page.len() < 1_000_000, "{} bytes", page.len());
        let mut tab = browser.open(page);
        if chapter.is_some() {
            tab.waits_for("document.documentElement.dataset.model === 'ready'");
        }
        tab.value(&axe);
        for (width, dark) in [(1400, false), (1400, true), (800, false), (800, true), (400, false), (400, true)] {
            tab.resize(width);
            tab.prefers(dark, true);
            if let Some(chapter) = chapter {
                exercise(&mut tab, chapter);
            }
            tab.value("document.querySelectorAll('details').forEach(part => { part.open = true; })");
            assert_eq!(findings(&mut tab), json!([]), "{width} pixels, dark: {dark}");
            let needed = tab.value("document.documentElement.scrollWidth").as_u64().unwrap();
            assert!(needed <= width, "{needed} of {width} pixels");
        }
        tab.is_quiet();
    }
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names, and axe-core, which UPSWEEP_TEST_AXE names"]
fn chapters_are_in_nobodys_way() {
    chapters_at_every_width(0);
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names, and axe-core, which UPSWEEP_TEST_AXE names"]
fn other_chapters_are_in_nobodys_way() {
    chapters_at_every_width(1);
}
