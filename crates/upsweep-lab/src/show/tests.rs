//! Tests that views show the contents of the run.

use super::layout::{Layout, Shown};
use super::plot::{Line, Panel, Scale, Speed};
use super::{Recording, html, plot, svg, text};
use crate::algorithm::{Algorithm, Computes, Error, Input};
use crate::algorithms::{ALGORITHMS, by_name};
use crate::machine::{Array, Banks, Machine, Word};
use crate::operator::{Affine, Operator};
use crate::sample;
use crate::variant::Variant;
use serde_json::Value;

/// Algorithm with all that views have to show: two kernels, shuffles, flags, an array that is allocated late.
static MIXED: Algorithm = Algorithm {
    name: "mixed",
    file: "mixed",
    title: "<b>\"both\" & </script>",
    source: "here",
    computes: Computes::InclusiveScan,
    limit: usize::MAX,
    variant: Variant::PLAIN,
    module: "//! Both.",
    of_i64: mixed,
    of_affine: mixed,
    of_stretch: mixed,
};

fn mixed<T: Word>(machine: &mut Machine<T>, input: &Input<'_, T>, _: Variant) -> Array {
    let n = input.values.len();
    let (x, sums, y) = (machine.array("x", input.values), machine.empty("sums", n.div_ceil(4)), machine.empty("y", n));
    machine.launch("blocks", n.div_ceil(4), 4, |block| {
        let first = 4 * block.index;
        let mut registers = vec![block.operator().identity; 4];
        block.step("load", |t| {
            if t.branch(first + t.index < n) {
                registers[t.index] = t.read(x, first + t.index);
            }
        });
        for stride in [1, 2] {
            let before = registers.clone();
            block.step("shuffle", |t| {
                if t.branch(t.index >= stride) {
                    let left = t.shuffle(&before, t.index - stride);
                    registers[t.index] = t.combine(left, before[t.index]);
                }
            });
        }
        let s = block.shared("s", 4);
        block.step("keep", |t| t.write(s, t.index, registers[t.index]));
        block.barrier();
        block.step("store", |t| {
            if first + t.index < n {
                t.copy(s, t.index, y, first + t.index);
            }
            if t.index == 3 {
                t.copy(s, 3, sums, first / 4);
            }
        });
    });
    let ready = machine.status_flags("ready", n.div_ceil(4));
    // The kernel has a name that would end a script in a page.
    machine.launch("</script>", 1, n, |block| {
        let before = block.shared("before", n);
        block.step("sum", |t| {
            let mut sum = t.operator().identity;
            for part in 0..t.index / 4 {
                let next = t.read(sums, part);
                sum = t.combine(sum, next);
            }
            t.write(before, t.index, sum);
            let flag = t.read_flag(ready, t.index / 4);
            t.write_flag(ready, t.index / 4, flag.max(1));
        });
        block.step("add", |t| {
            let (sum, own) = (t.read(before, t.index), t.read(y, t.index));
            let both = t.combine(sum, own);
            t.write(y, t.index, both);
        });
    });
    y
}

fn recording(algorithm: &'static Algorithm, n: usize) -> Recording {
    let (values, heads) = (sample::values::<i64>(n as u64, n), sample::heads(2, n));
    Recording::of(algorithm, Operator::<i64>::sum(), Banks::Sixteen, &Input { values: &values, heads: &heads }).unwrap()
}

/// Records runs of all algorithms, with a few lengths and all operators.
fn recordings() -> Vec<Recording> {
    let mut all = Vec::new();
    for algorithm in ALGORITHMS.iter().chain([&MIXED]) {
        for n in [1, 2, 13, 16, 33, 64].into_iter().filter(|&n| n <= algorithm.limit) {
            all.push(recording(algorithm, n));
        }
        let heads = [false; 16];
        if algorithm.suits(&Operator::affine()) {
            let values: Vec<Affine> = sample::values(3, 16);
            let input = Input { values: &values, heads: &heads };
            all.push(Recording::of(algorithm, Operator::affine(), Banks::ThirtyTwo, &input).unwrap());
        }
        let values: Vec<i64> = sample::values(4, 16);
        let input = Input { values: &values, heads: &heads };
        all.push(Recording::of(algorithm, Operator::<i64>::max(), Banks::ThirtyTwo, &input).unwrap());
    }
    all
}

#[test]
fn the_mixed_algorithm_is_right() {
    assert_eq!(recording(&MIXED, 16).is_right(), Some(true));
}

#[test]
fn arrays_live_as_long_as_their_blocks() {
    let run = recording(&MIXED, 8).run;
    let lives: Vec<_> = run.arrays.iter().map(|array| (array.name, array.since, array.until)).collect();
    let shared = [("s", 3, Some(5)), ("s", 8, Some(10)), ("ready", 10, None), ("before", 10, Some(12))];
    assert_eq!(lives, [&[("x", 0, None), ("sums", 0, None), ("y", 0, None)], &shared[..]].concat());
    assert!(run.arrays[3].lives_after(5) && !run.arrays[3].lives_after(6) && !run.arrays[3].lives_after(2));
}

#[test]
fn writes_know_the_reads_they_come_from() {
    let input = Input { values: &[3, 1, 7, 0], heads: &[false; 4] };
    let run =
        Recording::of(by_name("blelloch").unwrap(), Operator::<i64>::sum(), Banks::ThirtyTwo, &input).unwrap().run;
    let flows = |label: &str| {
        let step = run.steps.iter().rfind(|step| step.label == label).unwrap();
        step.events.iter().map(|event| event.flows.clone()).collect::<Vec<_>>()
    };
    // Load: two copies. Up: a sum of both words. Down: the left word gets the right one, and the right word both.
    assert_eq!(flows("load"), [[(0, 0), (1, 1)], [(0, 0), (1, 1)]]);
    assert_eq!(flows("up"), [[(0, 0), (1, 0)]]);
    assert_eq!(flows("root"), [[]]);
    assert_eq!(flows("down"), [[(1, 0), (0, 1), (1, 1)], [(1, 0), (0, 1), (1, 1)]]);
}

#[test]
fn a_fault_ends_the_recording() {
    let race = recording(by_name("kogge-stone-race").unwrap(), 33);
    let fault = race.fault.unwrap().to_string();
    assert!(fault.starts_with("race at s["), "{fault}");
    let labels: Vec<_> = race.run.steps.iter().map(|step| step.label).collect();
    assert_eq!((&labels[..], race.is_right()), (&["load", "add", "write"][..], None));
    assert!(text::render(&race, text::Marks::Plain).contains("\nfault   race at s["));
    assert!(html::page(&race, None).contains("The model stops."));
}

#[test]
fn text_has_the_values_of_every_step() {
    for recording in recordings() {
        let page = text::render(&recording, text::Marks::Plain);
        assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
        let run = &recording.run;
        for (number, part) in page.split("\nstep ").skip(1).enumerate() {
            let step = &run.steps[number];
            let memory = run.memory_after(number + 1);
            let mut written: Vec<usize> = step.events.iter().flat_map(|e| &e.writes).map(|place| place.array).collect();
            written.sort_unstable();
            written.dedup();
            let mut expected = Vec::new();
            for array in written {
                for (index, value) in memory[array].iter().enumerate() {
                    let mut places = step.events.iter().flat_map(|event| &event.writes);
                    let mark = if places.any(|place| (place.array, place.index) == (array, index)) { "*" } else { "" };
                    expected.push(format!("{mark}{}", value.as_deref().map_or(".", |value| recording.shown(value))));
                }
            }
            // Lines of words begin with two blanks and the array's name, or with the index of the line's first word.
            let part = part.split("\n\n").next().unwrap();
            let is_words = |line: &&str| match line.trim_start().strip_prefix('+') {
                Some(_) => true,
                None => !line.starts_with("   ") && !line.contains("barrier -") && !line.contains("nothing is"),
            };
            let words = part.lines().skip(1).filter(is_words).flat_map(|line| line.split_whitespace().skip(1));
            let found: Vec<&str> = words.collect();
            assert_eq!(found, expected, "{} step {number}:\n{part}", recording.algorithm.name);
        }
    }
}

#[test]
fn text_reads_as_it_should() {
    let input = Input { values: &[3, 1, 7, 0], heads: &[false; 4] };
    let recording =
        Recording::of(by_name("kogge-stone").unwrap(), Operator::<i64>::sum(), Banks::ThirtyTwo, &input).unwrap();
    let page = text::render(&recording, text::Marks::Plain);
    let step = "step 3  write: 3 of 4 threads active, 2 cycles, warp 0 diverges\n  s        3  *4  *8  *7\n";
    assert!(page.contains(step), "{page}");
    assert!(page.contains("before\n  x        3   1   7   0\n  y        .   .   .   .\n"), "{page}");
    assert!(page.contains("  barrier ---"), "{page}");
    let total = "\ntotal   work 5 operations, depth 2, 4 barriers\n  without loads and stores: 12 cycles, 0 conflicts, \
                 4 divergent branches\n  with them: 16 cycles, ";
    assert!(page.contains(total), "{page}");
    assert!(page.ends_with("result  as it should be\n"), "{page}");
    let coloured = text::render(&recording, text::Marks::Colour);
    assert!(coloured.contains("  s        3   \x1b[1;32m4\x1b[0m   \x1b[1;32m8\x1b[0m   \x1b[1;32m7\x1b[0m\n"));
}

#[test]
fn lines_and_arrows_are_those_of_the_run() {
    for recording in recordings() {
        let layout = Layout::new(&recording);
        assert_eq!(layout.rows.len(), recording.run.steps.len() + 1);
        for row in &layout.rows {
            let after = recording.run.memory_after(row.step.map_or(0, |step| step + 1));
            let before = recording.run.memory_after(row.step.unwrap_or(0));
            for line in row.lines.clone() {
                let line = &layout.lines[line];
                if let Shown::Words { array, values, written } = &line.shown {
                    assert_eq!(values, &if line.is_target { &after } else { &before }[*array]);
                    let step = row.step.map(|step| &recording.run.steps[step]).filter(|_| line.is_target);
                    let writes = |index| {
                        let mut places = step.iter().flat_map(|step| &step.events).flat_map(|event| &event.writes);
                        places.any(|place| (place.array, place.index) == (*array, index))
                    };
                    assert!((0..values.len()).all(|index| written[index] == writes(index)));
                }
            }
        }
        assert!(
            layout.arrows.len()
                >= recording
                    .run
                    .steps
                    .iter()
                    .flat_map(|step| &step.events)
                    .filter(|event| !event.reads.is_empty())
                    .count()
        );
        for arrow in &layout.arrows {
            assert!(arrow.from.index < layout.places(arrow.from.line) && arrow.from.line <= arrow.to.line);
            match &layout.lines[arrow.to.line].shown {
                Shown::Words { written, .. } => assert!(written[arrow.to.index]),
                Shown::Threads { active, .. } => assert!(active.contains(&arrow.to.index)),
            }
            match &layout.lines[arrow.from.line].shown {
                Shown::Words { values, .. } => assert!(values[arrow.from.index].is_some()),
                Shown::Threads { active, .. } => assert!(active.contains(&arrow.from.index)),
            }
        }
    }
}

#[test]
fn pictures_are_well_formed_and_whole() {
    for recording in recordings() {
        let picture = svg::render(&recording);
        let document = roxmltree::Document::parse(&picture).unwrap();
        let of_class = |class: &'static str| {
            document
                .descendants()
                .filter(move |node| node.attribute("class").is_some_and(|c| c.split(' ').any(|c| c == class)))
        };
        let layout = Layout::new(&recording);
        let arrows = of_class("arrow").filter(|path| !path.attribute("class").unwrap().contains("tip"));
        let drawn: usize = arrows.map(|path| path.attribute("d").unwrap().matches('M').count()).sum();
        // The legend has one arrow of each class, on a line that starts at 0.
        let legend = of_class("arrow").filter(|path| path.attribute("d") == Some("M0 0H28")).count();
        assert_eq!(drawn - legend, layout.arrows.len());
        let values: Vec<_> = layout
            .lines
            .iter()
            .filter_map(|line| match &line.shown {
                Shown::Words { values, .. } => Some(values.iter().flatten()),
                Shown::Threads { .. } => None,
            })
            .flatten()
            .map(|value| recording.shown(value).chars().next().unwrap())
            .collect();
        let texts: Vec<_> =
            of_class("value").filter_map(|node| node.text()).filter_map(|text| text.chars().next()).collect();
        assert_eq!(texts[..values.len()], values);
        assert!(picture.matches("http").count() == 1 && picture.contains("xmlns=\"http://www.w3.org/2000/svg\""));
    }
    let picture = svg::render(&recording(by_name("blelloch").unwrap(), 64));
    assert!(picture.contains("class=\"arrow d4\"") && picture.contains("warp 0 diverges") && picture.contains("4-way"));
}

/// Parses the JSON of the run in a page's script.
fn script(page: &str) -> Value {
    let start = page.split_once("type=\"application/json\">").unwrap().1;
    serde_json::from_str(start.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn pages_hold_the_run_and_load_nothing() {
    let all = recordings();
    let links = html::Links { overview: "index.html", previous: None, next: Some("blelloch") };
    for recording in &all {
        let page = html::page(recording, Some(&links));
        let run = script(&page);
        let steps = run["steps"].as_array().unwrap();
        assert_eq!(steps.len(), recording.run.steps.len());
        let words = |array: &Value| array["initial"].as_array().unwrap().clone();
        let mut memory: Vec<Vec<Value>> = run["arrays"].as_array().unwrap().iter().map(words).collect();
        for (number, step) in steps.iter().enumerate() {
            for write in step["events"].as_array().unwrap().iter().flat_map(|event| event[2].as_array().unwrap()) {
                let place = |at: usize| write[at].as_u64().unwrap() as usize;
                memory[place(0)][place(1)] = write[2].clone();
            }
            assert_eq!(Value::from(memory.clone()), serde_json::json!(recording.run.memory_after(number + 1)));
            assert_eq!(step["counts"][1], recording.run.steps[number].counts.operations);
        }
        loads_nothing(&page);
    }
    let overview = html::overview(&all);
    loads_nothing(&overview);
    // A small picture of 1024 words has as many words as can be seen.
    let wide = recording(by_name("look-back").unwrap(), 16);
    let card = html::overview(&[wide]).len() - html::overview(&[]).len();
    assert!((2000..40_000).contains(&card), "{card}");
    assert!(ALGORITHMS.iter().all(|algorithm| overview.contains(&format!("href=\"{}.html\"", algorithm.name))));
    let page = html::page(&recording(&MIXED, 16), None);
    assert!(page.contains("&lt;b&gt;&quot;both&quot; &amp; &lt;/script&gt;"));
}

#[track_caller]
fn loads_nothing(page: &str) {
    for word in ["http:", "https:", "src=", "url(", "@import", "//cdn", "fetch(", "XMLHttp", "<b>"] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
    assert_eq!(page.matches("<link").count(), page.matches("<link rel=\"icon\" href=\"data:,\">").count());
}

#[test]
fn plots_have_every_point_axis_and_name() {
    let line = |name: &str, points: &[(usize, f64)]| Line { name: name.to_owned(), points: points.to_vec() };
    let lines = vec![line("a<b", &[(16, 15.0), (32, 31.0), (64, 0.0)]), line("c", &[(16, 49.0)]), line("none", &[])];
    let panel =
        |title: &str, unit| Panel { title: title.to_owned(), unit, scale: Scale::Logarithmic, lines: lines.clone() };
    let plot = plot::render(&[panel("Work", "operations"), panel("Depth", "one after the other")]);
    let document = roxmltree::Document::parse(&plot).unwrap();
    let of = |class: &str| {
        let nodes =
            document.descendants().filter(|node| node.attribute("class").is_some_and(|own| own.contains(class)));
        nodes.collect::<Vec<_>>()
    };
    assert_eq!(of("point").len(), 6);
    let texts = |class: &str| of(class).iter().map(|node| node.text().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(texts("axis"), ["elements", "operations", "elements", "one after the other"]);
    assert_eq!(texts("name"), ["a<b", "c", "a<b", "c"]);
    // A name stands to the right of its line's last point, at the same height.
    let at = |node: &roxmltree::Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let (end, name) = (&of("point")[1], &of("name")[0]);
    assert!(at(name, "x") > at(end, "cx") && (at(name, "y") - 4.0 - at(end, "cy")).abs() < 1.0);
    assert!(!plot.contains("NaN") && !plot.contains("inf"));
    roxmltree::Document::parse(&plot::render(&[])).unwrap();
}

/// Reads the record of the race on an H200, which the pages of the book quote.
fn record() -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join("benches/record/nvidia-h200/2026-11-27-lab.csv")).unwrap()
}

/// Set `UPSWEEP_TEST_SHOTS=1` for `cargo test -p upsweep-lab --lib race_of_the_guide` to draw it anew.
#[test]
fn race_of_the_guide_is_that_of_the_record() {
    let names = [
        plot::COPY,
        "hillis-steele",
        "kogge-stone",
        "brent-kung",
        "brent-kung-padded",
        "blelloch",
        "blelloch-padded",
        "three-kernel",
        "chained",
        "look-back",
        "production",
    ];
    let record = record();
    let rows = record.lines().filter_map(|line| {
        let [name, _, _, log, _, gbps, ..] = line.split(',').collect::<Vec<_>>()[..] else { return None };
        let name = names.into_iter().find(|own| *own == name)?;
        Some(Speed { name, n: 1 << log.parse::<u32>().ok()?, gbps: gbps.parse().ok()? })
    });
    let speeds: Vec<Speed<'_>> = rows.collect();
    assert_eq!(speeds.len(), 11 * 10);
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (drawn, path) = (plot::race(&speeds), root.join("docs/guide/src/pictures/race.svg"));
    if std::env::var_os("UPSWEEP_TEST_SHOTS").is_some() {
        std::fs::write(&path, &drawn).unwrap();
    }
    assert!(std::fs::read_to_string(path).unwrap() == drawn, "pictures/race.svg is not what the record gives");
}

#[test]
fn inputs_that_are_not_taken() {
    let error = Recording::of(
        by_name("kogge-stone").unwrap(),
        Operator::<i64>::sum(),
        Banks::Sixteen,
        &Input { values: &[], heads: &[] },
    );
    assert!(matches!(error, Err(Error::Length { found: 0, .. })));
}
