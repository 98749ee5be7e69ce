//! Compiled kernels on disk, so that only the first run on a machine compiles them.
//!
//! The cache is a convenience: whatever is wrong with its folder or its files, kernels are compiled instead and
//! nothing is said. A file's name is a hash of everything that its content depends on. Its content is
//!
//! ```text
//! 8 bytes    MAGIC
//! 8 bytes    the image's length, little-endian
//! 32 bytes   the image's SHA-256
//! ...        the image: a cubin, or PTX
//! ```
//!
//! Files appear by atomic rename, so that processes and threads that write the same kernel at once leave one whole
//! file. When the files together exceed a bound, those written longest ago go first.
//!
//! Why SHA-256 from the crate `sha2`: the name must not collide and the checksum must notice any damage; it is pure
//! Rust (the fast blake3 builds C and assembly), widely used and maintained, and at 300 MB/s or more a kernel of a few
//! kilobytes costs microseconds. Why no crate for the folder: it is one environment variable a platform.

use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

const MAGIC: &[u8; 8] = b"UPSWEEP1";
const HEADER: usize = 48;
const SUFFIX: &str = "kernel";
const UNFINISHED: &str = "tmp";
/// The bound on the cache's size: thousands of kernels.
const LIMIT: u64 = 256 << 20;
/// A file that is being written for longer than this was left by a process that died.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder of compiled kernels.
#[derive(Debug)]
pub(crate) struct DiskCache {
    folder: PathBuf,
    limit: u64,
}

impl DiskCache {
    /// The cache of this user: in `$UPSWEEP_CACHE_DIR`, else in the user's cache folder. None where there is no such
    /// folder, and where `$UPSWEEP_CACHE_DIR` is empty.
    pub(crate) fn of_user() -> Option<Self> {
        let folder = folder(|name| std::env::var_os(name).map(PathBuf::from))?;
        Some(Self { folder, limit: LIMIT })
    }

    /// The image stored under `name`, if there is one and it is whole.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut content = fs::read(self.path(name)).ok()?;
        let (magic, rest) = content.split_first_chunk::<8>()?;
        let (length, rest) = rest.split_first_chunk::<8>()?;
        let (checksum, image) = rest.split_first_chunk::<32>()?;
        let whole = magic == MAGIC
            && u64::try_from(image.len()).ok()? == u64::from_le_bytes(*length)
            && Sha256::digest(image)[..] == checksum[..];
        whole.then(|| content.split_off(HEADER))
    }

    /// Stores `image` under `name`, in place of what is there.
    pub(crate) fn write(&self, name: &str, image: &[u8]) {
        if self.try_write(name, image).is_ok() {
            self.evict();
        }
    }

    fn try_write(&self, name: &str, image: &[u8]) -> std::io::Result<()> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        create_private_folder(&self.folder)?;
        // No two writers, whether threads or processes, share a temporary file.
        let nanoseconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.folder.join(format!("{}-{nanoseconds}-{count}.{UNFINISHED}", std::process::id()));
        let written = File::create_new(&unfinished).and_then(|mut file| {
            file.write_all(MAGIC)?;
            file.write_all(&(image.len() as u64).to_le_bytes())?;
            file.write_all(&Sha256::digest(image))?;
            file.write_all(image)
        });
        let renamed = written.and_then(|()| fs::rename(&unfinished, self.path(name)));
        if renamed.is_err() {
            let _already_failed = fs::remove_file(&unfinished);
        }
        renamed
    }

    /// Removes the files written longest ago until the rest is within the bound.
    fn evict(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let mut kernels = Vec::new();
        for entry in entries.flatten() {
            let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else { continue };
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let extension = path.extension().unwrap_or_default();
            if extension == SUFFIX {
                kernels.push((modified, metadata.len(), path));
            } else if extension == UNFINISHED && modified.elapsed().is_ok_and(|age| age > ABANDONED) {
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

/// The name for something that depends on these parts, in this order, and on upsweep's version.
pub(crate) fn name(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in [env!("CARGO_PKG_VERSION")].iter().chain(parts) {
        // The length keeps ("ab", "c") apart from ("a", "bc").
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The folder, by the environment variables that `variable` reads.
fn folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    // The XDG specification: a relative path is invalid and is ignored.
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    if let Some(chosen) = variable("UPSWEEP_CACHE_DIR") {
        return (!chosen.as_os_str().is_empty()).then_some(chosen);
    }
    let user = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        absolute("HOME").map(|home| home.join("Library/Caches"))
    } else {
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
    };
    user.map(|user| user.join("upsweep"))
}

/// Creates the folder for its user alone: what is in it runs on the GPU.
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
