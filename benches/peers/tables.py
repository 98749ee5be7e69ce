"""Measures the command line on a table of 10^7 rows beside polars: CPU seconds, user and system, and the peak of memory.

    cargo build --release -p upsweep-cli
    python benches/peers/tables.py target/release/upsweep [ROWS [TURNS]]

It prints Markdown. Contestants take turns; the file is in the page cache, results go to files beside it. Times are medians, and
include the start of the program: a row says how much that is of Python and polars.
"""

import os
import sys
import tempfile

from child import in_turns, write_table

PYTHON = "import sys, polars as pl; t, o = sys.argv[1:]; "
# What is computed; the arguments of the program; what Python runs.
WORKS = [
    ("start", ["--version"], ""),
    (
        "sum of a column",
        ["reduce", "TABLE", "--column", "bytes"],
        "pl.scan_csv(t).select(pl.col('bytes').sum()).collect().write_csv(o)",
    ),
    (
        "running sum, the table written",
        ["scan", "TABLE", "--column", "bytes", "-o", "OUT"],
        "pl.read_csv(t).with_columns(pl.col('bytes').cum_sum().alias('bytes_sum')).write_csv(o)",
    ),
    (
        "sort by an integer column, written",
        ["sort", "TABLE", "--column", "bytes", "-o", "OUT"],
        "pl.read_csv(t).sort('bytes').write_csv(o)",
    ),
    (
        "sort by a text column, written",
        ["sort", "TABLE", "--column", "host", "-o", "OUT"],
        "pl.read_csv(t).sort('host').write_csv(o)",
    ),
    (
        "sum, count and max by 200 hosts",
        ["reduce", "TABLE", "--column", "bytes", "--group-by", "host", "--op", "sum,count,max", "-o", "OUT"],
        "pl.scan_csv(t).group_by('host').agg(pl.col('bytes').sum(), pl.col('bytes').count().alias('n'), "
        "pl.col('bytes').max().alias('m')).collect().write_csv(o)",
    ),
    (
        "sum by 500,000 minutes, which are in order",
        ["reduce", "TABLE", "--column", "bytes", "--by-key", "time", "-o", "OUT"],
        "pl.scan_csv(t).group_by('time', maintain_order=True).agg(pl.col('bytes').sum()).collect().write_csv(o)",
    ),
]


def main():
    program = os.path.abspath(sys.argv[1])
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 10**7
    turns = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory() as folder:
        table, out = f"{folder}/table.csv", f"{folder}/out.csv"
        version = write_table(table, rows)
        size = os.path.getsize(table) / 1e6
        print(f"{rows} rows, {size:.0f} MB, {os.cpu_count()} cores, polars {version}, medians of {turns}\n")
        print("| work | upsweep, CPU s (MB) | polars, CPU s (MB) | CPU, of polars | memory, of polars |\n|---|---|---|---|---|")
        for name, ours, theirs in WORKS:
            ours = [program] + [{"TABLE": table, "OUT": out}.get(word, word) for word in ours]
            theirs = [sys.executable, "-c", PYTHON + theirs, table, out]
            (a, _, m), (b, _, n) = in_turns([ours, theirs], turns, out)
            print(f"| {name} | {a:.2f} ({m:.0f}) | {b:.2f} ({n:.0f}) | {a / b:.2f} | {m / n:.2f} |", flush=True)


main()
