//! Tests of the page's other views: pseudocode, banks, tiles, registers, the race, the address; on any screen, and
//! accessible to everybody.

use super::driver::{Browser, Tab};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use upsweep_lab::algorithm::Input;
use upsweep_lab::algorithms::{ALGORITHMS, by_name};
use upsweep_lab::book::CHAPTERS;
use upsweep_lab::claims::claims;
use upsweep_lab::machine::{Banks, Shape, Space, Step};
use upsweep_lab::operator::Operator;
use upsweep_lab::sample;
use upsweep_lab::show::{Recording, html, telling};

pub(super) fn recorded(name: &str) -> Recording {
    let algorithm = by_name(name).unwrap();
    let (n, shape) = telling(algorithm);
    recorded_on(name, n, shape)
}

fn recorded_on(name: &str, n: usize, shape: Shape) -> Recording {
    let (values, heads) = (sample::values::<i64>(7, n), sample::heads(7, n));
    let input = Input { values: &values, heads: &heads };
    Recording::of(by_name(name).unwrap(), Operator::<i64>::sum(), shape, &input).unwrap()
}

const LIT: &str = "[...document.querySelectorAll('#code .lit')].map(line => line.textContent)";

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn the_lines_that_run_are_lit() {
    let mut browser = Browser::start();
    for name in ["blelloch", "three-kernel", "look-back", "production", "reduce-shuffle"] {
        let recording = recorded(name);
        let lesson = recording.algorithm.lesson();
        let mut tab = browser.open(&html::page(&recording, None));
        assert_eq!(tab.value(LIT), json!([]));
        for step in &recording.run.steps {
            tab.key("ArrowRight");
            let runs = lesson.pseudocode().filter(|line| line.steps.iter().any(|own| own.is(step.kernel, step.label)));
            let runs: Vec<&str> = runs.map(|line| line.text).collect();
            assert!(!runs.is_empty());
            assert_eq!(tab.value(LIT), json!(runs), "{name}, {}", step.label);
        }
        tab.is_quiet();
    }
}

/// Words of an access in their banks: bank, turn, index, threads.
type Cells = Vec<(usize, usize, usize, Vec<usize>)>;

/// Cells of the table of the step's worst access: the first of those with the highest degree.
fn cells(recording: &Recording, step: &Step) -> Option<Cells> {
    let mut accesses: BTreeMap<usize, (u64, Vec<(usize, usize, usize)>)> = BTreeMap::new();
    for event in &step.events {
        for place in event.reads.iter().chain(&event.writes).filter(|place| place.degree > 0) {
            let word = recording.run.arrays[place.array].offset + place.index;
            let access = accesses.entry(place.together).or_insert((place.degree, Vec::new()));
            access.1.push((event.thread, place.index, word));
        }
    }
    let worst = accesses.values().map(|access| access.0).max()?;
    let (_, items) = accesses.into_values().find(|access| access.0 == worst)?;
    let mut cells: Cells = Vec::new();
    for (thread, index, word) in items {
        let bank = word % recording.shape.banks.number();
        if let Some(cell) = cells.iter_mut().find(|cell| cell.0 == bank && cell.2 == index) {
            cell.3.push(thread);
            continue;
        }
        let turn = cells.iter().filter(|cell| cell.0 == bank).count();
        cells.push((bank, turn, index, vec![thread]));
    }
    cells.sort_unstable();
    Some(cells)
}

const CELLS: &str = "[...document.querySelectorAll('#bank-box .grid tbody tr')].flatMap((row, turn) => \
    [...row.querySelectorAll('td')].flatMap((cell, bank) => cell.textContent === '' ? [] : \
    [[bank, turn, Number(cell.firstChild.textContent), [...cell.querySelector('small').textContent.matchAll(/[0-9]+/g)].map(Number)]]))\
    .sort((a, b) => a[0] - b[0] || a[1] - b[1])";

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn banks_and_turns_are_those_of_the_run() {
    let mut browser = Browser::start();
    let names =
        ["blelloch", "blelloch-padded", "reduce-strided", "kogge-stone", "segmented-pairs", "fenwick", "chained"];
    // The second buffer begins in the middle of the banks.
    let odd = recorded_on("double-buffered", 33, Banks::Sixteen.into());
    for recording in names.map(recorded).into_iter().chain([odd]) {
        let name = recording.algorithm.name;
        let mut tab = browser.open(&html::page(&recording, None));
        let mut conflicts = 0;
        for step in &recording.run.steps {
            tab.key("ArrowRight");
            let expected = cells(&recording, step);
            assert_eq!(tab.value("document.getElementById('bank-area').hidden"), expected.is_none(), "{name}");
            if let Some(expected) = expected {
                conflicts += u64::from(expected.iter().any(|cell| cell.1 > 0));
                assert_eq!(tab.value(CELLS), json!(expected), "{name}, {}", step.label);
            }
        }
        assert_eq!(conflicts > 0, recording.run.total().conflicts > 0, "{name}");
        tab.is_quiet();
    }
    // The seeds' table for a chosen access: thread, address, bank.
    let mut tab = browser.open_at(&html::page(&recorded("reduce-strided"), None), "#step=2");
    let table = "[...document.querySelectorAll('.addresses tr')].map(row => [...row.cells].map(cell => cell.textContent).join(' '))";
    let threads = "thread 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15";
    let banks = "bank 0 2 4 6 8 10 12 14 0 2 4 6 8 10 12 14";
    let index = "index 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30";
    assert_eq!(tab.value(table), json!([threads, index, banks]));
    tab.value("{ const access = document.getElementById('access'); access.value = '1'; access.dispatchEvent(new Event('change')); }");
    let second = tab.value(table)[1].as_str().unwrap().to_owned();
    assert!(second.starts_with("index 1 3 5 "), "{second}");
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn tiles_and_registers_are_those_of_the_run() {
    let mut browser = Browser::start();
    let tiles = "[...document.querySelectorAll('#tile-table tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))";
    let registers = "[...document.querySelectorAll('#memory .words:not([data-array])')].map(list => \
        [list.previousSibling.firstChild.textContent, [...list.children].map(word => word.lastChild.textContent.trim())])";
    for name in ["look-back", "chained", "production", "kogge-stone", "reduce-unrolled"] {
        let recording = recorded(name);
        let run = &recording.run;
        let mut tab = browser.open(&html::page(&recording, None));
        for steps in 1..=run.steps.len() {
            tab.key("ArrowRight");
            let memory = run.memory_after(steps);
            let status = run.arrays.iter().zip(&memory).filter(|(array, _)| array.space == Space::Status);
            let rows = status.map(|(array, words)| {
                let shown = |word: &Option<String>| match (array.name, word.as_deref().unwrap_or("")) {
                    ("status", "0") => ".".to_owned(),
                    ("status", "1") => "A".to_owned(),
                    ("status", "2") => "P".to_owned(),
                    (_, word) => word.to_owned(),
                };
                [array.name.to_owned()].into_iter().chain(words.iter().map(shown)).collect::<Vec<_>>()
            });
            assert_eq!(tab.value(tiles), json!(rows.collect::<Vec<_>>()), "{name}, step {steps}");
            let held = run.registers_after(steps).into_iter().map(|(name, values)| {
                json!([name, values.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>()])
            });
            assert_eq!(tab.value(registers), json!(held.collect::<Vec<_>>()), "{name}, step {steps}");
        }
        tab.is_quiet();
    }
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn a_step_has_an_address_and_the_race_is_in_sight() {
    let mut browser = Browser::start();
    let number = "document.getElementById('number').textContent";
    let mut tab = browser.open_at(&html::page(&recorded("kogge-stone-race"), None), "#step=3");
    tab.resize(400);
    assert_eq!(tab.value(number), "3 of 3");
    tab.key("ArrowLeft");
    tab.waits_for("location.hash === '#step=2'");
    tab.value("location.hash = '#step=3'");
    tab.waits_for(&format!("{number} === '3 of 3'"));
    // Word 31 is marked, and inside its box.
    let racing = "[...document.querySelectorAll('#stage .racing')].map(word => { const own = word.getBoundingClientRect(), \
        box = document.getElementById('stage').parentElement.getBoundingClientRect(); \
        return [word.dataset.key.split(':')[2], own.left >= box.left && own.right <= box.right]; })";
    tab.waits_for(&format!("JSON.stringify({racing}) === '[[\"31\",true]]'"));
    // The read that loses the race is in the step before.
    tab.key("ArrowLeft");
    tab.waits_for(&format!("JSON.stringify({racing}) === '[[\"31\",true]]'"));
    tab.is_quiet();
    let mut tab = browser.open_at(&html::page(&recorded("blelloch"), None), "#step=99");
    assert_eq!(tab.value(number), "15 of 15");
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn without_scripts_there_is_text_and_picture_and_nothing_dead() {
    let mut browser = Browser::start();
    let mut tab = browser.open(&html::page(&recorded("blelloch"), None));
    let shown = "[...document.querySelectorAll('button, select, input, #stage, #counts, #memory')].filter(part => part.getClientRects().length > 0).length";
    assert!(tab.value(shown).as_u64().unwrap() > 5);
    tab.reload(false);
    assert_eq!(tab.value(shown), 0);
    let text = tab.value("document.body.innerText");
    for words in ["Pseudocode", "Cost", "What differs", "s[right] = s[left]", "The whole run"] {
        assert!(text.as_str().unwrap().contains(words), "{words}");
    }
    assert!(
        tab.value("document.querySelector('.picture svg').getBoundingClientRect().height").as_f64().unwrap() > 300.0
    );
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn motion_stops_when_it_is_unwanted() {
    let mut browser = Browser::start();
    let mut tab = browser.open(&html::page(&recorded("blelloch"), None));
    let moves = "getComputedStyle(document.querySelector('#stage .arrows')).animationName";
    tab.key("ArrowRight");
    assert_eq!(tab.value(moves), "flow");
    tab.prefers(false, true);
    tab.key("ArrowRight");
    assert_eq!(tab.value(moves), "none");
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn pages_are_small_and_steps_quick() {
    let mut browser = Browser::start();
    let mut recordings = Vec::new();
    for algorithm in ALGORITHMS {
        let recording = recorded(algorithm.name);
        let page = html::page(&recording, None);
        assert!(page.len() < 1_000_000, "{}: {} bytes", algorithm.name, page.len());
        recordings.push(recording);
    }
    let overview = html::overview(&recordings);
    assert!(overview.len() < 1_000_000, "{} bytes", overview.len());
    for name in ["kogge-stone", "segmented-pairs", "look-back"] {
        let mut tab = browser.open(&html::page(&recorded(name), None));
        // With the layout that a view of the picture needs. The measure is processor time, as the machine does other
        // work, and the minimum of three rounds, as a shared processor varies in speed.
        let mut each = f64::INFINITY;
        for _ in 0..3 {
            tab.key("Home");
            let before = tab.busy();
            let steps = tab.value(
                "(() => { const forward = document.getElementById('forward'); let steps = 0; while (!forward.disabled) { \
                 forward.click(); document.body.getBoundingClientRect(); steps += 1; } return steps; })()",
            );
            each = each.min((tab.busy() - before) / steps.as_f64().unwrap());
        }
        assert!(each > 0.1 && each < 100.0, "{name}: {each} ms a step");
        println!("{name}: {each:.1} ms a step");
    }
}

/// Frames, cells and arrows whose contrast with their ground is less than 3 to 1, and the number of all.
const FAINT: &str = "(() => {
    const numbers = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const light = (colour) => { const [r, g, b] = numbers(colour).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const ratio = (a, b) => { const [low, high] = [light(a), light(b)].sort((x, y) => x - y); return (high + 0.05) / (low + 0.05); };
    const isSeen = (colour) => { const [, , , alpha] = numbers(colour); return colour !== 'none' && alpha !== 0; };
    const ground = (node) => { for (; node; node = node.parentElement) { const { backgroundColor } = getComputedStyle(node); if (isSeen(backgroundColor)) return backgroundColor; } return 'rgb(255, 255, 255)'; };
    const found = [];
    for (const node of document.querySelectorAll('main *')) {
        const style = getComputedStyle(node);
        if (node.getClientRects().length === 0 || node.disabled) continue;
        const drawn = node instanceof SVGElement ? (node.matches('.cell, .frame, .arrow, .fork, .idle, .line') ? style.stroke : 'none')
            : style.borderBottomStyle !== 'none' && parseFloat(style.borderBottomWidth) > 0 ? style.borderBottomColor : 'none';
        if (isSeen(drawn)) found.push([`${node.tagName}.${node.getAttribute('class')}`, ratio(drawn, ground(node.parentElement))]);
    }
    return { all: found.length, faint: found.filter(([, ratio]) => ratio < 3) };
})()";

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn borders_and_arrows_are_to_be_seen() {
    let mut browser = Browser::start();
    let recordings: Vec<Recording> = ["blelloch", "look-back"].into_iter().map(recorded).collect();
    let chapter = CHAPTERS.iter().find(|chapter| chapter.file == "4-banks").unwrap();
    let mut pages: Vec<String> = recordings.iter().map(|recording| html::page(recording, None)).collect();
    pages.extend([html::overview(&recordings), html::chapter(chapter, &claims())]);
    for (page, least) in pages.iter().zip([300, 200, 15, 15]) {
        let mut tab = browser.open_at(page, "#step=3");
        for dark in [false, true] {
            tab.prefers(dark, true);
            let found = tab.value(FAINT);
            assert_eq!(found["faint"], json!([]), "dark: {dark}");
            assert!(found["all"].as_u64().unwrap() > least, "{found}");
        }
    }
}

/// Source text of axe.
pub(super) fn axe() -> String {
    std::fs::read_to_string(std::env::var("UPSWEEP_TEST_AXE").expect("it names axe.min.js")).unwrap()
}

/// Serious findings of axe.
pub(super) fn findings(tab: &mut Tab<'_>) -> Value {
    tab.value(
        "axe.run(document, { resultTypes: ['violations'] }).then(found => found.violations.filter(v => ['serious', 'critical'].includes(v.impact)) \
         .map(v => [v.id, v.nodes.slice(0, 3).map(node => node.html.slice(0, 160) + ' ' + node.failureSummary.slice(0, 300))]))",
    )
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names, and axe-core, which UPSWEEP_TEST_AXE names"]
fn nothing_is_in_anybodys_way() {
    let (axe, mut browser) = (axe(), Browser::start());
    let names = ["blelloch", "look-back", "kogge-stone-race", "reduce-shuffle"];
    let recordings: Vec<Recording> = names.iter().map(|name| recorded(name)).collect();
    let links = html::Links { overview: "index.html", previous: Some("before"), next: Some("after") };
    let mut pages: Vec<String> = recordings.iter().map(|recording| html::page(recording, Some(&links))).collect();
    pages.push(html::pair(&recordings[0], &recordings[1], Some(&links)));
    pages.push(html::overview(&recordings));
    for page in &pages {
        let mut tab = browser.open_at(page, "#step=3");
        if page.contains("id=\"model\"") {
            tab.waits_for("document.documentElement.dataset.model === 'ready'");
        }
        tab.value(&format!("{axe};document.querySelectorAll('details').forEach(part => {{ part.open = true; }})"));
        for (width, dark) in [(1400, false), (1400, true), (800, false), (400, true)] {
            tab.resize(width);
            tab.prefers(dark, true);
            assert_eq!(findings(&mut tab), json!([]), "{width} pixels, dark: {dark}");
            let needed = tab.value("document.documentElement.scrollWidth").as_u64().unwrap();
            assert!(needed <= width, "{needed} of {width} pixels");
        }
    }
}
