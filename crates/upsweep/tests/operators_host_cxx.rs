//! The CUDA C++ of every case, compiled for the host by a C++ compiler, computes the same bits as the Rust.
//!
//! This finds most differences between the twins without a GPU. What C++ has no name for (the PTX instructions and
//! CUDA's intrinsic functions) is replaced by definitions in `operators_host_cxx.h`; `operators_bits.rs` checks the real
//! ones on a GPU.

#![allow(clippy::expect_used, clippy::panic, reason = "a test may")]

mod operators_cases;
use operators_cases::{Check, Sample, samples};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use upsweep::operator::{Function, Operator, Source};

/// How many inputs each case gets.
const INPUTS: usize = 20_000;

/// The C++ program that runs the cases.
#[derive(Default)]
struct Program {
    source: Source,
    entries: String,
    cases: usize,
}

impl Check for Program {
    fn operator<T: Sample, O: Operator<T>>(&mut self, _: &str, operator: O) {
        let (ty, function) = (T::cuda_type(&mut self.source), operator.cuda_function(&mut self.source));
        self.entry(&ty, &ty, &format!("{function}(in[2 * i], in[2 * i + 1])"));
    }
    fn function<I: Sample, R: Sample, F: Function<(I,), Output = R>>(&mut self, _: &str, function: F) {
        let (input, output) = (I::cuda_type(&mut self.source), R::cuda_type(&mut self.source));
        let function = function.cuda_function(&mut self.source);
        self.entry(&input, &output, &format!("{function}(in[i])"));
    }
}

impl Program {
    fn entry(&mut self, input: &str, output: &str, value: &str) {
        let _infallible = writeln!(
            self.entries,
            "extern \"C\" void case_{}(const {input} *in, {output} *out, u64 n) {{\n  \
             for (u64 i = 0; i < n; ++i) out[i] = canonical({value});\n}}",
            self.cases
        );
        self.cases += 1;
    }

    fn text(&self) -> String {
        let arith = include_str!("../kernels/arith.cuh");
        let (before, after) = arith.split_once("// PTX: begin").expect("the mark is there");
        let (_, after) = after.split_once("// PTX: end").expect("the mark is there");
        let header = include_str!("operators_host_cxx.h");
        let (top, ptx) = header.split_once("// PTX").expect("the mark is there");
        let definitions: Vec<&str> = self.source.text().lines().filter(|line| !line.contains("__INTADDR__")).collect();
        format!("{top}\n{before}\n{ptx}\n{after}\n{}\n{}", definitions.join("\n"), self.entries)
    }
}

/// Runs the cases in C++ and in Rust.
struct Compare {
    library: libloading::Library,
    case: usize,
    failures: Vec<String>,
}

impl Compare {
    fn run<I: Sample, R: Sample>(&mut self, name: &str, inputs: &[I], count: usize, expected: &dyn Fn(usize) -> R) {
        let mut results = vec![expected(0); count];
        let symbol = format!("case_{}", self.case);
        self.case += 1;
        // SAFETY: the library was made by this test; the entry has this signature, the types have the same layout
        // (asserted in the C++ text), and both arrays have as many elements as it reads and writes.
        unsafe {
            let entry: libloading::Symbol<'_, unsafe extern "C" fn(*const I, *mut R, u64)> =
                self.library.get(symbol.as_bytes()).expect("the entry is there");
            entry(inputs.as_ptr(), results.as_mut_ptr(), count as u64);
        }
        let per = inputs.len() / count;
        for (i, result) in results.iter().enumerate() {
            let expected = expected(i).canonical();
            if !expected.identical(result) {
                let given = &inputs[per * i..per * (i + 1)];
                self.failures.push(format!("{name}{given:?} = {expected:?} in Rust, {result:?} in C++"));
                return;
            }
        }
    }
}

impl Check for Compare {
    fn operator<T: Sample, O: Operator<T>>(&mut self, name: &str, operator: O) {
        let inputs: Vec<T> = samples(self.case as u64, 2 * INPUTS);
        self.run(name, &inputs, INPUTS, &|i| operator.combine(inputs[2 * i], inputs[2 * i + 1]));
    }
    fn function<I: Sample, R: Sample, F: Function<(I,), Output = R>>(&mut self, name: &str, function: F) {
        let inputs: Vec<I> = samples(self.case as u64, INPUTS);
        self.run(name, &inputs, INPUTS, &|i| function.call((inputs[i],)));
    }
}

#[test]
#[ignore = "needs a C++20 compiler with __int128 and _Float16: g++ 12 or later, or $CXX"]
fn the_same_bits_in_cpp() {
    let mut program = Program::default();
    operators_cases::all(&mut program);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let library = compile(&folder, &program.text());
    // SAFETY: the library was made by this test and has no initialisers.
    let library = unsafe { libloading::Library::new(library) }.expect("the library loads");
    let mut compare = Compare { library, case: 0, failures: Vec::new() };
    operators_cases::all(&mut compare);
    assert!(
        compare.failures.is_empty(),
        "{} of {}:\n{}",
        compare.failures.len(),
        compare.case,
        compare.failures.join("\n")
    );
}

fn compile(folder: &Path, text: &str) -> PathBuf {
    let (source, library) = (folder.join("cases.cpp"), folder.join("cases.so"));
    std::fs::write(&source, text).expect("the folder can be written");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    let output = Command::new(compiler)
        .args(["-std=gnu++20", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-w", "-o"])
        .args([&library, &source])
        .output()
        .expect("the compiler runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    library
}
