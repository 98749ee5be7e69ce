//! Counts of the machine model, beside the hardware's counters.
//!
//! This program runs itself under `ncu`, once for each size. [`launch`] runs one algorithm after another. After each it
//! runs a scan of one element with the sequential kernel, which marks in `ncu`'s output where the next algorithm
//! begins.

use cudarc::driver::CudaContext;
use std::collections::HashMap;
use std::process::Command;
use upsweep_bench::{Outcome, cuda, head};
use upsweep_lab::algorithm::{Algorithm, Input, Setup};
use upsweep_lab::algorithms::{ALGORITHMS, by_name, with_second_forms};
use upsweep_lab::gpu::{Error, Gpu};
use upsweep_lab::machine::Banks;
use upsweep_lab::operator::Operator;

/// Argument with which this program runs itself under `ncu`.
pub(crate) const LAUNCH: &str = "launch";
/// Numbers of elements: 64, which the threads of one warp combine as a tree, and 512, as in `docs/seeds.md`.
const SIZES: [usize; 2] = [64, 512];
const MARKER: &str = "sequential";

/// Names of `ncu`'s counters: two of accesses to shared memory that a warp had to repeat, and two of all accesses of
/// warps to it.
const METRICS: [&str; 4] = [
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
];

struct Case {
    values: Vec<i32>,
    heads: Vec<bool>,
}

impl Case {
    fn of(n: usize) -> Self {
        let values = (0..n).map(|index| (index * 7919 % 100) as i32).collect();
        Self { values, heads: (0..n).map(|index| index % 37 == 0).collect() }
    }

    fn input(&self) -> Input<'_, i32> {
        Input { values: &self.values, heads: &self.heads }
    }
}

/// Launches the kernels of each algorithm that takes `n` elements, and prints the name of each algorithm that has a
/// kernel.
pub(crate) fn launch(n: &str) -> Outcome {
    let n: usize = n.parse()?;
    let gpu = Gpu::open(0)?;
    let (case, one) = (Case::of(n), Case::of(1));
    let operator = Operator::<i32>::sum();
    let marker = by_name(MARKER).ok_or("no marker")?;
    for algorithm in runs(n) {
        match gpu.run(algorithm, &operator, &case.input()) {
            Err(Error::NoKernel { .. }) => continue,
            found => drop(found?),
        }
        println!("{}", algorithm.name);
        gpu.run(marker, &operator, &one.input())?;
    }
    Ok(())
}

/// Returns the algorithms that take `n` elements, and their second forms, but not the marker: the sequential scan.
fn runs(n: usize) -> impl Iterator<Item = &'static Algorithm> {
    let takes = move |algorithm: &&Algorithm| algorithm.takes(n).is_ok() && algorithm.name != MARKER;
    with_second_forms(ALGORITHMS).into_iter().filter(takes)
}

/// Prints the record of both counts, as Markdown.
pub(crate) fn run() -> Outcome {
    let context = CudaContext::new(0)?;
    println!("# The machine model beside the hardware\n");
    for (key, value) in head(&cuda::machine(&context)?, &cuda::versions()) {
        println!("- {key}: {value}");
    }
    println!("- counters: {}\n", METRICS.join(", "));
    println!("{ABOUT}");
    println!("| algorithm | n | conflicts, model | conflicts, GPU | accesses, GPU |");
    println!("|---|---|---|---|---|");
    for n in SIZES {
        let counted = counters(n)?;
        for algorithm in runs(n) {
            let Some([loads, stores, reads, writes]) = counted.get(algorithm.name) else { continue };
            let conflicts = model(algorithm, n)?;
            let found = loads + stores;
            println!("| {} | {n} | {conflicts} | {found} = {loads} + {stores} | {reads} + {writes} |", algorithm.name,);
        }
    }
    Ok(())
}

/// Text printed before the table. Divergence is left out: short branches become predicated instructions, so the GPU's
/// counter of divergent branches depends on the compiler, not on the algorithm.
const ABOUT: &str = "\
Sums of integers, one block, 32 banks (no GPU that CUDA still knows has 16). A conflict is an access of a warp to shared
memory that had to be repeated, each time it was, loads and stores of the elements included. An access is an instruction
that was issued; also one all of whose threads are predicated off, so it may be more than the model's. The GPU's numbers
come as reads + writes.

The kernels of five algorithms do not access the words that the model's do: `fenwick` has its tree in global memory;
the threads of `chained` and `look-back` have 15 elements each (an odd number, against conflicts), the model's 4; `recursive`
takes a block as large as the array, the model's has 512 elements; and of `segmented-pairs` the compiler leaves out reads of
values that a head cuts off.
";

/// Returns the number of conflicts that the machine model counts. It does not depend on the type of the elements.
fn model(algorithm: &Algorithm, n: usize) -> Outcome<u64> {
    let Case { values, heads } = Case::of(n);
    let values: Vec<_> = values.into_iter().map(i64::from).collect();
    let setup = Setup { operator: Operator::<i64>::sum(), shape: Banks::ThirtyTwo.into(), records: false };
    let outcome = algorithm.run(setup, &Input { values: &values, heads: &heads });
    Ok(outcome.map_err(|error| error.to_string())?.run.total().conflicts)
}

/// Returns the hardware's counters by the name of an algorithm, each added up over the algorithm's kernels.
fn counters(n: usize) -> Outcome<HashMap<String, [u64; METRICS.len()]>> {
    let log = std::env::temp_dir().join(format!("upsweep-lab-{}.csv", std::process::id()));
    let output = Command::new("ncu")
        .args(["--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "function"])
        .args(["--clock-control", "none", "--metrics", &METRICS.join(","), "--log-file"])
        .arg(&log)
        .arg(std::env::current_exe()?)
        .args([LAUNCH, &n.to_string()])
        .output()
        .map_err(|error| format!("ncu: {error}; it is Nsight Compute's, and must be on the path"))?;
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(&log);
    if !output.status.success() {
        return Err(format!("ncu: {}: {text}{}", output.status, String::from_utf8_lossy(&output.stderr)).into());
    }
    let mut names = std::str::from_utf8(&output.stdout)?.lines().map(str::to_owned);
    let mut sums = HashMap::new();
    let mut sum = [0; METRICS.len()];
    for (kernel, values) in launches(&text)? {
        if kernel == MARKER {
            sums.insert(names.next().ok_or("more markers than algorithms")?, std::mem::take(&mut sum));
        } else {
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
    }
    match names.next() {
        Some(name) => Err(format!("ncu saw no kernels of {name}: {text}").into()),
        None => Ok(sums),
    }
}

/// Parses `ncu`'s output: the name of each launched kernel, with its counters.
fn launches(text: &str) -> Outcome<Vec<(String, [u64; METRICS.len()])>> {
    // Lines before the table begin with `==`.
    let table: String = text.lines().filter(|line| line.starts_with('"')).flat_map(|line| [line, "\n"]).collect();
    let mut table = csv::Reader::from_reader(table.as_bytes());
    let head = table.headers()?.clone();
    let column = |name: &str| head.iter().position(|known| known == name).ok_or(format!("ncu has no column {name}"));
    let kernel = column("Kernel Name")?;
    let mut columns = [0; METRICS.len()];
    for (to, metric) in columns.iter_mut().zip(METRICS) {
        *to = column(metric)?;
    }
    let mut launches = Vec::new();
    // The first row has the units.
    for row in table.records().skip(1) {
        let row = row?;
        let mut values = [0; METRICS.len()];
        for (value, column) in values.iter_mut().zip(columns) {
            *value = row[column].replace(',', "").parse::<f64>()? as u64;
        }
        launches.push((row[kernel].to_owned(), values));
    }
    Ok(launches)
}
