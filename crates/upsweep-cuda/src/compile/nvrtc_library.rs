//! NVRTC's functions, in a library that is loaded at run time.
//!
//! Why this is not cudarc's binding: that one looks for the library only under bare names. It also declares NVRTC's
//! results as an enum, while a newer NVRTC may return numbers that are not in the enum.

use super::search::Candidate;
use libloading::Library;
use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_void};
#[cfg(target_os = "linux")]
use std::path::PathBuf;

/// Handle of an NVRTC program: a text that is compiled.
pub(super) type Handle = *mut c_void;

macro_rules! functions {
    ($($field:ident $name:literal: fn($($argument:ty),*) -> $result:ty;)*) => {
        /// NVRTC's functions that upsweep calls. Those that return a code return 0 on success.
        #[derive(Debug)]
        pub(super) struct Functions {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> $result,)*
            /// Library that the functions are in. It stays loaded as long as this struct lives.
            _library: Library,
        }

        impl Functions {
            /// Looks all functions up in `library`.
            ///
            /// # Errors
            /// The name of a function that the library lacks.
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
    /// Opens NVRTC's library and looks its functions up.
    ///
    /// # Errors
    /// `None` if there is no such library, else the reason why it cannot be used.
    pub(super) fn open(candidate: &Candidate) -> Result<Self, Option<String>> {
        let library = match candidate {
            Candidate::Loaded(name) => already_loaded(name).ok_or(None)?,
            Candidate::File(file) => {
                // SAFETY: loading NVRTC runs its initialisers, which is what it is there for.
                unsafe { Library::new(file) }.map_err(|error| {
                    // The source of libloading's error is the message of the system's loader.
                    let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                    // The loader's message if it finds no file of this name: then there is nothing to report.
                    let unknown = format!("{}: cannot open shared object file", file.display());
                    (file.is_absolute() || !reason.contains(&unknown)).then_some(reason)
                })?
            }
        };
        Self::of(library).map_err(|name| Some(format!("has no function {name}: it is older than CUDA 12")))
    }

    /// Loads NVRTC's library of built-in functions, of the version (`major`, `minor`), if it lies beside NVRTC. NVRTC
    /// itself asks the system's loader for it by its name alone. If it is found in neither way, a compilation that
    /// needs it reports this.
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
            // SAFETY: loading the library of built-in functions runs its initialisers, as NVRTC would.
            unsafe { Library::new(folder.join(&name)) }.ok()
        })
    }

    /// Checks the result of a function of NVRTC.
    ///
    /// # Errors
    /// NVRTC's message for a result that is not 0.
    pub(super) fn check(&self, result: c_int) -> Result<(), String> {
        if result == 0 {
            return Ok(());
        }
        // SAFETY: NVRTC returns a constant string for every number.
        let words = unsafe { CStr::from_ptr((self.error_string)(result)) };
        Err(words.to_string_lossy().into_owned())
    }
}

/// Returns the file of a library that is loaded in the process and whose name begins with `name`.
#[cfg(target_os = "linux")]
fn mapped(name: &str) -> Option<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let files = maps.lines().filter_map(|line| Some(PathBuf::from(line.get(line.find('/')?..)?)));
    let is_named = |file: &PathBuf| file.file_name().is_some_and(|own| own.to_string_lossy().starts_with(name));
    files.into_iter().find(is_named)
}

/// Returns the library of this name, if the process has loaded it.
fn already_loaded(name: &str) -> Option<Library> {
    #[cfg(target_os = "linux")]
    {
        use libloading::os::unix;
        // Flag with which `dlopen` loads nothing and only finds loaded libraries; the value is that of Linux's C
        // libraries.
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
