//! NVRTC's functions, in a library that is loaded.
//!
//! Why not cudarc's: it looks for the library under bare names alone, and takes results for an enum, which a newer NVRTC's are not.

use super::search::Candidate;
use libloading::Library;
use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_void};
#[cfg(target_os = "linux")]
use std::path::PathBuf;

/// A program, as NVRTC names it.
pub(super) type Handle = *mut c_void;

macro_rules! functions {
    ($($field:ident $name:literal: fn($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions that are called. Results are 0 where nothing is wrong.
        #[derive(Debug)]
        pub(super) struct Functions {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> $result,)*
            /// Unloaded with the functions.
            _library: Library,
        }

        impl Functions {
            /// # Errors
            /// The name of a function that the library has not.
            fn of(library: Library) -> Result<Self, &'static str> {
                // SAFETY: the library is NVRTC, whose functions of these names have these types.
                unsafe {
                    $(let $field = *library
                        .get::<unsafe extern "C" fn($($argument),*) -> $result>($name)
                        .map_err(|_| $name)?;)*
                    Ok(Self { $($field,)* _library: library })
                }
            }
        }
    };
}
functions! {
    version "nvrtcVersion": fn(*mut c_int, *mut c_int) -> c_int;
    number_of_architectures "nvrtcGetNumSupportedArchs": fn(*mut c_int) -> c_int;
    architectures "nvrtcGetSupportedArchs": fn(*mut c_int) -> c_int;
    error_string "nvrtcGetErrorString": fn(c_int) -> *const c_char;
    create "nvrtcCreateProgram": fn(*mut Handle, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char) -> c_int;
    compile "nvrtcCompileProgram": fn(Handle, c_int, *const *const c_char) -> c_int;
    destroy "nvrtcDestroyProgram": fn(*mut Handle) -> c_int;
    log_size "nvrtcGetProgramLogSize": fn(Handle, *mut usize) -> c_int;
    log "nvrtcGetProgramLog": fn(Handle, *mut c_char) -> c_int;
    ptx_size "nvrtcGetPTXSize": fn(Handle, *mut usize) -> c_int;
    ptx "nvrtcGetPTX": fn(Handle, *mut c_char) -> c_int;
    cubin_size "nvrtcGetCUBINSize": fn(Handle, *mut usize) -> c_int;
    cubin "nvrtcGetCUBIN": fn(Handle, *mut c_char) -> c_int;
}

impl Functions {
    /// Loads a library.
    ///
    /// # Errors
    /// None where it is not there, else why it is of no use.
    pub(super) fn open(candidate: &Candidate) -> Result<Self, Option<String>> {
        let library = match candidate {
            Candidate::Loaded(name) => already_loaded(name).ok_or(None)?,
            Candidate::File(file) => {
                // SAFETY: loading NVRTC runs its initialisers, which is what it is there for.
                unsafe { Library::new(file) }.map_err(|error| {
                    // The loader's own words.
                    let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                    // Of a name that the system's loader does not know.
                    let unknown = format!("{}: cannot open shared object file", file.display());
                    (file.is_absolute() || !reason.contains(&unknown)).then_some(reason)
                })?
            }
        };
        Self::of(library).map_err(|name| Some(format!("has no function {name}: it is older than CUDA 12")))
    }

    /// Loads the library of built-in functions of this version, if it lies beside NVRTC, which asks the system's loader for it by its name
    /// alone. Where it does not, a compilation that needs it says so.
    #[cfg(target_os = "linux")]
    pub(super) fn load_builtins(candidate: &Candidate, (major, minor): (u32, u32)) -> Option<Library> {
        let file = match candidate {
            Candidate::File(file) if file.is_absolute() => file.clone(),
            Candidate::File(name) => mapped(&name.to_string_lossy())?,
            Candidate::Loaded(name) => mapped(name)?,
        };
        let name = format!("libnvrtc-builtins.so.{major}.{minor}");
        let folders =
            [file.parent().map(PathBuf::from), file.canonicalize().ok().and_then(|file| Some(file.parent()?.into()))];
        folders.into_iter().flatten().find_map(|folder| {
            // SAFETY: loading it runs its initialisers, as NVRTC would.
            unsafe { Library::new(folder.join(&name)) }.ok()
        })
    }

    /// # Errors
    /// NVRTC's words for a result that is not 0.
    pub(super) fn check(&self, result: c_int) -> Result<(), String> {
        if result == 0 {
            return Ok(());
        }
        // SAFETY: NVRTC returns a constant string for every number.
        let words = unsafe { CStr::from_ptr((self.error_string)(result)) };
        Err(words.to_string_lossy().into_owned())
    }
}

/// The file of a library that the process has, whose name begins so.
#[cfg(target_os = "linux")]
fn mapped(name: &str) -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let files = maps.lines().filter_map(|line| Some(PathBuf::from(line.get(line.find('/')?..)?)));
    let is_named = |file: &PathBuf| file.file_name().is_some_and(|own| own.to_string_lossy().starts_with(name));
    files.into_iter().find(is_named)
}

/// A library of this name that the process has.
fn already_loaded(name: &str) -> Option<Library> {
    #[cfg(target_os = "linux")]
    {
        use libloading::os::unix;
        // Nothing is loaded; as the C libraries of Linux have it.
        const RTLD_NOLOAD: c_int = 4;
        // SAFETY: a library that is loaded already has run its initialisers.
        unsafe { unix::Library::open(Some(name), unix::RTLD_NOW | RTLD_NOLOAD) }.ok().map(Library::from)
    }
    #[cfg(windows)]
    {
        libloading::os::windows::Library::open_already_loaded(name).ok().map(Library::from)
    }
    #[cfg(not(any(target_os = "linux", windows)))]
    {
        let _ = name;
        None
    }
}
