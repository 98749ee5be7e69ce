//! Format of the benches' records, which xtask reads too.

/// Columns of a row. `median_us` is the time of one call. `gbps` is the bandwidth: the bytes that the work must read
/// and write over that time. `share_of_copy` is the ratio of `gbps` to the bandwidth of a copy of as many elements in
/// the same run. `enqueue_us` is the time for which the call keeps the host busy; it is empty where the call waits for
/// its result.
pub(crate) const COLUMNS: &str = "lib,algo,type,log2n,median_us,gbps,share_of_copy,enqueue_us";

/// Keys of the comment lines `# key: value` at the head of a record.
pub(crate) const HEADER_KEYS: [&str; 4] = ["machine", "date", "versions", "commit"];
