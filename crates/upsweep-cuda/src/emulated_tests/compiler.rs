//! Compilation and execution of the programs in which kernels run in the emulator, without a GPU.

use super::{KernelSource, around_prelude, program};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// Folder for emulated programs, which is removed when this is dropped, unless a test fails.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new() -> Self {
        static FOLDERS: AtomicU32 = AtomicU32::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("upsweep-emulator-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _gone = std::fs::remove_dir_all(&self.0);
        }
    }
}

pub(super) fn printed(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

/// Options of the host's compiler: uninitialised variables hold a pattern, the emulator is told of each memory access,
/// and an access to a misaligned vector is an illegal instruction.
const OPTIONS: [&str; 2] = [
    "-std=gnu++20 -O1 -w -fno-strict-aliasing -ffp-contract=off -ftrivial-auto-var-init=pattern",
    "-fsanitize=thread,alignment -fsanitize-undefined-trap-on-error -U_FORTIFY_SOURCE",
];

fn compile(name: &str, arguments: &[&str], from: &Path, to: &Path) {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "g++".to_owned());
    let output = Command::new(compiler).args(arguments).arg("-o").args([to, from]).output().unwrap();
    assert!(output.status.success(), "{name}: {}", printed(&output));
}

fn options() -> Vec<&'static str> {
    OPTIONS.iter().flat_map(|line| line.split(' ')).collect()
}

thread_local! {
    /// Folder of `first.h`, the text before the prelude of every kernel. The compiler reads it once for all programs,
    /// which saves a fifth of the time. The folder is kept while a test's thread lives.
    static FIRST_HEADER: Arc<Folder> = {
        static SHARED: Mutex<Weak<Folder>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap();
        shared.upgrade().unwrap_or_else(|| {
            let folder = Arc::new(Folder::new());
            let header = folder.0.join("first.h");
            let any = KernelSource { root: "memory/count.cuh", prelude: crate::variants::sample(), entry: "" };
            std::fs::write(&header, around_prelude(&any).0).unwrap();
            compile("the first file", &[&options()[..], &["-x", "c++-header"]].concat(), &header, &header.with_extension("h.gch"));
            *shared = Arc::downgrade(&folder);
            folder
        })
    };
}

/// Compiles the program of a kernel, and runs it on `cases` random inputs, with the seeds from 0 on. `constants`
/// replace those of the kernel; `name` stands in messages.
pub(super) fn run(name: &str, source: &KernelSource, constants: &[(&str, usize)], cases: u32) {
    let folder = Folder::new();
    let file = |extension: &str| folder.0.join("kernel").with_extension(extension);
    std::fs::write(file("cpp"), program(source, constants)).unwrap();
    let header = FIRST_HEADER.with(|folder| folder.0.join("first.h"));
    let header = ["-c", "-include", header.to_str().unwrap()];
    compile(name, &[&options()[..], &header].concat(), &file("cpp"), &file("o"));
    compile(name, &[], &file("o"), &file("out")); // linked without the sanitizer's library, which would look for races
    let output = Command::new(file("out")).args(["0", &cases.to_string()]).output().unwrap();
    let rerun = format!("To run a seed again: {} SEED 1", file("out").display());
    assert!(output.status.success(), "{name}: {}\n{}{rerun}", output.status, printed(&output));
}
