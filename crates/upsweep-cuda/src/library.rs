//! Names of shared libraries, which are loaded on first use.

/// Returns the names under which cudarc looks for a library, without those of other platforms.
pub(super) fn names(stem: &str) -> String {
    let mut names = cudarc::get_lib_name_candidates(stem);
    if cfg!(unix) {
        names.retain(|name| !name.contains("64"));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn names_are_this_platforms() {
        let names = names("cuda");
        assert!(names.contains("libcuda.so") && names.contains("libcuda.so.1"), "{names}");
        assert!(!names.contains("64"), "{names}");
    }
}
