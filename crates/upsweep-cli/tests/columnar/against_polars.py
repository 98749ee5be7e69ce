"""Compares groups and scans of Parquet and Arrow that polars has written, on standard input, with polars' own results.

    cargo build --release -p upsweep-cli --features parquet
    python crates/upsweep-cli/tests/columnar/against_polars.py target/release/upsweep [TABLES]

Tables are drawn at random: texts, categories, bool, integers and floats as keys; nulls; one or several batches or row groups; plain or
compressed; as a file or a stream. Exits with 1 if a result is wrong.
"""

import csv
import io
import subprocess
import sys

import numpy as np
import polars as pl

KEYS = ["t", "c", "b", "g", "f"]
TEXTS = ["x", "yy", 'z "q"']


def draw(random, number):
    rows = int(random.choice([0, 1, 5, 100, 5000, 70000]))

    def with_nulls(values):
        share = random.choice([0, 0.3])
        return pl.select(pl.when(pl.Series(random.random(rows) >= share)).then(pl.Series(values))).to_series()

    return pl.DataFrame({
        "t": with_nulls(pl.Series(random.integers(0, 7, rows)).cast(pl.String) + "é"),
        "c": pl.Series([TEXTS[i] for i in random.integers(0, 3, rows)], dtype=pl.Categorical if number % 2 else pl.String),
        "b": random.random(rows) < 0.5,
        "g": with_nulls(random.integers(-5, 5, rows)),
        "f": pl.Series(random.integers(-3, 3, rows) / 4).cast(pl.Float32),
        "a": with_nulls(random.integers(-1000, 1000, rows).astype("i4")),
        "x": with_nulls(np.round(random.normal(0, 1e3, rows), 3)),
    })


def written(table, random):
    """The table in a format, and the name of that."""
    out, compression = io.BytesIO(), str(random.choice(["uncompressed", "lz4", "zstd"]))
    kind = random.integers(3)
    if kind == 0:
        table.write_parquet(out, compression=compression, row_group_size=999)
        return out.getvalue(), "parquet"
    if kind == 1:
        table.write_ipc(out, compression=compression, record_batch_size=777)
    else:
        table.write_ipc_stream(out, compression=compression)
    return out.getvalue(), "arrow"


def same(a, b):
    return a is None and b is None or None not in (a, b) and abs(float(a) - float(b)) <= 1e-6 * max(1, abs(float(a)))


def as_text(key):
    return "" if key is None else str(key).lower() if isinstance(key, bool) else str(key)


def groups(program, table, data, form, by):
    """What is wrong with the groups of a table."""
    of = [(column, op) for column in ("a", "x") for op in ("sum", "count", "max")]
    asked = [getattr(pl.col(column), op)().alias(f"{column}_{op}") for column, op in of]
    wanted = {tuple(map(as_text, row[: len(by)])): row[len(by) :] for row in table.group_by(by).agg(asked).rows()}
    options = ["--column", "a,x", "--group-by", ",".join(by), "--op", "sum,count,max", "--missing", "skip"]
    done = subprocess.run([program, "reduce", "-", "--from", form, *options], input=data, capture_output=True)
    if done.returncode:
        return done.stderr.decode()
    found = csv.reader(io.StringIO(done.stdout.decode(), newline=""), delimiter="\t")
    found = {tuple(row[: len(by)]): row[len(by) :] for row in found}
    if set(wanted) != set(found):
        return f"groups {set(wanted) ^ set(found)}"
    for key, row in wanted.items():
        # Without values there are no results but the counts.
        row = [value if op == "count" or row[k // 3 * 3 + 1] else None for k, (value, (_, op)) in enumerate(zip(row, of))]
        if not all(same(a, b or None) for a, b in zip(row, found[key])):
            return f"{key}: {found[key]}, not {row}"
    return None


def scan(program, table, data, form):
    """What is wrong with the rows and results of a scan."""
    options = ["--column", "x", "--missing", "skip", "--to", "arrow"]
    done = subprocess.run([program, "scan", "-", "--from", form, *options], input=data, capture_output=True)
    if done.returncode:
        return done.stderr.decode()
    found = pl.read_ipc_stream(io.BytesIO(done.stdout))
    plain = pl.col("c").cast(pl.String)
    if not found.select(*table.columns).with_columns(plain).equals(table.with_columns(plain)):
        return f"rows {found}"
    if not all(map(same, table["x"].cum_sum(), found["x_sum"])):
        return f"results {found}"
    return None


def main():
    program, tables = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    wrong = 0
    for number in range(tables):
        random = np.random.default_rng(number)
        table = draw(random, number)
        data, form = written(table, random)
        by = [str(key) for key in random.choice(KEYS, random.integers(1, 4), replace=False)]
        for told in (groups(program, table, data, form, by), scan(program, table, data, form)):
            if told:
                wrong += 1
                print(f"table {number}, {form}, by {','.join(by)}: {told}"[:400])
    print(f"{2 * tables} results of {tables} tables against polars {pl.__version__}: {wrong} wrong")
    sys.exit(wrong > 0)


main()
