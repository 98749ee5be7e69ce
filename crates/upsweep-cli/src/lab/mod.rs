//! Command `lab`: the classic algorithms on the laboratory's machine model, and on a GPU.

pub(crate) mod args;
mod claims;
mod count;
#[cfg(feature = "cuda")]
mod race;
mod report;

use crate::failure::{Failure, Result, quoted};
use crate::output::{self, Destination};
use crate::print::print_lines;
use args::{Lab, Op, PageArgs, ShowArgs};
use report::{refused, write};
use std::io::IsTerminal;
use std::str::FromStr;
use upsweep_lab::algorithm::{Algorithm, Computes, Input};
use upsweep_lab::book::{CHAPTERS, Chapter};
use upsweep_lab::machine::{Banks, Shape};
use upsweep_lab::operator::{Operator, Stretch};
use upsweep_lab::show::html::BESIDE;
use upsweep_lab::show::{self, Recording};
use upsweep_lab::{algorithms, sample};

/// Maximum number of elements of a recorded run: each thread's accesses take memory in every step.
const MOST_SHOWN: usize = 4096;

/// Runs `upsweep lab`.
pub(crate) fn run(lab: &Lab) -> Result<()> {
    match lab {
        Lab::List => print_lines(&list()),
        Lab::Show(args) => show_run(args),
        Lab::Claims => print_lines(&claims::lines()),
        Lab::Count(args) => count::run(args),
        #[cfg(feature = "cuda")]
        Lab::Race(args) => race::run(args),
        #[cfg(not(feature = "cuda"))]
        Lab::Race(_) => Err(Failure::Run("lab race: this upsweep was built without CUDA".to_owned())),
        Lab::Page(args) => page(args),
        Lab::Book(args) => book(args),
    }
}

fn list() -> Vec<String> {
    let head = ["name", "computes", "limit", "title"].map(str::to_owned);
    let mut rows = vec![head];
    rows.extend(algorithms::ALGORITHMS.iter().map(|algorithm| {
        let limit = if algorithm.limit == usize::MAX { "none".to_owned() } else { algorithm.limit.to_string() };
        [algorithm.name.to_owned(), algorithm.computes.name().to_owned(), limit, algorithm.title.to_owned()]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [names, kinds, limits] = [0, 1, 2].map(width);
    let line =
        |[name, kind, limit, title]: &[String; 4]| format!("{name:<names$}  {kind:<kinds$}  {limit:>limits$}  {title}");
    rows.iter().map(line).collect()
}

fn show_run(args: &ShowArgs) -> Result<()> {
    let outputs = Destination::several([("--svg", &args.svg), ("--html", &args.html)])?;
    let [svg, html] = &outputs;
    let recording = record(args, args.algorithm)?;
    if let Some(svg) = svg {
        write(svg, &show::svg::render(&recording))?;
    }
    if let Some(html) = html {
        let page = match args.beside {
            Some(beside) => show::html::pair(&recording, &record(args, beside)?, None),
            None => show::html::page(&recording, None),
        };
        write(html, &page)?;
    }
    if outputs.iter().all(Option::is_none) {
        let plain = !std::io::stdout().is_terminal() || std::env::var_os("NO_COLOR").is_some_and(|no| !no.is_empty());
        let marks = if plain { show::text::Marks::Plain } else { show::text::Marks::Colour };
        let drawn = show::text::render(&recording, marks);
        Destination::draw(|out| out.write_all(drawn.as_bytes()).map_err(|e| Failure::writing("standard output", &e)))?;
    }
    match recording.fault {
        // An algorithm that is faulty on purpose shows a fault, which is no failure.
        Some(fault) if !args.algorithm.is_faulty() => Err(Failure::Run(format!("{}: {fault}", args.algorithm.name))),
        _ => Ok(()),
    }
}

fn record(args: &ShowArgs, algorithm: &'static Algorithm) -> Result<Recording> {
    let shape = args.machine.shape();
    let ints = |operator| {
        let values = elements(args, algorithm, "is no whole number of 64 bits")?;
        record_values(algorithm, operator, shape, &values, &heads(args, values.len())?)
    };
    match args.op {
        Op::Sum => ints(Operator::<i64>::sum()),
        Op::Max => ints(Operator::<i64>::max()),
        Op::Affine => {
            let values = elements(args, algorithm, "is no function like 2x+3")?;
            record_values(algorithm, Operator::affine(), shape, &values, &heads(args, values.len())?)
        }
        Op::Ranges => {
            if args.values.is_some() {
                return Err(Failure::Input(
                    "--values: --op ranges shows places, so its elements are x0, x1, ...".to_owned(),
                ));
            }
            shown(args, algorithm, args.n)?;
            let values = Stretch::elements(args.n);
            record_values(algorithm, Operator::ranges(), shape, &values, &heads(args, values.len())?)
        }
    }
}

/// Returns the elements from the command line, or random ones. `wrong` ends the message about a text that is no
/// element.
fn elements<T: sample::Sample + FromStr>(args: &ShowArgs, algorithm: &Algorithm, wrong: &str) -> Result<Vec<T>> {
    let Some(values) = &args.values else {
        shown(args, algorithm, args.n)?;
        return Ok(sample::values(args.seed, args.n));
    };
    let parse =
        |text: &str| text.trim().parse().map_err(|_| Failure::Input(format!("--values: {} {wrong}", quoted(text))));
    let values: Vec<T> = values.split(',').map(parse).collect::<Result<_>>()?;
    shown(args, algorithm, values.len())?;
    Ok(values)
}

/// Returns the head flags of `n` elements: from the command line the indices at which segments begin, or random ones.
fn heads(args: &ShowArgs, n: usize) -> Result<Vec<bool>> {
    let Some(places) = &args.heads else { return Ok(sample::heads(args.seed, n)) };
    if [Some(args.algorithm), args.beside].into_iter().flatten().all(|one| one.computes != Computes::SegmentedScan) {
        return Err(Failure::Input(format!("--heads: {} knows no segments", args.algorithm.name)));
    }
    let mut heads = vec![false; n];
    for &place in places {
        let Some(head) = heads.get_mut(place) else {
            return Err(Failure::Input(format!("--heads: there is no element {place}, only 0 to {}", n - 1)));
        };
        *head = true;
    }
    Ok(heads)
}

fn record_values<T: upsweep_lab::algorithm::Element>(
    algorithm: &'static Algorithm,
    operator: Operator<T>,
    shape: Shape,
    values: &[T],
    heads: &[bool],
) -> Result<Recording> {
    Recording::of(algorithm, operator, shape, &Input { values, heads }).map_err(|e| refused(algorithm, &e))
}

/// Fails if the algorithm does not take `n` elements, or if the run is too long to be shown.
fn shown(args: &ShowArgs, algorithm: &Algorithm, n: usize) -> Result<()> {
    algorithm.takes_on(args.machine.shape(), n).map_err(|e| refused(algorithm, &e))?;
    match n > MOST_SHOWN {
        true => Err(Failure::Input(format!("{n} elements: a run that is shown has {MOST_SHOWN} at most"))),
        false => Ok(()),
    }
}

fn page(args: &PageArgs) -> Result<()> {
    write_pages(args, pages(args, "index.html")?)
}

/// Writes the book into a folder: the pages of all algorithms, chapters, and contents that lead to them.
fn book(args: &PageArgs) -> Result<()> {
    let mut files = pages(args, "algorithms.html")?;
    let claims = upsweep_lab::claims::claims();
    let chapter = |chapter: &Chapter| (format!("{}.html", chapter.file), show::html::chapter(chapter, &claims));
    files.extend(CHAPTERS.iter().map(chapter));
    files.push(("index.html".to_owned(), show::html::contents("algorithms.html")));
    write_pages(args, files)
}

fn write_pages(args: &PageArgs, files: Vec<(String, String)>) -> Result<()> {
    output::write_folder("--out", &args.out, &files, show::html::MARK)?;
    print_lines(&[format!("{} pages in {}", files.len(), args.out.display())])
}

/// Returns file name and text of the page of each algorithm, of the page for two algorithms, and of the overview. The
/// overview comes last, so that every link in it has its target.
fn pages(args: &PageArgs, overview: &str) -> Result<Vec<(String, String)>> {
    let recordings = algorithms::ALGORITHMS.iter().map(|algorithm| {
        let (n, shape) = show::telling(algorithm);
        let shape = args.banks.map_or(shape, |banks| Shape { banks, ..shape });
        let (values, heads) = (sample::values::<i64>(args.seed, n), sample::heads(args.seed, n));
        record_values(algorithm, Operator::<i64>::sum(), shape, &values, &heads)
    });
    let recordings: Vec<Recording> = recordings.collect::<Result<_>>()?;
    let name = |place: Option<usize>| place.and_then(|place| recordings.get(place)).map(|other| other.algorithm.name);
    let page = |(place, recording): (usize, &Recording)| {
        let (previous, next) = (name(place.checked_sub(1)), name(Some(place + 1)));
        let links = show::html::Links { overview, previous, next };
        (format!("{}.html", recording.algorithm.name), show::html::page(recording, Some(&links)))
    };
    let mut files: Vec<_> = recordings.iter().enumerate().map(page).collect();
    files.push((BESIDE.to_owned(), beside(args, overview)?));
    files.push((overview.to_owned(), show::html::overview(&recordings)));
    Ok(files)
}

/// Returns the page that plays two algorithms side by side: the two that the book's first question is about.
fn beside(args: &PageArgs, overview: &str) -> Result<String> {
    let (values, heads) = (sample::values::<i64>(args.seed, 64), [false; 64]);
    let runs = ["kogge-stone", "blelloch"].map(|name| {
        let algorithm = algorithms::by_name(name).ok_or_else(|| Failure::Run(format!("there is no {name}")))?;
        let shape = Shape::from(args.banks.unwrap_or(Banks::Sixteen));
        record_values(algorithm, Operator::<i64>::sum(), shape, &values, &heads)
    });
    let [first, second] = runs;
    let links = show::html::Links { overview, previous: None, next: None };
    Ok(show::html::pair(&first?, &second?, Some(&links)))
}
