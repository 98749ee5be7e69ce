//! Tests of the live model in the page: after any change, the page shows the results of the native model. The words
//! that are marked as dependent on an element are those that change with it.

use super::driver::{Browser, Tab};
use super::steps::{at_step, seed};
use super::views::recorded;
use serde_json::{Value, json};
use upsweep_lab::algorithm::Input;
use upsweep_lab::algorithms::{ALGORITHMS, by_name};
use upsweep_lab::machine::{Banks, Order, Shape};
use upsweep_lab::operator::{Affine, Operator, Stretch};
use upsweep_lab::sample;
use upsweep_lab::show::{Recording, html};

const READY: &str = "document.documentElement.dataset.model === 'ready'";
const TROUBLE: &str = "document.getElementById('trouble').textContent";

fn opened<'a>(browser: &'a mut Browser, page: &str, fragment: &str) -> Tab<'a> {
    let mut tab = browser.open_at(page, fragment);
    tab.waits_for(READY);
    tab
}

/// Puts these values into the form, and fires the event of the last one.
fn set(tab: &mut Tab<'_>, settings: &[(&str, String)]) {
    for (id, value) in settings {
        tab.value(&format!("document.getElementById('{id}').value = {}", json!(value)));
    }
    let last = settings.last().unwrap().0;
    tab.value(&format!("document.getElementById('{last}').dispatchEvent(new Event('change', {{ bubbles: true }}))"));
}

/// Elements in the page's form.
fn elements(tab: &mut Tab<'_>) -> Vec<String> {
    let texts = tab.value("[...document.querySelectorAll('#elements input')].map(input => input.value)");
    texts.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Recording by the library itself, with the elements of the page.
fn natively(name: &str, op: &str, shape: Shape, texts: &[String], heads: &[bool]) -> Recording {
    let algorithm = by_name(name).unwrap();
    let ints = || texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<i64>>();
    match op {
        "sum" => Recording::of(algorithm, Operator::<i64>::sum(), shape, &Input { values: &ints(), heads }),
        "max" => Recording::of(algorithm, Operator::<i64>::max(), shape, &Input { values: &ints(), heads }),
        "affine" => {
            let values: Vec<Affine> = texts.iter().map(|text| text.parse().unwrap()).collect();
            Recording::of(algorithm, Operator::affine(), shape, &Input { values: &values, heads })
        }
        _ => Recording::of(
            algorithm,
            Operator::ranges(),
            shape,
            &Input { values: &Stretch::elements(texts.len()), heads },
        ),
    }
    .unwrap()
}

fn go(tab: &mut Tab<'_>, step: usize) {
    tab.value(&format!(
        "{{ const slider = document.getElementById('step'); slider.value = {step}; slider.dispatchEvent(new Event('input')); }}"
    ));
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn every_algorithm_on_other_elements_and_machines() {
    let (seed, mut browser) = (seed(), Browser::start());
    let mut tab = opened(&mut browser, &html::page(&recorded("blelloch"), None), "");
    let machines = [(Banks::Four, 4, Some(8)), (Banks::Sixteen, 32, None), (Banks::Two, 8, Some(16))];
    for (number, algorithm) in ALGORITHMS.iter().enumerate() {
        let chance = (seed >> (number % 32)) as usize % 65_536;
        let (banks, warp, tile) = machines[number % 3];
        let order = if chance.is_multiple_of(2) { Order::Phases } else { Order::Chance(chance as u64 % 100) };
        let shape = Shape { warp, banks, tile, order };
        let n = 2 + chance % 15;
        // A small machine's reductions in halves do not keep the order.
        let op = ["sum", "max", "affine", "ranges"][chance % if algorithm.suits(&Operator::affine()) { 4 } else { 2 }];
        let heads: Vec<usize> = (1..n).filter(|place| (place * chance).is_multiple_of(3)).collect();
        let text = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
        let seed = if let Order::Chance(seed) = order { Some(seed) } else { None };
        // The operator comes first, so that the elements are of its type.
        set(&mut tab, &[("beside", String::new()), ("algorithm", algorithm.name.to_owned()), ("op", op.to_owned())]);
        set(
            &mut tab,
            &[
                ("heads", heads.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")),
                ("order", text(seed)),
                ("tile", text(tile.map(|tile| tile as u64))),
                ("warp", warp.to_string()),
                ("banks", banks.number().to_string()),
                ("n", n.to_string()),
            ],
        );
        assert_eq!(tab.value(TROUBLE), "", "{} n={n} {op} {shape:?}", algorithm.name);
        let texts = elements(&mut tab);
        assert_eq!(texts.len(), n);
        let is_segmented = tab.value("!document.getElementById('heads').disabled") == true;
        let flags: Vec<bool> = match heads.is_empty() {
            true if is_segmented => sample::heads(1, n),
            _ => (0..n).map(|place| heads.contains(&place)).collect(),
        };
        let recording = natively(algorithm.name, op, shape, &texts, &flags);
        if !algorithm.is_faulty() {
            assert_eq!(recording.is_right(), Some(true), "{}", algorithm.name);
        }
        let steps = recording.run.steps.len();
        for step in [0, 1, steps / 2, steps] {
            go(&mut tab, step);
            at_step(&mut tab, &recording, step);
        }
        let title = tab.value("document.querySelector('#head .quiet').textContent");
        assert!(title.as_str().unwrap().contains(&recording.summary()), "{title}");
    }
    tab.is_quiet();
}

/// Words that are marked in memory: array and index.
const MARKED: &str = "[...document.querySelectorAll('#memory .words[data-array]')].flatMap(list => \
    [...list.children].map((word, index) => [Number(list.dataset.array), index, word.classList.contains('depends')]) \
    .filter(word => word[2]).map(word => [word[0], word[1]]))";

/// Words that change with element `index`, after `steps` steps.
fn changed(name: &str, shape: Shape, values: &[i64], index: usize, steps: usize) -> Value {
    let n = values.len();
    let run = |values: &[i64]| {
        let heads = sample::heads(1, n);
        let input = Input { values, heads: &heads };
        Recording::of(by_name(name).unwrap(), Operator::<i64>::sum(), shape, &input).unwrap().run
    };
    let (mut other, run_before) = (values.to_vec(), run(values));
    other[index] += 1_000;
    let (before, after) = (run_before.memory_after(steps), run(&other).memory_after(steps));
    let mut words = Vec::new();
    for (array, (a, b)) in before.iter().zip(&after).enumerate() {
        if run_before.arrays[array].lives_after(steps) {
            words.extend((0..a.len()).filter(|&place| a[place] != b[place]).map(|place| json!([array, place])));
        }
    }
    Value::from(words)
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn what_depends_on_an_element_is_marked_while_it_is_dragged() {
    let mut browser = Browser::start();
    for name in ["blelloch", "kogge-stone", "look-back", "segmented-sweep", "reduce-shuffle", "fenwick-updates"] {
        let recording = recorded(name);
        let (n, shape) = (recording.input.len(), recording.shape);
        let mut tab = opened(&mut browser, &html::page(&recording, None), "");
        set(&mut tab, &[("n", n.to_string())]);
        if name == "segmented-sweep" {
            set(&mut tab, &[("heads", String::new())]);
        }
        let steps = recording.run.steps.len();
        let index = n / 3;
        // 24 pixels to the right are three more.
        tab.value("document.getElementById('elements').scrollIntoView({ block: 'center' })");
        let before: i64 = elements(&mut tab)[index].parse().unwrap();
        let moved = tab.drag(&format!("[data-index=\"{index}\"]"), 24, |tab| {
            let values: Vec<i64> = elements(tab).iter().map(|text| text.parse().unwrap()).collect();
            assert_eq!(values[index], before + 3, "{name}");
            let mut seen = 0;
            for step in [0, 1, steps / 2, steps] {
                go(tab, step);
                assert_eq!(tab.value(MARKED), changed(name, shape, &values, index, step), "{name}, step {step}");
                seen += tab.value("document.querySelectorAll('#stage .depends').length").as_u64().unwrap();
            }
            assert!(seen > 3, "{name}: {seen} words, threads and arrows are marked in the picture");
            values
        });
        // Once released, the page is that of the new element.
        let recording = natively(
            name,
            "sum",
            shape,
            &moved.iter().map(ToString::to_string).collect::<Vec<_>>(),
            &sample::heads(1, n),
        );
        go(&mut tab, steps);
        at_step(&mut tab, &recording, steps);
        tab.is_quiet();
    }
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn what_the_model_does_not_take_is_said_and_the_page_stays() {
    let mut browser = Browser::start();
    let recording = recorded("blelloch");
    let mut tab = opened(&mut browser, &html::page(&recording, None), "");
    for (id, value, words) in [
        ("n", "0", "a run has one element or more"),
        ("n", "513", "a page shows 512 at most"),
        ("n", "", "is no whole number"),
        ("tile", "7", "tiles of 7 elements"),
        ("order", "-1", "is no whole number"),
    ] {
        let before = tab.value(&format!("document.getElementById('{id}').value")).as_str().unwrap().to_owned();
        set(&mut tab, &[(id, value.to_owned())]);
        let said = tab.value(TROUBLE);
        assert!(said.as_str().unwrap().contains(words), "{id} = {value}: {said}");
        go(&mut tab, 3);
        at_step(&mut tab, &recording, 3);
        set(&mut tab, &[(id, before)]);
        assert_eq!(tab.value(TROUBLE), "");
    }
    tab.value("{ const input = document.querySelector('#elements input'); input.type = 'text'; input.value = 'one'; input.dispatchEvent(new Event('change', { bubbles: true })); }");
    assert_eq!(tab.value(TROUBLE), "element: \"one\" is no whole number of 64 bits");
    // Fewer elements have fewer segments.
    let mut tab = opened(&mut browser, &html::page(&recorded("segmented-pairs"), None), "");
    set(&mut tab, &[("n", "6".to_owned())]);
    assert_eq!(tab.value(TROUBLE), "");
    assert_eq!(elements(&mut tab).len(), 6);
    // Reductions that do not keep the order take no functions.
    let mut tab = opened(&mut browser, &html::page(&recorded("reduce-sequential"), None), "");
    set(&mut tab, &[("op", "affine".to_owned())]);
    assert!(tab.value(TROUBLE).as_str().unwrap().contains("reduce-sequential-ordered keeps the order"));
    tab.is_quiet();
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn an_address_leads_to_what_was_changed() {
    let mut browser = Browser::start();
    let page = html::page(&recorded("blelloch"), None);
    let mut tab = opened(&mut browser, &page, "");
    set(&mut tab, &[("algorithm", "brent-kung".to_owned()), ("n", "8".to_owned())]);
    tab.key("ArrowRight");
    tab.waits_for("location.hash.includes('step=1')");
    let hash = tab.value("location.hash").as_str().unwrap().to_owned();
    assert!(hash.contains("algorithm=brent-kung") && hash.contains("n=8"), "{hash}");
    let texts = elements(&mut tab);
    let mut tab = opened(&mut browser, &page, &hash);
    assert_eq!(elements(&mut tab), texts);
    let recording = natively("brent-kung", "sum", Banks::Sixteen.into(), &texts, &[false; 8]);
    at_step(&mut tab, &recording, 1);
    tab.is_quiet();
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn two_runs_play_in_step() {
    let mut browser = Browser::start();
    let (first, second) = (recorded("kogge-stone"), recorded("blelloch"));
    let mut tab = opened(&mut browser, &html::pair(&first, &second, None), "");
    let written = |suffix: &str| {
        format!(
            "[...document.querySelectorAll('#stage{suffix} [data-key^=\"2:\"]')].filter(word => word.querySelector('.new')).map(word => [word.dataset.key, word.querySelector('.value').textContent]).sort()"
        )
    };
    let steps = first.run.steps.len().max(second.run.steps.len());
    assert!(first.run.steps.len() != second.run.steps.len());
    for step in 0..=steps {
        tab.is_quiet();
        assert_eq!(tab.value("document.getElementById('number').textContent"), format!("{step} of {steps}"));
        for (run, suffix) in [(&first.run, ""), (&second.run, "-2")] {
            // The shorter run stays at its end.
            let own = step.min(run.steps.len());
            let mut total = upsweep_lab::machine::Counts::default();
            run.steps.iter().take(own).for_each(|step| total += step.counts);
            let depth = run.steps.iter().take(own).map(|step| step.after.operations).max().unwrap_or(0);
            let column = 1 + usize::from(!suffix.is_empty());
            let shown = tab.value(&format!(
                "[...document.querySelectorAll('#so-far tbody tr')].map(row => Number(row.cells[{column}].firstChild.data.replaceAll(',', '')))"
            ));
            assert_eq!(shown.as_array().unwrap()[..2], [json!(depth), json!(total.operations)], "step {step}{suffix}");
            assert_eq!(shown[4], json!(total.conflicts));
            if own > 0 {
                let after = run.memory_after(own);
                let places = run.steps[own - 1].events.iter().flat_map(|event| &event.writes);
                let mut words: Vec<Value> = places
                    .map(|place| json!([format!("2:{}:{}", place.array, place.index), after[place.array][place.index]]))
                    .collect();
                words.sort_by_key(|word| format!("{},{}", word[0].as_str().unwrap(), word[1].as_str().unwrap()));
                assert_eq!(tab.value(&written(suffix)), json!(words), "step {step}{suffix}");
            }
        }
        tab.key("ArrowRight");
    }
    // Another pair, on other elements.
    set(
        &mut tab,
        &[("algorithm", "blelloch".to_owned()), ("beside", "blelloch-padded".to_owned()), ("n", "16".to_owned())],
    );
    assert_eq!(tab.value("document.querySelector('#head h1').textContent"), "blelloch beside blelloch-padded");
    assert_eq!(tab.value("document.querySelectorAll('svg.stage').length"), 2);
    set(&mut tab, &[("beside", String::new())]);
    assert_eq!(tab.value("document.querySelectorAll('svg.stage').length"), 1);
    tab.is_quiet();
}

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn a_change_takes_less_than_50_milliseconds() {
    let mut browser = Browser::start();
    for name in ["blelloch", "kogge-stone", "look-back"] {
        let page = html::page(&recorded(name), None);
        assert!(page.len() < 1_000_000, "{name}: {} bytes", page.len());
        let mut tab = opened(&mut browser, &page, "");
        let change = "(() => { const input = document.querySelectorAll('#elements input')[5]; for (let value = 0; value < 20; value += 1) { \
            input.value = value; input.dispatchEvent(new Event('input', { bubbles: true })); document.body.getBoundingClientRect(); } })()";
        let before = tab.busy();
        tab.value(change);
        let each = (tab.busy() - before) / 20.0;
        println!("{name}: {each:.1} ms a change, {} bytes", page.len());
        assert!(each > 0.1 && each < 50.0, "{name}: {each} ms a change");
    }
}
