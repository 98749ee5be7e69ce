//! From CUDA C++ to machine code: NVRTC.

use super::stitch::{self, KernelSource};
use crate::cuda::library;
use crate::error::{Error, Result};
use cudarc::nvrtc::result::{self, NvrtcError};
use cudarc::nvrtc::sys;
use std::ffi::CString;
use std::sync::{Once, OnceLock};

/// NVRTC, as far as the cache and the choice of an architecture need to know it.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    pub(crate) version: (u32, u32),
    /// The architectures it compiles for, as 10 * major + minor, ascending.
    architectures: Vec<u32>,
}

const FUNCTIONS: &[&str] = &[
    "nvrtcCompileProgram",
    "nvrtcCreateProgram",
    "nvrtcDestroyProgram",
    "nvrtcGetCUBIN",
    "nvrtcGetCUBINSize",
    "nvrtcGetNumSupportedArchs",
    "nvrtcGetPTX",
    "nvrtcGetPTXSize",
    "nvrtcGetProgramLog",
    "nvrtcGetProgramLogSize",
    "nvrtcGetSupportedArchs",
    "nvrtcVersion",
];

impl Nvrtc {
    /// Loads NVRTC, once a process.
    pub(crate) fn load() -> Result<&'static Self> {
        Self::loaded().map_err(|log| Error::Compile { options: Vec::new(), log })
    }

    /// Begins to load NVRTC, once a process, on a thread of its own. It takes 10 ms, and a first kernel waits for it, also one
    /// from the disk cache, whose name has the version in it. Starting CUDA meanwhile takes longer.
    pub(crate) fn load_ahead() {
        static BEGUN: Once = Once::new();
        BEGUN.call_once(|| {
            let thread = std::thread::Builder::new().name("upsweep-nvrtc".to_owned());
            let _without_one_the_first_kernel_does = thread.spawn(|| Self::loaded().is_ok());
        });
    }

    fn loaded() -> std::result::Result<&'static Self, String> {
        static LOADED: OnceLock<std::result::Result<Nvrtc, String>> = OnceLock::new();
        LOADED.get_or_init(Self::try_load).as_ref().map_err(String::clone)
    }

    fn try_load() -> std::result::Result<Self, String> {
        let bring = "the CUDA toolkit brings it, and so does the package nvidia-cuda-nvrtc of PyPI, or cuda-nvrtc of \
                     conda-forge";
        // SAFETY: loading NVRTC runs its initialisers, which is what it is there for.
        if !unsafe { sys::is_culib_present() } {
            let names = library::names("nvrtc");
            let path = if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" };
            return Err(format!(
                "NVRTC, the library that compiles CUDA kernels, is not installed: {bring}. None of {names} was found \
                 in the system's library folders or in those of the environment variable {path}"
            ));
        }
        // SAFETY: the library is present, so this does not panic.
        let library = unsafe { sys::culib() };
        for name in FUNCTIONS {
            // SAFETY: the symbol is only looked for, never called at this type.
            if unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_err() {
                return Err(format!("NVRTC is too old (it has no function {name}): install CUDA 12 or newer; {bring}"));
            }
        }
        let words = |error: NvrtcError| format!("NVRTC does not start: {error}");
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: the pointers are valid for writing.
        unsafe { sys::nvrtcVersion(&mut major, &mut minor) }.result().map_err(words)?;
        // SAFETY: the pointer is valid for writing.
        unsafe { sys::nvrtcGetNumSupportedArchs(&mut count) }.result().map_err(words)?;
        let mut architectures = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: there is room for as many numbers as NVRTC said.
        unsafe { sys::nvrtcGetSupportedArchs(architectures.as_mut_ptr()) }.result().map_err(words)?;
        let unsigned = |x: i32| u32::try_from(x).unwrap_or(0);
        let mut architectures: Vec<u32> = architectures.into_iter().map(unsigned).collect();
        architectures.sort_unstable();
        Ok(Self { version: (unsigned(major), unsigned(minor)), architectures })
    }

    /// What to compile for to run on a device of this compute capability.
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

/// NVRTC's version, or why there is none.
pub(crate) fn nvrtc_version() -> std::result::Result<(u32, u32), String> {
    Nvrtc::loaded().map(|nvrtc| nvrtc.version)
}

/// The device's own architecture, as machine code; where NVRTC does not know it, the newest one that it knows and the
/// device is newer than, as PTX for the driver to finish.
fn architecture(known: &[u32], (major, minor): (u32, u32)) -> Option<String> {
    let own = 10 * major + minor;
    if known.contains(&own) {
        return Some(format!("sm_{own}"));
    }
    known.iter().filter(|&&known| known < own).max().map(|newest| format!("compute_{newest}"))
}

/// The options of every compilation. No fused multiply-add and no fast math: the CPU computes the same bits. Line
/// numbers, so that profilers and checkers name the place in a kernel file; the code is the same without.
pub(crate) fn options(architecture: &str) -> Vec<String> {
    let fixed =
        ["--std=c++20", "--fmad=false", "--device-int128", "-default-device", "--dopt=on", "--generate-line-info"];
    let mut options = vec![format!("--gpu-architecture={architecture}")];
    options.extend(fixed.map(str::to_owned));
    options
}

/// Compiles a kernel for `architecture` (`sm_90`, or `compute_90` for PTX). It needs NVRTC and no GPU.
///
/// # Errors
/// [`Error::Compile`] with NVRTC's log, or with what is missing.
pub fn compile_for(source: &KernelSource, architecture: &str) -> Result<Vec<u8>> {
    let options = options(architecture);
    match stitch::stitch(source) {
        Ok(text) => compile(&text, &options),
        Err(log) => Err(Error::Compile { options, log }),
    }
}

/// Compiles a whole text: a cubin for an architecture `sm_..`, PTX for `compute_..`.
pub(crate) fn compile(text: &str, options: &[String]) -> Result<Vec<u8>> {
    Nvrtc::load()?;
    let failed = |log: String| Error::Compile { options: options.to_vec(), log };
    let c_string = |text: &str| CString::new(text).map_err(|_| failed("the source has a NUL character".to_owned()));
    let text = c_string(text)?;
    let c_options = options.iter().map(|option| c_string(option)).collect::<Result<Vec<_>>>()?;
    let pointers: Vec<_> = c_options.iter().map(|option| option.as_ptr()).collect();
    let count = i32::try_from(pointers.len()).map_err(|_| failed("too many options".to_owned()))?;
    let program = Program::new(&text).map_err(|error| failed(error.to_string()))?;
    // SAFETY: the program is valid, and `pointers` points to `count` C strings that outlive the call.
    let compiled = unsafe { sys::nvrtcCompileProgram(program.0, count, pointers.as_ptr()) }.result();
    let is_ptx = options.iter().any(|option| option.starts_with("--gpu-architecture=compute_"));
    let image = compiled.and_then(|()| program.image(is_ptx));
    image.map_err(|error| failed(format!("{error}\n{}", program.log())))
}

struct Program(sys::nvrtcProgram);

impl Program {
    fn new(text: &CString) -> std::result::Result<Self, NvrtcError> {
        result::create_program(text, Some(c"upsweep.cu")).map(Self)
    }

    /// The machine code, or the PTX with the NUL at its end that the driver asks for.
    fn image(&self, is_ptx: bool) -> std::result::Result<Vec<u8>, NvrtcError> {
        let mut size = 0;
        // SAFETY: the program is valid and `size` valid for writing.
        let asked = unsafe {
            if is_ptx { sys::nvrtcGetPTXSize(self.0, &mut size) } else { sys::nvrtcGetCUBINSize(self.0, &mut size) }
        };
        asked.result()?;
        let mut image = vec![0u8; size];
        let start = image.as_mut_ptr().cast();
        // SAFETY: the program is valid and `image` has the size that NVRTC asked for.
        let copied =
            unsafe { if is_ptx { sys::nvrtcGetPTX(self.0, start) } else { sys::nvrtcGetCUBIN(self.0, start) } };
        copied.result()?;
        Ok(image)
    }

    fn log(&self) -> String {
        // SAFETY: the program is valid.
        let Ok(log) = (unsafe { result::get_program_log(self.0) }) else { return String::new() };
        let bytes: Vec<u8> =
            log.into_iter().map(|c| u8::from_ne_bytes(c.to_ne_bytes())).take_while(|&byte| byte != 0).collect();
        String::from_utf8_lossy(&bytes).trim_end().to_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program is valid and not used again. A failure to free it has no remedy.
        let _ = unsafe { result::destroy_program(self.0) };
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
