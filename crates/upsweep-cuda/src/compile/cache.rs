//! Disk cache of compiled kernels, so that only the first run on a machine compiles them.
//!
//! The cache is a convenience: if anything is wrong with its folder or its files, kernels are compiled instead, without
//! a message. It has a folder of its own, `upsweep`, in the folder of the user's caches or in `$UPSWEEP_CACHE_DIR`. In
//! that folder it touches only files that have the name of a kernel, or of one that is being written. A file's name is
//! a hash of everything that its content depends on. Its content is
//!
//! ```text
//! 8 bytes    MAGIC
//! 8 bytes    the image's length, little-endian
//! 16 bytes   the image's checksum: XXH3 of 128 bits, little-endian
//! ...        the image: a cubin, or PTX
//! ```
//!
//! **Ownership.** The content of a file runs on the GPU, and the checksum finds damage, not malice. So a file is read
//! only if it is a plain one (no link, no pipe), it and the folder are the user's, and nobody else may write to them;
//! and nothing is stored in another folder.
//!
//! Files appear by atomic rename, so that processes and threads that write the same kernel at once leave one whole
//! file. When the files together exceed a bound, the oldest ones are removed first.
//!
//! Why XXH3 of 128 bits from the crate `xxhash-rust`: a cryptographic hash would defend against a collision that
//! somebody made, and nobody but the user writes here. By chance, among a billion kernels, two names are equal with a
//! probability of 10^-21. The crate is pure Rust, maintained and has no dependencies, where SHA-256 brought eight
//! crates. Why no crate for the folder: it is one environment variable a platform.

use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

const MAGIC: &[u8; 8] = b"UPSWEEP2";
const HEADER: usize = 32;
const SUFFIX: &str = "kernel";
const UNFINISHED: &str = "tmp";
/// Largest number of bytes of all kernels in the cache: enough for thousands.
const LIMIT: u64 = 256 << 20;
/// Age from which on an unfinished file is taken for one whose process died while it wrote the file.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Disk cache: a folder of compiled kernels.
#[derive(Debug)]
pub(crate) struct DiskCache {
    folder: PathBuf,
    limit: u64,
    /// Identifier of the user who this process runs as, and who must own the files that are read.
    #[cfg(unix)]
    user: u32,
}

impl DiskCache {
    /// Returns the cache of this user: in `$UPSWEEP_CACHE_DIR`, else in the folder of the user's caches. None if there
    /// is no such folder, or if `$UPSWEEP_CACHE_DIR` is set and empty.
    pub(crate) fn of_user() -> Option<Self> {
        let folder = folder(|name| std::env::var_os(name).map(PathBuf::from))?;
        Some(Self::within(folder, LIMIT))
    }

    fn within(folder: PathBuf, limit: u64) -> Self {
        Self {
            folder,
            limit,
            #[cfg(unix)]
            user: rustix::process::geteuid().as_raw(),
        }
    }

    /// Returns the image (compiled kernel) stored under `name`, if there is one and it is whole.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut content = self.content(name).ok()?;
        let (magic, rest) = content.split_first_chunk::<8>()?;
        let (length, rest) = rest.split_first_chunk::<8>()?;
        let (checksum, image) = rest.split_first_chunk::<16>()?;
        let whole = magic == MAGIC
            && u64::try_from(image.len()).ok()? == u64::from_le_bytes(*length)
            && xxh3_128(image) == u128::from_le_bytes(*checksum);
        whole.then(|| content.split_off(HEADER))
    }

    /// Returns the content of the file of the kernel `name`, if the file and its folder are this user's and nobody else
    /// may write to them.
    fn content(&self, name: &str) -> std::io::Result<Vec<u8>> {
        let path = self.path(name);
        self.expect_own(&fs::metadata(&self.folder)?, Metadata::is_dir)?;
        // The file's metadata is checked before the file is opened, because opening a pipe waits for a writer. It is
        // checked again for the file that was opened, which may be another one by then.
        self.expect_own(&fs::symlink_metadata(&path)?, Metadata::is_file)?;
        let mut file = File::open(path)?;
        self.expect_own(&file.metadata()?, Metadata::is_file)?;
        let mut content = Vec::new();
        file.read_to_end(&mut content)?;
        Ok(content)
    }

    /// Checks that `metadata` is that of a file or a folder, as `is_kind` says, which is this user's and to which
    /// nobody else may write.
    ///
    /// # Errors
    /// The file is of another kind or another user's, or others may write to it.
    fn expect_own(&self, metadata: &Metadata, is_kind: fn(&Metadata) -> bool) -> std::io::Result<()> {
        #[cfg(unix)]
        let is_private = {
            use std::os::unix::fs::MetadataExt;
            metadata.uid() == self.user && metadata.mode() & 0o022 == 0
        };
        // On other systems the folder of a user's caches is private by inherited permissions.
        #[cfg(not(unix))]
        let is_private = true;
        if is_kind(metadata) && is_private { Ok(()) } else { Err(std::io::ErrorKind::PermissionDenied.into()) }
    }

    /// Stores the image (compiled kernel) `image` under `name`, and replaces an older file of this name.
    pub(crate) fn write(&self, name: &str, image: &[u8]) {
        if self.try_write(name, image).is_ok() {
            self.evict();
        }
    }

    fn try_write(&self, name: &str, image: &[u8]) -> std::io::Result<()> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        create_private_folder(&self.folder)?;
        self.expect_own(&fs::metadata(&self.folder)?, Metadata::is_dir)?;
        // Unique name: no two writers, whether threads or processes, share a temporary file.
        let nanoseconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.folder.join(format!("{}-{nanoseconds}-{count}.{UNFINISHED}", std::process::id()));
        let written = create_private_file(&unfinished).and_then(|mut file| {
            file.write_all(MAGIC)?;
            file.write_all(&(image.len() as u64).to_le_bytes())?;
            file.write_all(&xxh3_128(image).to_le_bytes())?;
            file.write_all(image)
        });
        let renamed = written.and_then(|()| fs::rename(&unfinished, self.path(name)));
        if renamed.is_err() {
            let _already_failed = fs::remove_file(&unfinished);
        }
        renamed
    }

    /// Removes the oldest kernels until the rest takes at most `limit` bytes. Also removes unfinished files of
    /// processes that have died.
    fn evict(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut kernels = Vec::new();
        for entry in entries.flatten() {
            let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else { continue };
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let name = entry.file_name();
            let Some((stem, extension)) = name.to_str().and_then(|name| name.rsplit_once('.')) else { continue };
            if extension == SUFFIX && is_name(stem) {
                kernels.push((modified, metadata.len(), path));
            } else if extension == UNFINISHED
                && is_unfinished(stem)
                && modified.elapsed().is_ok_and(|age| age > ABANDONED)
            {
                let _another_process_did = fs::remove_file(path);
            }
        }
        let mut total: u64 = kernels.iter().map(|(_, size, _)| size).sum();
        kernels.sort();
        for (_, size, path) in kernels {
            if total <= self.limit {
                break;
            }
            let _another_process_did = fs::remove_file(path);
            total -= size;
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name).with_extension(SUFFIX)
    }
}

/// Returns whether `stem` has the form of the names that [`name`] makes: 32 hexadecimal digits.
fn is_name(stem: &str) -> bool {
    stem.len() == 32 && stem.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns whether `stem` is the name of a file that is being written: three numbers with hyphens between them.
fn is_unfinished(stem: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    stem.split('-').count() == 3 && stem.split('-').all(is_number)
}

/// Returns the file name for content that depends on `parts`, in this order, and on upsweep's version: their hash.
pub(crate) fn name(parts: &[&str]) -> String {
    let mut hash = Xxh3::new();
    for part in [env!("CARGO_PKG_VERSION")].iter().chain(parts) {
        // The length before each part distinguishes the parts ("ab", "c") from ("a", "bc").
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    format!("{:032x}", hash.digest128())
}

/// Returns the folder of the cache. `variable` returns the value of an environment variable.
fn folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    // The XDG specification: a relative path is invalid and is ignored. It would depend on the working directory.
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    if variable("UPSWEEP_CACHE_DIR").is_some_and(|chosen| chosen.as_os_str().is_empty()) {
        return None;
    }
    let user = if let Some(chosen) = absolute("UPSWEEP_CACHE_DIR") {
        Some(chosen)
    } else if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        absolute("HOME").map(|home| home.join("Library/Caches"))
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
    };
    user.map(|user| user.join("upsweep"))
}

/// Creates a file that only its user may read and write, even if the umask leaves permissions to a group.
fn create_private_file(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Creates the folder of the cache, which only its user may use, because its content runs on the GPU.
fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
