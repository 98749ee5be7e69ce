//! NVRTC: compilation of CUDA C++ to machine code.

use super::nvrtc_library::{Functions, Handle};
use super::search::{CHOSEN, Candidate, Environment, Searched, search};
use super::stitch::{self, KernelSource};
use std::ffi::{CStr, CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::sync::{Once, OnceLock};
use upsweep_core::error::{Error, Result};

/// Loaded library NVRTC, which is never unloaded.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    pub(crate) version: (u32, u32),
    /// Architectures that this NVRTC compiles for, as 10 * major + minor, in ascending order.
    architectures: Vec<u32>,
    functions: Functions,
}

impl Nvrtc {
    /// Loads NVRTC, once a process.
    pub(crate) fn load() -> Result<&'static Self> {
        let Searched { found, tried } = Self::searched();
        found.as_ref().ok_or_else(|| Error::Compile { options: Vec::new(), log: missing(tried) })
    }

    /// Begins to load NVRTC, once a process, on a thread of its own. Loading takes 10 ms. A first kernel waits for it,
    /// even one from the disk cache, whose name contains NVRTC's version. Starting CUDA meanwhile takes longer.
    pub(crate) fn load_ahead() {
        static BEGUN: Once = Once::new();
        BEGUN.call_once(|| {
            let thread = std::thread::Builder::new().name("upsweep-nvrtc".to_owned());
            let _without_one_the_first_kernel_does = thread.spawn(|| Self::searched().found.is_some());
        });
    }

    fn searched() -> &'static Searched<Self> {
        static SEARCHED: OnceLock<Searched<Nvrtc>> = OnceLock::new();
        SEARCHED.get_or_init(|| {
            let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
            let program = std::env::current_exe().ok();
            let environment = Environment { variable: &variable, program, root: Path::new("/") };
            search(&environment.places(), |candidate| Self::of(candidate, Functions::open(candidate)?).map_err(Some))
        })
    }

    #[cfg_attr(not(target_os = "linux"), allow(unused_variables, reason = "Windows looks beside a library by itself"))]
    fn of(candidate: &Candidate, functions: Functions) -> std::result::Result<Self, String> {
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: `major` and `minor` are valid for writing.
        functions.check(unsafe { (functions.version)(&mut major, &mut minor) })?;
        // SAFETY: `count` is valid for writing.
        functions.check(unsafe { (functions.number_of_architectures)(&mut count) })?;
        let mut architectures = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: `architectures` has room for `count` numbers, which is how many NVRTC said that it writes.
        functions.check(unsafe { (functions.architectures)(architectures.as_mut_ptr()) })?;
        let unsigned = |x: c_int| u32::try_from(x).unwrap_or(0);
        let mut architectures: Vec<u32> = architectures.into_iter().map(unsigned).collect();
        architectures.sort_unstable();
        let version = (unsigned(major), unsigned(minor));
        // The library of built-in functions stays loaded, as NVRTC does.
        #[cfg(target_os = "linux")]
        std::mem::forget(Functions::load_builtins(candidate, version));
        Ok(Self { version, architectures, functions })
    }

    /// Returns the architecture to compile for, so that the code runs on a device of the compute capability
    /// `capability`.
    pub(crate) fn architecture(&self, capability: (u32, u32)) -> Result<String> {
        architecture(&self.architectures, capability).ok_or_else(|| {
            let (major, minor) = capability;
            let known = &self.architectures;
            let log = format!(
                "this NVRTC compiles for the architectures {known:?}, all newer than the device's {major}{minor}: \
                 install the NVRTC of an older CUDA"
            );
            Error::Compile { options: Vec::new(), log }
        })
    }
}

/// Returns the error message for the case that NVRTC is in none of the places `tried`.
fn missing(tried: &[String]) -> String {
    let tried = tried.join("; ");
    if std::env::var_os(CHOSEN).is_some_and(|file| !file.is_empty()) {
        return format!(
            "NVRTC, the library that compiles CUDA kernels, is not what the environment variable {CHOSEN} names: name its file \
             (libnvrtc.so.13), or unset the variable to have it looked for. Tried: {tried}"
        );
    }
    format!(
        "NVRTC, the library that compiles CUDA kernels, is not installed: the CUDA toolkit brings it (12 or newer), and so does \
         the package nvidia-cuda-nvrtc of PyPI, or cuda-nvrtc of conda-forge. Where it is elsewhere, name its file in the \
         environment variable {CHOSEN}. Tried: {tried}"
    )
}

/// Returns NVRTC's version, or the message that says why it was not found; and a line for each place where it was
/// looked for.
pub(crate) fn nvrtc_survey() -> (std::result::Result<(u32, u32), String>, &'static [String]) {
    let Searched { found, tried } = Nvrtc::searched();
    (found.as_ref().map(|nvrtc| nvrtc.version).ok_or_else(|| missing(tried)), tried)
}

/// Returns the architecture to compile for on a device of compute capability (`major`, `minor`). If it is among the
/// `known` ones, it is the device's own, and NVRTC makes machine code. Else it is the newest known one that is older
/// than the device: NVRTC makes PTX, which the driver compiles.
fn architecture(known: &[u32], (major, minor): (u32, u32)) -> Option<String> {
    let own = 10 * major + minor;
    if known.contains(&own) {
        return Some(format!("sm_{own}"));
    }
    known.iter().filter(|&&known| known < own).max().map(|newest| format!("compute_{newest}"))
}

/// Returns the options of every compilation. They exclude fused multiply-add and fast math, so that the CPU computes
/// the same bits. With line numbers, profilers and checkers name the line of a kernel file; the machine code is the
/// same without.
pub(crate) fn options(architecture: &str) -> Vec<String> {
    let fixed =
        ["--std=c++20", "--fmad=false", "--device-int128", "-default-device", "--dopt=on", "--generate-line-info"];
    let mut options = vec![format!("--gpu-architecture={architecture}")];
    options.extend(fixed.map(str::to_owned));
    options
}

/// Compiles a kernel for `architecture` (`sm_90`, or `compute_90` for PTX). This needs NVRTC and no GPU.
///
/// # Errors
/// [`Error::Compile`] with NVRTC's log, or with a message about what is missing.
pub fn compile_for(source: &KernelSource, architecture: &str) -> Result<Vec<u8>> {
    let options = options(architecture);
    match stitch::stitch(source) {
        Ok(text) => compile(&text, &options),
        Err(log) => Err(Error::Compile { options, log }),
    }
}

/// Compiles a kernel's whole text: to a cubin (machine code) for an architecture `sm_..`, to PTX for `compute_..`.
pub(crate) fn compile(text: &str, options: &[String]) -> Result<Vec<u8>> {
    let functions = &Nvrtc::load()?.functions;
    let failed = |log: String| Error::Compile { options: options.to_vec(), log };
    let c_string = |text: &str| CString::new(text).map_err(|_| failed("the source has a NUL character".to_owned()));
    let text = c_string(text)?;
    let c_options = options.iter().map(|option| c_string(option)).collect::<Result<Vec<_>>>()?;
    let pointers: Vec<_> = c_options.iter().map(|option| option.as_ptr()).collect();
    let count = c_int::try_from(pointers.len()).map_err(|_| failed("too many options".to_owned()))?;
    let program = Program::new(functions, &text).map_err(failed)?;
    // SAFETY: the program is valid, and `pointers` points to `count` C strings that outlive the call.
    let compiled = functions.check(unsafe { (functions.compile)(program.handle, count, pointers.as_ptr()) });
    let is_ptx = options.iter().any(|option| option.starts_with("--gpu-architecture=compute_"));
    let image = compiled.and_then(|()| program.image(is_ptx));
    image.map_err(|error| failed(format!("{error}\n{}", program.log())))
}

struct Program<'a> {
    functions: &'a Functions,
    handle: Handle,
}

impl<'a> Program<'a> {
    fn new(functions: &'a Functions, text: &CStr) -> std::result::Result<Self, String> {
        let (mut handle, none) = (std::ptr::null_mut(), std::ptr::null());
        // SAFETY: `handle` is valid for writing, both strings are C strings, and there are no headers.
        let made = unsafe { (functions.create)(&mut handle, text.as_ptr(), c"upsweep.cu".as_ptr(), 0, none, none) };
        functions.check(made)?;
        Ok(Self { functions, handle })
    }

    /// Returns the machine code, or the PTX with the final NUL that the driver requires.
    fn image(&self, is_ptx: bool) -> std::result::Result<Vec<u8>, String> {
        let Functions { ptx_size, ptx, cubin_size, cubin, .. } = self.functions;
        if is_ptx { self.bytes(*ptx_size, *ptx) } else { self.bytes(*cubin_size, *cubin) }
    }

    /// Returns the bytes that NVRTC's function `get` copies. NVRTC's function `size` stores their number.
    fn bytes(
        &self,
        size: unsafe extern "C" fn(Handle, *mut usize) -> c_int,
        get: unsafe extern "C" fn(Handle, *mut c_char) -> c_int,
    ) -> std::result::Result<Vec<u8>, String> {
        let mut len = 0;
        // SAFETY: the program is valid and `len` valid for writing.
        self.functions.check(unsafe { size(self.handle, &mut len) })?;
        let mut bytes = vec![0u8; len];
        // SAFETY: the program is valid and `bytes` has the size that NVRTC asked for.
        self.functions.check(unsafe { get(self.handle, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }

    fn log(&self) -> String {
        let mut log = self.bytes(self.functions.log_size, self.functions.log).unwrap_or_default();
        log.truncate(log.iter().position(|&byte| byte == 0).unwrap_or(log.len()));
        String::from_utf8_lossy(&log).trim_end().to_owned()
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        // SAFETY: the program is valid and not used again. A failure to free it has no remedy.
        let _no_remedy = unsafe { (self.functions.destroy)(&mut self.handle) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(text: &str, architecture: &str) -> Result<Vec<u8>> {
        compile(text, &options(architecture))
    }

    #[test]
    fn a_device_gets_its_own_architecture_or_the_newest_before_it() {
        let known = [75, 80, 86, 90, 100];
        assert_eq!(architecture(&known, (9, 0)).as_deref(), Some("sm_90"));
        assert_eq!(architecture(&known, (10, 0)).as_deref(), Some("sm_100"));
        assert_eq!(architecture(&known, (8, 9)).as_deref(), Some("compute_86"));
        assert_eq!(architecture(&known, (13, 7)).as_deref(), Some("compute_100"));
        assert_eq!(architecture(&known, (7, 0)), None);
        assert_eq!(architecture(&[], (9, 0)), None);
    }

    #[test]
    #[ignore = "needs NVRTC"]
    fn every_option_is_accepted_and_needed() {
        let text = "constexpr auto sum(auto... x) { return (x + ...); }\n\
                    extern \"C\" __global__ void kernel(unsigned __int128* x) { *x += sum(1, 2); }";
        let cubin = image(text, "sm_90").unwrap();
        assert_eq!(&cubin[..4], b"\x7fELF");
        let ptx = image(text, "compute_90").unwrap();
        assert_eq!(ptx.last(), Some(&0));
        assert!(String::from_utf8_lossy(&ptx).contains(".target sm_90"));
    }

    #[test]
    #[ignore = "needs NVRTC"]
    fn multiplication_and_addition_are_not_fused() {
        let text = "extern \"C\" __global__ void kernel(float* x) { x[0] = x[1] * x[2] + x[3]; }";
        let ptx = String::from_utf8_lossy(&image(text, "compute_90").unwrap()).into_owned();
        assert!(ptx.contains("mul.rn.f32") && !ptx.contains("fma"), "{ptx}");
    }

    #[test]
    #[ignore = "needs NVRTC"]
    fn an_error_has_the_options_and_the_log() {
        let Err(Error::Compile { options, log }) = image("#line 12 \"warp/scan.cuh\"\nnonsense;", "sm_90") else {
            panic!("nonsense compiles")
        };
        assert!(options.contains(&"--gpu-architecture=sm_90".to_owned()));
        assert!(log.contains("warp/scan.cuh(12)") && log.contains("nonsense"), "{log}");
        assert!(matches!(image("a\0b", "sm_90"), Err(Error::Compile { .. })));
        assert!(matches!(image("", "sm_1"), Err(Error::Compile { .. })));
    }

    /// Compiles a kernel, and prints the place where NVRTC was found. Does nothing unless
    /// [`it_is_found_where_people_have_it`] starts it.
    #[test]
    #[cfg(target_os = "linux")]
    #[ignore = "needs NVRTC"]
    fn child_process_that_compiles() {
        if let Some(file) = std::env::var_os("UPSWEEP_TEST_NVRTC_LOADED") {
            // As if another library of the process had loaded NVRTC.
            // SAFETY: the file is NVRTC's, whose initialisers may run.
            std::mem::forget(unsafe { libloading::Library::new(file) }.unwrap());
        }
        if std::env::var_os("UPSWEEP_TEST_NVRTC").is_some() {
            // Also uses the library of built-in functions that lies beside NVRTC.
            let text = "extern \"C\" __global__ void kernel(float* x) { x[0] = sinf(x[1]); }";
            let cubin = image(text, "sm_90").unwrap();
            println!("{} bytes, {}", cubin.len(), Nvrtc::searched().tried.join("; "));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    #[ignore = "needs NVRTC"]
    fn it_is_found_where_people_have_it() {
        Nvrtc::load().unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let file = maps.split_whitespace().find(|word| word.contains("/libnvrtc.so")).unwrap();
        let real = Path::new(file).parent().unwrap();
        let root = std::env::temp_dir().join(format!("upsweep-nvrtc-{}-real", std::process::id()));
        let place = |folder: &str| {
            let folder = root.join(folder);
            std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(real, &folder).unwrap();
            folder
        };
        place("venv/lib/python3.12/site-packages/nvidia/cu13/lib");
        place("conda/lib");
        place("toolkit/targets/x86_64-linux/lib");
        let name = Path::new(file).file_name().unwrap();
        let run = |variable: &str, value: PathBuf| {
            let mut child = std::process::Command::new(std::env::current_exe().unwrap());
            for name in ["LD_LIBRARY_PATH", CHOSEN, "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME"] {
                child.env_remove(name);
            }
            child.args(["--exact", "compile::nvrtc::tests::child_process_that_compiles"]);
            child.args(["--include-ignored", "--nocapture"]).env("UPSWEEP_TEST_NVRTC", "1").env(variable, value);
            let told = String::from_utf8(child.output().unwrap().stdout).unwrap();
            told.lines().find(|line| line.contains(" bytes, ")).map(str::to_owned)
        };
        for (variable, value, taken) in [
            (CHOSEN, real.join(name), "$UPSWEEP_NVRTC: "),
            ("UPSWEEP_TEST_NVRTC_LOADED", real.join(name), "the process: "),
            ("VIRTUAL_ENV", root.join("venv"), "$VIRTUAL_ENV ("),
            ("CONDA_PREFIX", root.join("conda"), "$CONDA_PREFIX ("),
            ("CUDA_HOME", root.join("toolkit"), "$CUDA_HOME ("),
            ("LD_LIBRARY_PATH", real.to_owned(), "the system's loader"),
        ] {
            let told = run(variable, value).unwrap_or_default();
            let last = told.rsplit("; ").next().unwrap();
            assert!(last.contains(taken) && last.ends_with(", taken"), "{variable}: {told}");
        }
        // A file that is chosen and is not NVRTC is an error, though there is another NVRTC.
        assert_eq!(run(CHOSEN, root.join("venv/lib/python3.12")), None);
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_missing_file_is_named_without_nvrtc() {
        let source = KernelSource { root: "missing.cuh", prelude: String::new(), entry: "kernel" };
        let Err(Error::Compile { options, log }) = compile_for(&source, "sm_90") else {
            panic!("there is no such file")
        };
        assert!(options.contains(&"--gpu-architecture=sm_90".to_owned()));
        assert!(log.contains("\"missing.cuh\""), "{log}");
    }
}
