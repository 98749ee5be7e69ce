//! Tests of the disk cache, none of which needs a GPU.

use super::*;
use std::sync::Barrier;

/// Folder of one test for its disk cache; removed when this is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("upsweep-cache-{}-{test}", std::process::id()));
        let _from_an_earlier_run = fs::remove_dir_all(&path);
        Self(path)
    }
    fn cache(&self) -> DiskCache {
        self.cache_within(LIMIT)
    }
    fn cache_within(&self, limit: u64) -> DiskCache {
        // The folder does not exist yet: the cache makes it.
        DiskCache::within(self.0.join("made/by/the/cache"), limit)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

fn files(cache: &DiskCache) -> Vec<PathBuf> {
    fs::read_dir(&cache.folder).map(|entries| entries.flatten().map(|entry| entry.path()).collect()).unwrap_or_default()
}

#[test]
fn what_is_written_is_read() {
    let folder = Folder::new("hit");
    let cache = folder.cache();
    assert_eq!(cache.read("a"), None);
    for image in [&b""[..], b"one", &[7; 100_000]] {
        cache.write("a", image);
        assert_eq!(cache.read("a").as_deref(), Some(image));
    }
    assert_eq!(cache.read("b"), None);
    assert_eq!(files(&cache).len(), 1, "no temporary file is left");
}

#[cfg(unix)]
#[test]
fn the_folder_is_its_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("private");
    let cache = folder.cache();
    cache.write("a", b"image");
    let mode = fs::metadata(&cache.folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_damaged_file_is_not_read_and_is_overwritten() {
    let folder = Folder::new("damage");
    let cache = folder.cache();
    cache.write("a", b"a compiled kernel");
    let whole = fs::read(cache.path("a")).unwrap();
    let flipped = |bit: usize| {
        let mut content = whole.clone();
        content[bit / 8] ^= 1 << (bit % 8);
        content
    };
    let mut damaged: Vec<Vec<u8>> = (0..8 * whole.len()).map(flipped).collect();
    damaged.extend((0..whole.len()).map(|len| whole[..len].to_vec()));
    damaged.push([&whole[..], b"!"].concat());
    damaged.push(b"something else".to_vec());
    damaged.push(vec![0; whole.len()]);
    for content in damaged {
        fs::write(cache.path("a"), &content).unwrap();
        assert_eq!(cache.read("a"), None, "{content:?}");
    }
    cache.write("a", b"built again");
    assert_eq!(cache.read("a").as_deref(), Some(&b"built again"[..]));
}

#[test]
fn a_length_that_lies_is_damage() {
    let folder = Folder::new("length");
    let cache = folder.cache();
    cache.write("a", b"image");
    let mut content = fs::read(cache.path("a")).unwrap();
    content[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    fs::write(cache.path("a"), content).unwrap();
    assert_eq!(cache.read("a"), None);
}

#[test]
fn without_a_folder_to_write_nothing_happens() {
    // A file stands where the folder would be: neither the folder nor a file in it can be created, by any user.
    let folder = Folder::new("readonly");
    fs::create_dir_all(&folder.0).unwrap();
    let cache = folder.cache();
    fs::write(folder.0.join("made"), b"a file").unwrap();
    cache.write("a", b"image");
    assert_eq!(cache.read("a"), None);
    assert_eq!(fs::read(folder.0.join("made")).unwrap(), b"a file");
}

#[test]
fn a_folder_in_place_of_a_kernel_does_no_harm() {
    let folder = Folder::new("folder");
    let cache = folder.cache();
    fs::create_dir_all(cache.path("a").join("in it")).unwrap();
    assert_eq!(cache.read("a"), None);
    cache.write("a", b"image");
    assert_eq!(cache.read("a"), None);
    assert_eq!(files(&cache).len(), 1, "the temporary file is removed");
}

#[test]
fn the_oldest_go_when_there_is_no_room() {
    let folder = Folder::new("evict");
    let size = (HEADER + 1000) as u64;
    let cache = folder.cache_within(3 * size);
    let now = SystemTime::now();
    // "b" is the oldest, though not the first.
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|part| name(&[part]));
    for (name, age) in [(&a, 20), (&b, 30), (&c, 10)] {
        cache.write(name, &[1; 1000]);
        let file = File::options().write(true).open(cache.path(name)).unwrap();
        file.set_modified(now - Duration::from_secs(age)).unwrap();
    }
    assert_eq!(files(&cache).len(), 3, "three are within the bound");
    cache.write(&d, &[1; 1000]);
    let left = [a, b, c, d].map(|name| cache.read(&name).is_some());
    assert_eq!(left, [true, false, true, true]);
}

#[test]
fn a_kernel_larger_than_the_cache_does_not_stay() {
    let folder = Folder::new("large");
    let cache = folder.cache_within(1000);
    cache.write(&name(&[]), &[1; 2000]);
    assert!(files(&cache).is_empty());
}

#[test]
fn files_of_dead_writers_and_of_others() {
    let folder = Folder::new("abandoned");
    let cache = folder.cache_within(0);
    fs::create_dir_all(&cache.folder).unwrap();
    let others = ["thesis.tmp", "1-2.tmp", "1-2-x.tmp", "notes.txt", "big.kernel", "my.kernel", ".kernel"];
    let kernel = format!("{}.kernel", name(&["old"]));
    // A name in upper case is none that the function `name` makes, so the file is not one of the cache's.
    let shouted = format!("{}.kernel", "A".repeat(32));
    let files_there = [("1-2-3.tmp", 7200), ("1-3-4.tmp", 0), (&kernel, 7200), (&shouted, 7200)];
    for (name, age) in others.map(|name| (name, 7200)).into_iter().chain(files_there) {
        let file = File::create(cache.folder.join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }
    cache.write(&name(&["new"]), b"image");
    let mut left: Vec<_> = files(&cache).iter().filter_map(|path| Some(path.file_name()?.to_owned())).collect();
    left.sort();
    let mut kept: Vec<&str> = others.into_iter().chain(["1-3-4.tmp", &shouted]).collect();
    kept.sort();
    assert_eq!(left, kept);
}

/// Checks that a file or a folder that another user may have filled is not read, and that nothing is stored in such a
/// folder.
#[cfg(unix)]
#[test]
fn nothing_of_others_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("others");
    let cache = folder.cache();
    cache.write("a", b"image");
    let chmod = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    assert_eq!(fs::metadata(cache.path("a")).unwrap().permissions().mode() & 0o777, 0o600);
    for mode in [0o622, 0o620, 0o602, 0o666] {
        chmod(&cache.path("a"), mode);
        assert_eq!(cache.read("a"), None, "{mode:o}");
    }
    chmod(&cache.path("a"), 0o644);
    assert_eq!(cache.read("a").as_deref(), Some(&b"image"[..]), "others may read it");
    for mode in [0o777, 0o770, 0o1777] {
        chmod(&cache.folder, mode);
        assert_eq!(cache.read("a"), None, "{mode:o}");
        cache.write("b", b"image");
        assert_eq!(files(&cache).len(), 1, "{mode:o}");
    }
    chmod(&cache.folder, 0o755);
    assert_eq!(cache.read("a").as_deref(), Some(&b"image"[..]));
    // The folder is the same, but the cache belongs to another user.
    let user = cache.user + 1;
    let of_another = DiskCache { user, ..folder.cache() };
    assert_eq!(of_another.read("a"), None);
    of_another.write("b", b"image");
    assert_eq!(files(&cache).len(), 1);
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_not_read() {
    let folder = Folder::new("links");
    let cache = folder.cache();
    cache.write("a", b"image");
    fs::rename(cache.path("a"), folder.0.join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(folder.0.join("elsewhere"), cache.path("a")).unwrap();
    assert_eq!(cache.read("a"), None);
    let pipe = std::process::Command::new("mkfifo").arg(cache.path("b")).status().unwrap();
    assert!(pipe.success());
    // Reading does not wait for a writer of the pipe.
    assert_eq!(cache.read("b"), None);
    // Writing replaces the link and the pipe by files, and leaves the link's target as it is.
    for name in ["a", "b"] {
        cache.write(name, b"another");
        assert_eq!(cache.read(name).as_deref(), Some(&b"another"[..]));
    }
    assert!(fs::read(folder.0.join("elsewhere")).unwrap().ends_with(b"image"));
}

#[test]
fn writers_at_once_leave_one_whole_file() {
    let folder = Folder::new("threads");
    let cache = &folder.cache();
    let images: Vec<Vec<u8>> = (0..8u8).map(|thread| vec![thread; 50_000 + usize::from(thread)]).collect();
    let barrier = &Barrier::new(images.len());
    std::thread::scope(|scope| {
        for image in &images {
            let images = &images;
            scope.spawn(move || {
                barrier.wait();
                for _ in 0..50 {
                    cache.write("a", image);
                    let read = cache.read("a").expect("what was renamed into place is whole");
                    assert!(images.contains(&read));
                }
            });
        }
    });
    assert_eq!(files(cache).len(), 1);
}

/// Does nothing except as the child of `processes_at_once_leave_one_whole_file`.
#[test]
fn child_process_that_writes() {
    let Some(folder) = std::env::var_os("UPSWEEP_TEST_CACHE_CHILD") else { return };
    let cache = DiskCache::within(folder.into(), LIMIT);
    let byte = u8::try_from(std::process::id() % 251).unwrap();
    for _ in 0..100 {
        cache.write("a", &[byte; 30_000]);
        let read = cache.read("a").expect("what was renamed into place is whole");
        assert!(read.len() == 30_000 && read.iter().all(|&other| other == read[0]));
    }
}

#[test]
fn processes_at_once_leave_one_whole_file() {
    let folder = Folder::new("processes");
    let cache = folder.cache();
    let this_test = std::env::current_exe().unwrap();
    let start = || {
        std::process::Command::new(&this_test)
            .args(["--exact", "compile::cache::tests::child_process_that_writes"])
            .env("UPSWEEP_TEST_CACHE_CHILD", &cache.folder)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..4).map(|_| start()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert!(cache.read("a").is_some());
    assert_eq!(files(&cache).len(), 1);
}

#[test]
fn names_depend_on_every_part_and_on_where_it_ends() {
    let names = [name(&[]), name(&[""]), name(&["ab", "c"]), name(&["a", "bc"]), name(&["abc"]), name(&["c", "ab"])];
    for (i, a) in names.iter().enumerate() {
        assert_eq!(a.len(), 32);
        assert!(names[i + 1..].iter().all(|b| a != b));
    }
    assert_eq!(name(&["ab", "c"]), names[2]);
}

#[test]
fn the_folder_follows_the_environment() {
    let in_environment = |variables: &[(&str, &str)]| {
        folder(|name| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| PathBuf::from(value)))
    };
    assert_eq!(in_environment(&[]), None);
    let chosen = if cfg!(windows) { r"C:\mine" } else { "/mine" };
    assert_eq!(in_environment(&[("UPSWEEP_CACHE_DIR", chosen)]), Some(Path::new(chosen).join("upsweep")));
    assert_eq!(in_environment(&[("UPSWEEP_CACHE_DIR", "here")]), None, "relative: it is ignored");
    assert_eq!(in_environment(&[("UPSWEEP_CACHE_DIR", ""), ("HOME", "/home/me")]), None, "empty: no cache");
    if cfg!(all(unix, not(target_os = "macos"))) {
        let home = ("HOME", "/home/me");
        assert_eq!(in_environment(&[("UPSWEEP_CACHE_DIR", "here"), home]), Some("/home/me/.cache/upsweep".into()));
        assert_eq!(in_environment(&[home]), Some("/home/me/.cache/upsweep".into()));
        assert_eq!(in_environment(&[home, ("XDG_CACHE_HOME", "/cache")]), Some("/cache/upsweep".into()));
        assert_eq!(in_environment(&[home, ("XDG_CACHE_HOME", "relative")]), Some("/home/me/.cache/upsweep".into()));
    }
}
