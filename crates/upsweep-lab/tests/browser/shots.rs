//! Pictures of pages for the guide.
//!
//! `UPSWEEP_TEST_SHOTS=docs/guide/src/pictures cargo test -p upsweep-lab --test browser -- --include-ignored shots`
//! makes them anew.

use super::driver::Browser;
use super::views::recorded;
use upsweep_lab::book::CHAPTERS;
use upsweep_lab::claims::claims;
use upsweep_lab::show::html;

#[test]
#[ignore = "needs Chromium, which UPSWEEP_TEST_BROWSER names"]
fn shots() {
    let folder = std::env::var_os("UPSWEEP_TEST_SHOTS").map(std::path::PathBuf::from);
    let mut browser = Browser::start();
    let chapter = CHAPTERS.iter().find(|chapter| chapter.file == "5-padding").unwrap();
    let pages = [
        ("lab-banks", html::page(&recorded("blelloch"), None), "#step=4", 1700),
        ("lab-live", html::page(&recorded("blelloch"), None), "#step=5", 1280),
        ("lab-beside", html::pair(&recorded("kogge-stone"), &recorded("blelloch"), None), "#step=6", 1900),
        ("lab-tiles", html::page(&recorded("look-back"), None), "#step=40", 1640),
        ("lab-book", html::chapter(chapter, &claims()), "", 2270),
    ];
    for (name, page, fragment, height) in pages {
        let mut tab = browser.open_at(&page, fragment);
        tab.prefers(false, true);
        tab.waits_for("document.fonts.status === 'loaded'");
        tab.waits_for("document.documentElement.dataset.model === 'ready'");
        if name == "lab-live" {
            tab.value("document.querySelectorAll('#elements input')[21].focus({ preventScroll: true })");
        }
        let shot = tab.shot(1280, height);
        assert!(shot.starts_with(b"\x89PNG") && shot.len() > 40_000, "{name}: {} bytes", shot.len());
        if let Some(folder) = &folder {
            // From the workspace's root.
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
            std::fs::write(folder.join(format!("{name}.png")), shot).unwrap();
        }
    }
}
