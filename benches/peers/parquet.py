"""Measures a running sum of a column of f64 in Parquet, written with the column, beside polars.

    cargo build --release -p upsweep-cli --features parquet
    python benches/peers/parquet.py target/release/upsweep [ROWS [TURNS]]

It prints Markdown: CPU seconds, user and system, elapsed seconds, and the peak of memory. Contestants take turns; the file is in
the page cache, results go to a file beside it. Times are medians, and include the start of the program.
"""

import os
import subprocess
import sys
import tempfile

from child import in_turns

# A child counts the memory of its parent until it starts a program, so that this program has little.
WRITE = """
import sys, numpy as np, polars as pl
values = np.random.default_rng(1).standard_normal(int(sys.argv[2]))
pl.DataFrame({"a": values}).write_parquet(sys.argv[1], compression=sys.argv[3])
print(pl.__version__)
"""
PYTHON = """
import sys, polars as pl
t, o, c = sys.argv[1:]
pl.read_parquet(t).with_columns(pl.col("a").cum_sum().alias("a_sum")).write_parquet(o, compression=c)
"""


def main():
    program = os.path.abspath(sys.argv[1])
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 10**8
    turns = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory() as folder:
        table, out = f"{folder}/table.parquet", f"{folder}/out.parquet"
        for codec in ["uncompressed", "snappy", "zstd"]:
            write = [sys.executable, "-c", WRITE, table, str(rows), codec]
            version = subprocess.run(write, check=True, capture_output=True, text=True).stdout.strip()
            if codec == "uncompressed":
                print(f"{rows} rows, {os.cpu_count()} cores, polars {version}, medians of {turns}\n")
                print("| codec | file, MB | upsweep: CPU s, s (MB); output, MB | polars | CPU | elapsed | memory |")
                print("|---|---|---|---|---|---|---|")
            size, cells, medians = os.path.getsize(table) / 1e6, [], []
            ours = [program, "scan", table, "--column", "a", "-o", out]
            theirs = [sys.executable, "-c", PYTHON, table, out, codec]
            for contestant in [ours, theirs]:
                in_turns([contestant], 1, out)
                cells.append(os.path.getsize(out) / 1e6)
            medians = in_turns([ours, theirs], turns, out)
            shown = [f"{a:.2f}, {b:.2f} ({m:.0f}); {written:.0f}" for (a, b, m), written in zip(medians, cells)]
            ratios = [f"{a / b:.2f}" for a, b in zip(*medians)]
            print(f"| {codec} | {size:.0f} | {' | '.join(shown + ratios)} |", flush=True)


main()
