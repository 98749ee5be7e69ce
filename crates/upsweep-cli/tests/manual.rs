//! Tests of completions and manual pages.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;
use support::Folder;

#[test]
fn completions_know_the_commands_and_options() {
    let f = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = f.prints(&["completions", shell]);
        for word in ["completions", "pagerank", "group-by", "upsweep"] {
            assert!(text.contains(word), "{shell}: no {word}");
        }
    }
    f.fails(&["completions", "csh"], b"", 2, &["csh", "bash"]);
    f.fails(&["completions"], b"", 2, &["upsweep completions --help"]);
    // bash takes its file.
    f.file("upsweep.bash", f.prints(&["completions", "bash"]));
    if let Ok(status) = std::process::Command::new("bash").arg("-n").arg(f.path("upsweep.bash")).status() {
        assert!(status.success());
    }
}

#[test]
fn every_command_has_a_manual_page() {
    let f = Folder::new();
    let page = f.prints(&["man"]);
    assert!(page.contains(".TH upsweep 1") && page.contains("upsweep\\-scan"), "{}", &page[..page.len().min(2000)]);
    for (command, words) in [
        (&["sort"][..], [".TH upsweep-sort 1", "\\-\\-desc"]),
        (&["text", "grep"], [".TH upsweep-text-grep 1", "\\-\\-crlf"]),
        (&["man"], [".TH upsweep-man 1", "roff"]),
    ] {
        let page = f.prints(&[&["man"], command].concat());
        for word in words {
            assert!(page.contains(word), "{command:?}: no {word} in {}", &page[..page.len().min(3000)]);
        }
    }
    f.fails(&["man", "nothing"], b"", 2, &["`nothing`: there is no such command"]);
    f.fails(&["man", "sort", "grep"], b"", 2, &["`grep`: there is no such command"]);
}
