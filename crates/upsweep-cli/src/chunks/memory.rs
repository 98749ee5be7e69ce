//! Memory that a command may take.

use crate::threads::addresses_left;

/// Returns how many bytes of memory the system has left for this program, as far as it says so: by its limit of addresses
/// (`ulimit -v`), by the limits of its control groups, and by what is free or can be freed at once.
pub(super) fn left() -> Option<u64> {
    let free = if cfg!(target_os = "linux") { free() } else { None };
    [addresses_left(), free].into_iter().chain(limits()).flatten().min()
}

/// Returns the bytes that programs can allocate without swapping.
fn free() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kib = told.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    kib.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Returns the limits of the control groups that this program is in, of both versions.
fn limits() -> Vec<Option<u64>> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limit = |file: String| std::fs::read_to_string(file).ok()?.trim().parse().ok();
    let of_line = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (root, file) = match parts.next()? {
            "" => ("/sys/fs/cgroup", "memory.max"),
            "memory" => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => return None,
        };
        let group = parts.next()?.trim_end_matches('/');
        // A group has the limits of all that it is in, too.
        let above = group.match_indices('/').map(|(end, _)| &group[..end]).chain([group]);
        Some(above.map(|group| limit(format!("{root}{group}/{file}"))).collect::<Vec<_>>())
    };
    groups.lines().filter_map(of_line).flatten().collect()
}
