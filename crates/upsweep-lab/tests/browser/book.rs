//! The book: chapters open, exercises are solved and failed, the calculator calculates, and nothing is in anybody's way.

use super::driver::{Browser, Tab};
use super::views::{axe, findings};
use serde_json::json;
use upsweep_lab::book::occupancy::{GPUS, Kernel, hiding};
use upsweep_lab::book::{CHAPTERS, Chapter};
use upsweep_lab::claims::claims;
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

fn exercise(tab: &mut Tab<'_>, chapter: &Chapter) {
    let answer = (chapter.exercise.answer)().unwrap();
    let state = "[document.getElementById('hint').hidden, document.getElementById('why').open]";
    assert_eq!(tab.value(state), json!([true, false]), "{}", chapter.title);
    assert_eq!(tried(tab, answer + 1), "Not so.", "{}", chapter.title);
    assert_eq!(tab.value(state), json!([false, false]));
    assert_eq!(tried(tab, answer), "Right.", "{}", chapter.title);
    assert_eq!(tab.value(state), json!([true, true]));
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn exercises_are_failed_and_solved() {
    let mut browser = Browser::start();
    for (chapter, page) in CHAPTERS.iter().zip(pages()) {
        assert!(page.len() < 1_000_000, "{}: {} bytes", chapter.title, page.len());
        let mut tab = browser.open(&page);
        exercise(&mut tab, chapter);
        tab.is_quiet();
    }
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn the_calculator_is_the_librarys() {
    let mut browser = Browser::start();
    let mut tab = browser.open(pages().last().unwrap());
    let shown = "['by-threads', 'by-blocks', 'by-registers', 'by-shared', 'blocks', 'warps', 'needed'].map(id => Number(document.getElementById(id).textContent))";
    for (place, gpu) in GPUS.iter().enumerate() {
        for (threads, registers, shared) in
            [(256, 16, 2048), (256, 11, 0), (1024, 255, 0), (33, 40, 5000), (0, 0, 0), (512, 10, 17_000)]
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
            let expected = json!([a, b, c, d, found.blocks, found.warps, hiding(200, 1, 8)]);
            assert_eq!(tab.value(shown), expected, "{} {threads} {registers} {shared}", gpu.name);
        }
    }
    tab.is_quiet();
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names, and axe-core, which UPSWEEP_TEST_AXE names"]
fn chapters_are_in_nobodys_way() {
    let (axe, mut browser) = (axe(), Browser::start());
    let contents = html::contents("algorithms.html");
    for (number, page) in pages().iter().chain([&contents]).enumerate() {
        let mut tab = browser.open(page);
        tab.value(&format!("{axe};document.querySelectorAll('details').forEach(part => {{ part.open = true; }})"));
        // Every width, in turn light and dark: chapters look alike.
        for (place, width) in [1400, 800, 400].into_iter().enumerate() {
            let dark = (number + place) % 2 == 1;
            tab.resize(width);
            tab.prefers(dark, true);
            assert_eq!(findings(&mut tab), json!([]), "{width} pixels, dark: {dark}");
            let needed = tab.value("document.documentElement.scrollWidth").as_u64().unwrap();
            assert!(needed <= width, "{needed} of {width} pixels");
        }
        tab.is_quiet();
    }
}
