//! Helpers of the command line's tests: a folder, a run of the program, .npy files.

#![allow(dead_code, unused_macros, unused_imports, reason = "each test uses a part of it")]

mod samples;

pub(crate) use samples::{Random, TYPES, data};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Folder for the files of one test.
pub(crate) struct Folder(tempfile::TempDir);

/// Result of a run.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), bytes).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Names of the files in the folder, hidden ones too.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Command that runs the program in this folder.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_upsweep"));
        command.args(args).current_dir(self.0.path());
        command
    }

    /// Runs the program in this folder.
    pub(crate) fn run(&self, args: &[&str]) -> Done {
        self.run_with(args, b"")
    }

    /// Runs the program in this folder on so many threads.
    pub(crate) fn run_on(&self, threads: usize, args: &[&str]) -> Done {
        let mut command = self.command(args);
        let output = command.env("RAYON_NUM_THREADS", threads.to_string()).stdin(Stdio::null()).output().unwrap();
        Done { code: output.status.code(), stdout: output.stdout, stderr: String::from_utf8(output.stderr).unwrap() }
    }

    /// Runs the program in this folder with `input` on standard input, a pipe. What fits the pipe is there before the program starts,
    /// so that it never waits for more.
    pub(crate) fn run_with(&self, args: &[&str], input: &[u8]) -> Done {
        const FITS: usize = 1 << 15;
        let (reader, writer) = std::io::pipe().unwrap();
        let mut command = self.command(args);
        let (input, fits) = (input.to_vec(), input.len() <= FITS);
        let feed = move || {
            let mut writer = writer;
            // A program that finds an error reads no further.
            let _ = writer.write_all(&input);
        };
        let mut feeder = None;
        if fits {
            feed()
        } else {
            feeder = Some(std::thread::spawn(feed))
        }
        let child = command.stdin(reader).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The command has a copy of the pipe's end, which would keep the feeder waiting.
        drop(command);
        let output = child.wait_with_output().unwrap();
        feeder.into_iter().for_each(|feeder| feeder.join().unwrap());
        Done { code: output.status.code(), stdout: output.stdout, stderr: String::from_utf8(output.stderr).unwrap() }
    }

    /// Output of a run that must succeed.
    #[track_caller]
    pub(crate) fn prints(&self, args: &[&str]) -> String {
        self.run(args).good()
    }

    /// Checks that a run fails with this code, one line on standard error that contains each of `words`, nothing on
    /// standard output, and no new file.
    #[track_caller]
    pub(crate) fn fails(&self, args: &[&str], input: &[u8], code: i32, words: &[&str]) {
        let before = self.names();
        let done = self.run_with(args, input);
        assert_eq!(done.code, Some(code), "{args:?}: {}", done.stderr);
        assert_eq!(done.stderr.trim_end().lines().count(), 1, "{args:?}: {}", done.stderr);
        assert!(done.stderr.starts_with("upsweep: "), "{args:?}: {}", done.stderr);
        for word in words {
            assert!(done.stderr.contains(word), "{args:?}: no {word:?} in {}", done.stderr);
        }
        assert!(done.stdout.is_empty(), "{args:?} printed something");
        assert_eq!(self.names(), before, "{args:?} left a file");
    }
}

impl Done {
    /// Output of the run, which must have succeeded without a word on standard error.
    #[track_caller]
    pub(crate) fn good(self) -> String {
        assert_eq!((self.code, &*self.stderr), (Some(0), ""));
        String::from_utf8(self.stdout).unwrap()
    }

    #[track_caller]
    pub(crate) fn good_bytes(self) -> Vec<u8> {
        assert_eq!((self.code, &*self.stderr), (Some(0), ""));
        self.stdout
    }
}

/// Standard output and error of any run on a terminal, with the line breaks of a file.
#[cfg(target_os = "linux")]
pub(crate) fn on_terminal(f: &Folder, args: &[&str]) -> String {
    use std::io::Read;
    let pty = nix::pty::openpty(None, None).unwrap();
    let (mut shown, to) = (std::fs::File::from(pty.master), std::fs::File::from(pty.slave));
    let mut command = f.command(args);
    command.stdin(Stdio::null()).stderr(to.try_clone().unwrap()).stdout(to);
    let mut child = command.spawn().unwrap();
    // The command has copies of the terminal's descriptors.
    drop(command);
    let reader = std::thread::spawn(move || {
        let mut all = vec![];
        // The end of a terminal is an error.
        let _ = shown.read_to_end(&mut all);
        all
    });
    child.wait().unwrap();
    String::from_utf8(reader.join().unwrap()).unwrap().replace("\r\n", "\n")
}

/// Numbers from 0 on, one per line.
pub(crate) fn numbers(n: usize) -> String {
    (0..n).map(|k| format!("{k}\n")).collect()
}

/// A .npy file of version 1, whose header need not be true.
pub(crate) fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    npy_dictionary(1, &format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"), data)
}

/// A .npy file of a version with any header.
pub(crate) fn npy_dictionary(version: u8, dictionary: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let size = dictionary.len() as u32;
    bytes.extend(&size.to_le_bytes()[..if version == 1 { 2 } else { 4 }]);
    bytes.extend(dictionary.bytes());
    bytes.extend(data);
    bytes
}

/// Data of a .npy file.
pub(crate) fn npy_data(bytes: &[u8]) -> &[u8] {
    let size = match bytes[6] {
        1 => 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]])),
        _ => 12 + u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize,
    };
    &bytes[size..]
}

/// Bytes of values in the order of .npy and raw files.
macro_rules! bytes_of {
    ($t:ty: $($value:expr),* $(,)?) => {{
        let values: &[$t] = &[$($value),*];
        values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()
    }};
}
pub(crate) use bytes_of;
