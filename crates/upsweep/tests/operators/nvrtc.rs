//! CUDA C++ of everything that the macros accept: NVRTC compiles it for the oldest and the newest architectures. The
//! test needs NVRTC and no GPU.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

#[test]
#[ignore = "needs NVRTC: on the loader's path, or its file's path in UPSWEEP_NVRTC"]
fn every_case_compiles() {
    let text = crate::cases::kernels::program();
    for architecture in ["sm_75", "sm_80", "sm_90", "sm_100"] {
        let log = compile(&text, architecture);
        assert!(log.is_empty(), "{architecture}: {log}");
    }
}

/// Returns NVRTC's log: empty when it compiles without a warning.
fn compile(text: &str, architecture: &str) -> String {
    let path = std::env::var("UPSWEEP_NVRTC").unwrap_or_else(|_| "libnvrtc.so.13".to_owned());
    let text = CString::new(text).expect("no zeros");
    let options: Vec<CString> = [
        &format!("--gpu-architecture={architecture}"),
        "--std=c++20",
        "--fmad=false",
        "-default-device",
        "--device-int128",
    ]
    .iter()
    .map(|&option| CString::new(option).expect("no zeros"))
    .collect();
    let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    type Program = *mut c_void;
    type Create = unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int;
    type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
    type LogSize = unsafe extern "C" fn(Program, *mut usize) -> c_int;
    type Log = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
    // SAFETY: the signatures are NVRTC's, every pointer is valid for the call, and the log has the size asked for.
    unsafe {
        let nvrtc = libloading::Library::new(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let create: libloading::Symbol<'_, Create> = nvrtc.get(b"nvrtcCreateProgram").expect("NVRTC has it");
        let compile: libloading::Symbol<'_, Compile> = nvrtc.get(b"nvrtcCompileProgram").expect("NVRTC has it");
        let log_size: libloading::Symbol<'_, LogSize> = nvrtc.get(b"nvrtcGetProgramLogSize").expect("NVRTC has it");
        let get_log: libloading::Symbol<'_, Log> = nvrtc.get(b"nvrtcGetProgramLog").expect("NVRTC has it");
        let mut program = std::ptr::null_mut();
        let created = create(&mut program, text.as_ptr(), c"cases.cu".as_ptr(), 0, std::ptr::null(), std::ptr::null());
        assert_eq!(created, 0);
        let status = compile(program, options.len() as c_int, options.as_ptr());
        let mut size = 0;
        assert_eq!(log_size(program, &mut size), 0);
        let mut log = vec![0u8; size.max(1)];
        assert_eq!(get_log(program, log.as_mut_ptr().cast()), 0);
        let log = CStr::from_bytes_until_nul(&log).expect("the log ends").to_string_lossy().into_owned();
        if status == 0 { log } else { format!("error {status}: {log}") }
    }
}
