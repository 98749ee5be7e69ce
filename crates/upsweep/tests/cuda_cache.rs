//! CUDA: the cache of compiled kernels between two runs of a program.

#![cfg(feature = "cuda")]

use std::path::{Path, PathBuf};
use std::process::Command;
use upsweep::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// One run of a program, in a process that `run` starts. Run by the test harness, it does nothing.
#[test]
#[ignore = "needs a CUDA GPU"]
fn a_run() -> Outcome {
    if std::env::var_os("UPSWEEP_TEST_RUN").is_none() {
        return Ok(());
    }
    let device = Device::cuda(0)?;
    let x = device.upload(&vec![1u32; 100_000])?;
    let result = device.inclusive_scan(&x, Sum)?.to_vec()?;
    assert!(result.iter().zip(1..).all(|(&found, expected)| found == expected));
    Ok(())
}

#[function]
fn weighed(#[param] weight: u32, x: u32) -> u32 {
    weight * x
}

#[operator(identity = 0)]
fn add_masked(#[param] mask: u32, a: u32, b: u32) -> u32 {
    (a + b) & mask
}

/// Thousand values of a map and of an operator, in a process that `many_values_are_one_kernel` starts. Run by the test
/// harness, it does nothing.
#[test]
#[ignore = "needs a CUDA GPU"]
fn a_run_of_many_values() -> Outcome {
    if std::env::var_os("UPSWEEP_TEST_RUN").is_none() {
        return Ok(());
    }
    let device = Device::cuda(0)?;
    let x = device.upload(&vec![1u32; 5000])?;
    for weight in 0..1000 {
        let mask = (1 << (weight % 32)) - 1;
        let scan = Scan::new(AddMasked { mask }).map(Weighed { weight });
        let last = scan.run_to_vec(&device, &x)?[4999];
        assert_eq!(last, (5000 * weight) & mask, "weight {weight}");
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn many_values_are_one_kernel() -> Outcome {
    let cache = folder("values");
    run_of("a_run_of_many_values", &cache.0)?;
    assert_eq!(kernels(&cache.0).len(), 1);
    Ok(())
}

/// Runs `a_run` in a process of its own, with this cache.
fn run(cache: &Path) -> Outcome {
    run_of("a_run", cache)
}

fn run_of(test: &str, cache: &Path) -> Outcome {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--exact", test, "--include-ignored"]);
    let output = command.env("UPSWEEP_TEST_RUN", "1").env("UPSWEEP_CACHE_DIR", cache).output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    Ok(())
}

fn kernels(cache: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(cache.join("upsweep")) else { return Vec::new() };
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap_or_default())).collect()
}

/// Folder that is removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _gone = std::fs::remove_dir_all(&self.0).or_else(|_| std::fs::remove_file(&self.0));
    }
}

fn folder(test: &str) -> Folder {
    Folder(std::env::temp_dir().join(format!("upsweep-cuda-cache-{}-{test}", std::process::id())))
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn damaged_kernels_are_built_again() -> Outcome {
    let cache = folder("damage");
    run(&cache.0)?;
    let whole = kernels(&cache.0);
    assert!(!whole.is_empty(), "the first run stores its kernels");
    run(&cache.0)?;
    assert_eq!(kernels(&cache.0), whole, "the second run uses them");
    let damages: [fn(&mut Vec<u8>); 5] = [
        |content| content.clear(),
        |content| content.truncate(content.len() / 2),
        |content| content[0] ^= 1,
        |content| content.iter_mut().last().into_iter().for_each(|byte| *byte ^= 1),
        |content| content[16] ^= 0x80,
    ];
    for damage in damages {
        for (path, content) in &whole {
            let mut content = content.clone();
            damage(&mut content);
            std::fs::write(path, content).unwrap();
        }
        run(&cache.0)?;
        let lengths = |kernels: &[(PathBuf, Vec<u8>)]| -> Vec<_> {
            kernels.iter().map(|(path, content)| (path.clone(), content.len())).collect()
        };
        assert_eq!(lengths(&kernels(&cache.0)), lengths(&whole), "the kernels are stored again");
    }
    Ok(())
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn a_whole_file_that_is_no_kernel_is_built_again() -> Outcome {
    let cache = folder("foreign");
    run(&cache.0)?;
    let whole = kernels(&cache.0);
    let (_, other) = whole.iter().max_by_key(|(_, content)| content.len()).unwrap();
    // What the driver refuses: the file of another kernel, whole, in place of each.
    for (path, _) in &whole {
        std::fs::write(path, other)?;
    }
    run(&cache.0)
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn without_a_cache_it_works_too() -> Outcome {
    // A file stands where the folder would be.
    let cache = folder("none");
    std::fs::write(&cache.0, b"a file")?;
    run(&cache.0)?;
    assert_eq!(std::fs::read(&cache.0)?, b"a file");
    run(Path::new(""))
}

#[test]
#[ignore = "needs a CUDA GPU"]
fn runs_at_once_share_the_cache() {
    let cache = folder("together");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| run(&cache.0).expect("the run starts"));
        }
    });
    let first = kernels(&cache.0);
    run(&cache.0).unwrap();
    assert_eq!(kernels(&cache.0), first);
}
