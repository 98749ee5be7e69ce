"""Counts the lines of a table that match, beside ripgrep: CPU seconds, user and system, of one core each.

    cargo build --release -p upsweep-cli
    python benches/peers/lines.py target/release/upsweep [ROWS [TURNS]]

It prints Markdown. Contestants take turns; the file is in the page cache. Times are medians, and include the start of the program.
"""

import os
import shutil
import subprocess
import sys
import tempfile

from child import in_turns, write_table

# What is looked for, and how often it is there.
PATTERNS = [("nothing here", "in no line"), ("h199,500", "in few lines"), ("h1[0-9]9,500,4", "in few lines, by classes")]


def main():
    program, rg = os.path.abspath(sys.argv[1]), shutil.which("rg")
    if rg is None:
        raise SystemExit("there is no rg, which is ripgrep")
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 10**7
    turns = int(sys.argv[3]) if len(sys.argv) > 3 else 9
    # Children have the cores of their parent.
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    version = subprocess.run([rg, "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    with tempfile.TemporaryDirectory() as folder:
        table = f"{folder}/table.csv"
        write_table(table, rows)
        print(f"{rows} rows, {os.path.getsize(table) / 1e6:.0f} MB, one core, {version}, medians of {turns}\n")
        print("| pattern | upsweep, CPU s | ripgrep, CPU s | the same without its map of the file | of ripgrep, and of that |\n|---|---|---|---|---|")
        for pattern, where in PATTERNS:
            rivals = [[rg, "-j1", "-c", pattern, table], [rg, "-j1", "--no-mmap", "-c", pattern, table]]
            # A status of 1 says that there is no such line.
            times = in_turns([[program, "text", "grep", "-c", pattern, table]] + rivals, turns, passes=(0, 1))
            ours, mapped, read = (time for time, _, _ in times)
            ratios = f"{ours / mapped:.2f}, {ours / read:.2f}"
            print(f"| `{pattern}`, {where} | {ours:.3f} | {mapped:.3f} | {read:.3f} | {ratios} |", flush=True)


main()
