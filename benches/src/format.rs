//! The form of a record of benches, which xtask reads too.

/// The columns of a row. `median_us` is the time of one call, `gbps` the bytes that the work must read and write over
/// that time, `share_of_copy` the same as a share of what a copy of as many elements moves in the same run, and
/// `enqueue_us` the time for which the call keeps the host busy; it is empty where the call waits for its result.
pub(crate) const COLUMNS: &str = "lib,algo,type,log2n,median_us,gbps,share_of_copy,enqueue_us";

/// What the comment lines `# key: value` at the head of a record say.
pub(crate) const HEADER_KEYS: [&str; 4] = ["machine", "date", "versions", "commit"];
