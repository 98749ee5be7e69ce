//! Tests of stepping, forward and back, by buttons, keys and the mouse.

use super::driver::{Browser, Tab};
use serde_json::{Value, json};
use upsweep_lab::algorithm::{Algorithm, Input};
use upsweep_lab::algorithms::{ALGORITHMS, by_name};
use upsweep_lab::machine::{Banks, Shape};
use upsweep_lab::operator::{Affine, Operator};
use upsweep_lab::sample;
use upsweep_lab::show::{Recording, html, telling};

const MEMORY: &str = "[...document.querySelectorAll('#memory .words[data-array]')].map(list => \
    [Number(list.dataset.array), [...list.children].map(word => word.lastChild.textContent.trim())])";

/// Memory that the page should show.
fn memory(recording: &Recording, steps: usize) -> Value {
    let words = recording.run.memory_after(steps);
    let arrays = recording.run.arrays.iter().enumerate().filter(|(_, array)| array.lives_after(steps));
    let shown = |word: &Option<String>| word.as_deref().map_or(String::new(), |word| recording.shown(word).to_owned());
    arrays.map(|(at, _)| json!([at, words[at].iter().map(shown).collect::<Vec<_>>()])).collect()
}

/// Checks the page at a step: memory, the picture, the counts, the place.
pub(super) fn at_step(tab: &mut Tab<'_>, recording: &Recording, step: usize) {
    let name = recording.algorithm.name;
    assert_eq!(tab.value(MEMORY), memory(recording, step), "{name}, step {step}");
    let steps = recording.run.steps.len();
    assert_eq!(tab.value("document.getElementById('number').textContent"), format!("{step} of {steps}"));
    let sums = tab.value(
        "[...document.querySelectorAll('#counts tbody tr')].map(row => row.cells[2].textContent.replaceAll(',', ''))",
    );
    let mut total = upsweep_lab::machine::Counts::default();
    recording.run.steps.iter().take(step).for_each(|step| total += step.counts);
    assert_eq!((&sums[1], &sums[11]), (&json!(total.operations.to_string()), &json!(total.cycles.to_string())));
    if step > 0 {
        let after = recording.run.memory_after(step);
        let mut written: Vec<Value> = Vec::new();
        for place in recording.run.steps[step - 1].events.iter().flat_map(|event| &event.writes) {
            let value = after[place.array][place.index].as_deref().unwrap();
            written.push(json!([format!("2:{}:{}", place.array, place.index), recording.shown(value)]));
        }
        written.sort_by_key(Value::to_string);
        written.dedup();
        let picture = "[...document.querySelectorAll('#stage [data-key^=\"2:\"]')].filter(word => word.querySelector('.new'))\
            .map(word => [word.dataset.key, word.querySelector('.value').textContent])";
        let mut found = tab.value(picture).as_array().unwrap().clone();
        found.sort_by_key(Value::to_string);
        // Long values are cut.
        let first = |word: &Value| (word[0].clone(), word[1].as_str().unwrap().chars().take(8).collect::<String>());
        let (found, written): (Vec<_>, Vec<_>) =
            (found.iter().map(first).collect(), written.iter().map(first).collect());
        assert_eq!(found, written, "{name}, step {step}");
    }
}

pub(super) fn seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let seed = now.as_nanos() as u64;
    println!("seed {seed}");
    seed
}

/// Whether an algorithm is the first of those that share its file.
fn is_first_form(algorithm: &Algorithm) -> bool {
    let first = ALGORITHMS.iter().find(|other| other.file == algorithm.file);
    first.is_some_and(|first| first.name == algorithm.name)
}

const LINKS: html::Links<'_> = html::Links { overview: "index.html", previous: Some("before"), next: None };

fn recorded(name: &str, n: usize, seed: u64) -> Recording {
    recorded_on(name, n, seed, Banks::Sixteen.into())
}

fn recorded_on(name: &str, n: usize, seed: u64, shape: Shape) -> Recording {
    let (values, heads) = (sample::values::<i64>(seed, n), sample::heads(seed, n));
    let input = Input { values: &values, heads: &heads };
    Recording::of(by_name(name).unwrap(), Operator::<i64>::max(), shape, &input).unwrap()
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn every_algorithm_forward_and_back() {
    let (seed, mut browser) = (seed(), Browser::start());
    for algorithm in ALGORITHMS {
        let (n, shape) = telling(algorithm);
        let recording = recorded_on(algorithm.name, n, seed, shape);
        let mut tab = browser.open(&html::page(&recording, None));
        let steps = recording.run.steps.len();
        // The first form of each algorithm is stepped through. Other forms have the same steps: only the first and the
        // last are checked.
        if is_first_form(algorithm) {
            for step in 0..=steps {
                at_step(&mut tab, &recording, step);
                tab.key("ArrowRight");
            }
        } else {
            tab.key("ArrowRight");
            at_step(&mut tab, &recording, 1);
            tab.key("End");
        }
        at_step(&mut tab, &recording, steps);
        // Stepping back is the same code on all pages.
        for step in (0..steps).rev().filter(|_| steps < 12 && is_first_form(algorithm)) {
            tab.key("ArrowLeft");
            at_step(&mut tab, &recording, step);
        }
        tab.is_quiet();
    }
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn buttons_slider_keys_and_playing() {
    let (seed, mut browser) = (seed(), Browser::start());
    let values: Vec<Affine> = sample::values(seed, 16);
    let input = Input { values: &values, heads: &[false; 16] };
    let blelloch = by_name("blelloch").unwrap();
    let recording = Recording::of(blelloch, Operator::affine(), Banks::ThirtyTwo, &input).unwrap();
    let steps = recording.run.steps.len();
    let mut tab = browser.open(&html::page(&recording, Some(&LINKS)));
    assert_eq!(tab.value("document.getElementById('back').disabled"), true);
    for (button, step) in [("forward", 1), ("last", steps), ("back", steps - 1), ("first", 0), ("forward", 1)] {
        tab.click(&format!("#{button}"));
        at_step(&mut tab, &recording, step);
    }
    for (key, step) in [("End", steps), ("Home", 0), ("ArrowRight", 1)] {
        tab.key(key);
        at_step(&mut tab, &recording, step);
    }
    tab.value("{ const slider = document.getElementById('step'); slider.value = 5; slider.dispatchEvent(new Event('input')); }");
    at_step(&mut tab, &recording, 5);
    let said = tab.value("document.getElementById('now').textContent");
    assert!(said.as_str().unwrap().starts_with("Step 5 of 11: up."), "{said}");
    assert_eq!(tab.value("document.getElementById('now').ariaLive"), "polite");

    // Playing from the end begins anew, goes to the end and stops there; a space pauses.
    tab.value("{ const speed = document.getElementById('speed'); speed.value = '4'; speed.dispatchEvent(new Event('change')); }");
    tab.click("#last");
    tab.click("#play");
    tab.waits_for("document.getElementById('number').textContent.startsWith('2 ')");
    assert_eq!(tab.value("document.getElementById('play').ariaLabel"), "Pause (space)");
    tab.value("document.activeElement.blur()");
    tab.key(" ");
    assert_eq!(tab.value("document.getElementById('play').ariaLabel"), "Play (space)");
    tab.key(" ");
    tab.waits_for(&format!("document.getElementById('number').textContent === '{steps} of {steps}'"));
    assert_eq!(tab.value("document.getElementById('play').ariaLabel"), "Play (space)");
    at_step(&mut tab, &recording, steps);
    tab.is_quiet();
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn pointing_and_focus_light_up_who_reads_and_writes() {
    let mut browser = Browser::start();
    let recording = recorded("blelloch", 64, 5);
    let mut tab = browser.open(&html::page(&recording, None));
    // Step 3, `up` with stride 2: thread 1 reads s[5] and s[7], writes s[7], all in 4-way conflicts.
    (0..3).for_each(|_| tab.key("ArrowRight"));
    let s = recording.run.arrays.iter().position(|array| array.name == "s").unwrap();
    let lit = "[...document.querySelectorAll('#stage .arrow.lit:not(.tip)')].map(arrow => \
               [arrow.dataset.from, arrow.dataset.to, arrow.classList.contains('d4')])";
    let mine = json!([
        [format!("1:{s}:5"), "t:1", true],
        [format!("1:{s}:7"), "t:1", true],
        ["t:1", format!("2:{s}:7"), true]
    ]);
    tab.point("[data-key='t:1']");
    assert_eq!(tab.value(lit), mine);
    let said = tab.value("document.getElementById('what').textContent");
    for words in ["Thread 1 of warp 0 reads s[5]", "(4-way conflict)", "combines once", "writes s[7]"] {
        assert!(said.as_str().unwrap().contains(words), "{said}");
    }
    tab.point(&format!("[data-key='2:{s}:7']"));
    assert_eq!(tab.value(lit), json!([mine[2]]));
    assert!(tab.value("document.getElementById('what').textContent").as_str().unwrap().contains("Written by thread 1"));
    tab.point("h1");
    assert_eq!(tab.value(lit), json!([]));
    // With the keyboard: the picture has one stop, and arrows go from word to word.
    assert_eq!(tab.value("document.querySelectorAll('#stage [tabindex=\"0\"]').length"), 1);
    tab.value("document.querySelector('#stage [tabindex=\"0\"]').focus()");
    tab.key("ArrowDown");
    assert_eq!(tab.value("document.activeElement.dataset.key"), format!("1:{s}:3"));
    assert_eq!(tab.value(lit), json!([[format!("1:{s}:3"), "t:0", true]]));
    tab.key("ArrowRight");
    assert_eq!(tab.value("document.getElementById('number').textContent"), "4 of 15");
    assert_eq!(tab.value("document.activeElement.dataset.key"), format!("1:{s}:3"));
    tab.is_quiet();
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn narrow_screens_scroll_the_picture_and_not_the_page() {
    let mut browser = Browser::start();
    let algorithms = ALGORITHMS.iter().filter(|algorithm| is_first_form(algorithm));
    let recordings: Vec<Recording> = algorithms.map(|algorithm| recorded(algorithm.name, 16, 1)).collect();
    let mut pages: Vec<String> = recordings.iter().map(|recording| html::page(recording, Some(&LINKS))).collect();
    pages.push(html::overview(&recordings));
    for page in pages {
        let mut tab = browser.open(&page);
        for width in [360, 1280] {
            tab.resize(width);
            tab.key("ArrowRight");
            // A scroll bar at the side may take some.
            let needed = tab.value("document.documentElement.scrollWidth").as_u64().unwrap();
            assert!(needed <= width, "{needed} of {width} pixels");
        }
        tab.is_quiet();
    }
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn the_network_is_forbidden() {
    let mut browser = Browser::start();
    let mut tab = browser.open(&html::page(&recorded("blelloch", 16, 1), None));
    tab.is_quiet();
    let refused = "new Promise(done => { document.addEventListener('securitypolicyviolation', e => done(e.violatedDirective)); \
                   fetch('http://127.0.0.1:9/').catch(() => setTimeout(() => done('tried'), 1000)); })";
    assert_eq!(tab.value(refused), "connect-src");
}
