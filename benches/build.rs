//! Tells the benches at which commit and with which compiler they are built, for the head of their records.

use std::process::Command;

fn main() {
    // What is dirty is told from the sources that are measured.
    println!("cargo:rerun-if-changed=../crates");
    println!("cargo:rerun-if-changed=.");
    let log = line("git", &["rev-parse", "--git-path", "logs/HEAD"]);
    if std::path::Path::new(&log).exists() {
        println!("cargo:rerun-if-changed={log}");
    }
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    println!("cargo:rustc-env=UPSWEEP_COMMIT={}", line("git", &["describe", "--always", "--dirty", "--abbrev=12"]));
    println!("cargo:rustc-env=UPSWEEP_RUSTC={}", line(&rustc, &["--version"]));
}

/// The first line that a command prints, or "unknown".
fn line(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).output().ok().filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_owned()
}
