//! CUDA C++ of every case, compiled for the host by a C++ compiler: it computes the same bits as the Rust.
//!
//! This finds most differences between Rust and C++ without a GPU. Operations that C++ has no name for (the PTX
//! instructions and CUDA's intrinsic functions) are replaced by definitions in `host_cxx.h`; `bits.rs` checks the real
//! ones on a GPU.

use crate::cases::compare::{self, Elsewhere, Memory};
use crate::cases::entries::Entries;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Number of inputs of each case.
const INPUTS: usize = 20_000;

/// Returns the C++ program of the cases.
fn program() -> String {
    let arith = include_str!("../../../upsweep-cuda/kernels/arith.cuh");
    let (before, after) = arith.split_once("// PTX: begin").expect("the mark is there");
    let (_, after) = after.split_once("// PTX: end").expect("the mark is there");
    let header = include_str!("host_cxx.h");
    let (top, ptx) = header.split_once("// PTX").expect("the mark is there");
    let Entries { source, text, .. } = Entries::all(loops);
    let definitions: Vec<&str> = source.text().lines().filter(|line| !line.contains("__INTADDR__")).collect();
    format!("{top}\n{before}\n{ptx}\n{after}\n{}\n{text}", definitions.join("\n"))
}

fn loops(name: &str, input: &str, output: &str, value: &str) -> String {
    format!(
        "extern \"C\" void {name}(const {input} *in, {output} *out, u64 n) {{\n  \
         for (u64 i = 0; i < n; ++i) out[i] = canonical({value});\n}}"
    )
}

/// Compiled program.
struct Library(libloading::Library);

impl Elsewhere for Library {
    fn place(&self) -> &'static str {
        "in C++"
    }

    unsafe fn run(&mut self, case: usize, inputs: Memory<*const c_void>, results: Memory<*mut c_void>, count: usize) {
        type Entry = unsafe extern "C" fn(*const c_void, *mut c_void, u64);
        // SAFETY: the library was made by this test; the entry has this signature but for the types behind the
        // pointers, and the caller gives it the memory that it reads and writes.
        unsafe {
            let entry: libloading::Symbol<'_, Entry> =
                self.0.get(format!("case_{case}").as_bytes()).expect("the entry is there");
            entry(inputs.start, results.start, count as u64);
        }
    }
}

#[test]
#[ignore = "needs a C++20 compiler with __int128 and _Float16: g++ 12 or later, or $CXX"]
fn the_same_bits_in_cpp() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let library = compile(&folder, &program());
    // SAFETY: the library was made by this test and has no initialisers.
    let library = unsafe { libloading::Library::new(library) }.expect("the library loads");
    compare::all(&mut Library(library), INPUTS);
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
