"""Compares commands on tables with pandas, DuckDB and polars: 500 tables drawn at random.

    numpy_tables.py UPSWEEP [DEVICE [TABLES]]

A table has a column of few texts, one of few integers, one of many texts, and columns of integers and of floats, in which values may be
missing. Each of the three reads the file on its own. What they do not agree on is not compared, and counted.
"""

import csv
import io
import math
import os
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor

import duckdb
import numpy as np
import pandas as pd
import polars as pl

KEYS = ["N", "S", "Österreich", "a b", "x,y", 'say "a"', " lead", "trail ", "two\nlines", "tab\there", "北", "a;b", "-", "z|z"]
SKIP = ["--missing", "skip", "--na", "NA"]
SHARES = [0, 0.1, 0.25, 0.5, 0.9, 1]
# (name; SQL; method of pandas; expression of polars) of each statistic, of which columns have values.
STATISTICS = [
    ("sum", "sum({0})", lambda x: x.sum(min_count=1), lambda c: pl.when(c.count() > 0).then(c.sum())),
    ("mean", "avg({0})", lambda x: x.mean(), lambda c: c.mean()),
    ("min", "min({0})", lambda x: x.min(), lambda c: c.min()),
    ("max", "max({0})", lambda x: x.max(), lambda c: c.max()),
    ("count", "count({0})", lambda x: x.count(), lambda c: c.count()),
    ("median", "median({0})", lambda x: x.median(), lambda c: c.median()),
    ("std", "stddev_samp({0})", lambda x: x.std(), lambda c: c.std()),
    ("var", "var_samp({0})", lambda x: x.var(), lambda c: c.var()),
    ("q0.9", "quantile_cont({0}::double, 0.9)", lambda x: x.astype("Float64").quantile(0.9), lambda c: c.quantile(0.9, "linear")),
    ("distinct", "count(distinct {0})", lambda x: x.nunique(), lambda c: c.drop_nulls().n_unique()),
    ("first", "first({0} order by r) filter ({0} is not null)", lambda x: first(x, 0), lambda c: c.drop_nulls().first()),
    ("last", "last({0} order by r) filter ({0} is not null)", lambda x: first(x, -1), lambda c: c.drop_nulls().last()),
]
# The same condition for the program, in SQL, and of a frame of pandas.
CONDITIONS = [
    ("n is not null and n > 3", "n > 3", lambda t: t.n > 3),
    ("k == 'N' or x is not null and x < 0.5", "coalesce(k, '') = 'N' or x < 0.5", lambda t: (t.k == "N") | (t.x < 0.5)),
    ('k in ("N", "a b", "x,y")', "k in ('N', 'a b', 'x,y')", lambda t: t.k.isin(["N", "a b", "x,y"])),
    ('k not in ("N", "")', "coalesce(k, '') not in ('N', '')", lambda t: ~t.k.fillna("").isin(["N", ""])),
    ('t contains "a"', "contains(t, 'a')", lambda t: t.t.str.contains("a", regex=False)),
    ('t matches "^a.*[bc]$"', "regexp_matches(t, '^a.*[bc]$')", lambda t: t.t.str.contains("^a.*[bc]$", regex=True)),
    ("n is not null and n between -2 and 5", "n between -2 and 5", lambda t: t.n.between(-2, 5)),
    ("g % 3 == 1", "(g % 3 + 3) % 3 = 1", lambda t: t.g % 3 == 1),
    ("x is not null and abs(x) >= 2", "abs(x) >= 2", lambda t: t.x.abs() >= 2),
    ("x is null or n is null", "x is null or n is null", lambda t: t.x.isna() | t.n.isna()),
    ("not (g == 0 or t >= 'm')", "not (g = 0 or t >= 'm')", lambda t: ~((t.g == 0) | (t.t >= "m"))),
    ("x is not null and x * 2 + g > g / 2 - 1", "x * 2 + g > g / 2 - 1", lambda t: t.x * 2 + t.g > t.g / 2 - 1),
]


def first(x, at):
    x = x.dropna()
    return x.iloc[at] if len(x) else None


def draw(random, path):
    """Writes a table, and returns its delimiter."""
    rows = int(random.choice([1, 2, 3, 10, 30, 100, 300]))
    keys = random.choice(KEYS, random.integers(1, 8), replace=False).tolist() + [""] * int(random.random() < 0.3)
    scale = int(random.choice([1, 10, 10**6, 10**15]))
    decimals = int(random.choice([1, 2, 6]))
    letters = list("abcmz")

    def missing(cells, share):
        return [random.choice(["", "NA"]) if random.random() < share else cell for cell in cells]

    n = [str(v) for v in random.integers(-scale, 5 * scale + 1, rows)]
    # Some columns go on from whole numbers to fractions.
    x = np.round(random.normal(0, 1, rows) * float(random.choice([1e-3, 1, 1e6])), decimals).tolist()
    x = [repr(v) if random.random() < 0.9 else str(int(max(-9, min(9, v)))) for v in x]
    share_n, share_x = random.choice([0, 0.1, 0.5], 2)
    columns = {
        "k": random.choice(keys, rows).tolist(),
        "g": random.integers(-3, 4, rows).tolist(),
        "t": ["".join(random.choice(letters, random.integers(1, 5))) for _ in range(rows)],
        "n": missing(n, share_n),
        "x": missing(x, share_x),
    }
    if random.random() < 0.3:
        columns["g"] = sorted(columns["g"])
    names = random.permutation(list(columns)).tolist()
    delimiter = str(random.choice([",", "\t", ";"]))
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, delimiter=delimiter, lineterminator=str(random.choice(["\n", "\r\n"])))
        out.writerow(names)
        out.writerows(zip(*(columns[name] for name in names)))
    return delimiter


class Table:
    """A file as each of the three reads it."""

    def __init__(self, path, delimiter):
        types = {"k": "VARCHAR", "g": "BIGINT", "t": "VARCHAR", "n": "BIGINT", "x": "DOUBLE"}
        with open(path, newline="", encoding="utf-8") as file:
            self.names = next(csv.reader(file, delimiter=delimiter))
        self.pandas = pd.read_csv(
            path,
            sep=delimiter,
            dtype={"k": str, "t": str, "g": "Int64", "n": "Int64", "x": "Float64"},
            keep_default_na=False,
            na_values={"k": [""], "n": ["", "NA"], "x": ["", "NA"]},
        )
        self.polars = pl.read_csv(
            path,
            separator=delimiter,
            schema_overrides={"k": pl.String, "t": pl.String, "g": pl.Int64, "n": pl.Int64, "x": pl.Float64},
            null_values={"n": "NA", "x": "NA"},
        )
        self.duckdb = duckdb.connect(config={"threads": 1})
        columns = ", ".join(f"'{name}': '{types[name]}'" for name in self.names)
        self.duckdb.execute(
            f"create table t as select row_number() over () as r, * from read_csv('{path}', delim='{delimiter}', "
            f"columns={{{columns}}}, header=true, auto_detect=false, quote='\"', escape='\"', nullstr=['', 'NA'], new_line='{new_line(path)}')"
        )

    def sql(self, text):
        return [list(row) for row in self.duckdb.execute(text).fetchall()]


def new_line(path):
    with open(path, "rb") as file:
        return "\\r\\n" if b"\r\n" in file.read() else "\\n"


def plain(value):
    """A value of one of the three: None for what is missing."""
    if value is None or value is pd.NA or isinstance(value, float) and math.isnan(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def rows_of(frame):
    if isinstance(frame, pl.DataFrame):
        return [[plain(value) for value in row] for row in frame.rows()]
    return [[plain(value) for value in row] for row in frame.astype(object).values.tolist()]


def same(a, b, slack):
    """Whether two values are equal, floats but for rounding. Text of the program is compared with a value as such."""
    if a is None or b is None:
        return (a is None or a in ("", "NaN")) and (b is None or b in ("", "NaN"))
    if isinstance(a, str) and isinstance(b, str):
        return a == b
    try:
        if isinstance(b, int) and "." not in str(a):
            return int(a) == b
        return math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=slack)
    except ValueError:
        return False


def all_same(a, b, slack):
    return len(a) == len(b) and all(
        len(x) == len(y) and all(same(p, q, slack) for p, q in zip(x, y)) for x, y in zip(a, b)
    )


class Case:
    """A table, and what was found to be wrong with the program's results."""

    def __init__(self, program, device, folder, number):
        self.number, self.random = number, np.random.default_rng(number)
        self.command, self.device = program, device
        self.path = f"{folder}/{number}.csv"
        self.delimiter = draw(self.random, self.path)
        self.table = Table(self.path, self.delimiter)
        x = self.table.pandas
        # Sums that cancel, and variances of what is equal, are as exact as their values are large.
        self.size = float(max([1.0, x.x.abs().max(skipna=True)] if x.x.count() else [1.0]))
        self.wide = float(max([1.0, x.n.abs().max(skipna=True)] if x.n.count() else [1.0]))
        self.compared, self.disagreed, self.wrong = 0, [], []

    def run(self, command, *args):
        separator = ["--delimiter", "tab" if self.delimiter == "\t" else self.delimiter]
        args = [command, self.path, *args, *separator, *([] if command == "select" else [f"--device={self.device}"])]
        done = subprocess.run([self.command, *args], capture_output=True)
        if done.returncode != 0:
            return args, [[f"error: {done.stderr.decode()}"]]
        return args, done.stdout.decode()

    def compare(self, found, expected, delimiter, slack=0.0):
        """Compares what the program printed with the results of the three."""
        args, text = found
        if not all(all_same(one, expected[0], slack) for one in expected[1:]):
            self.disagreed.append(f"table {self.number}: {' '.join(map(str, args))}: {expected}"[:400])
            return
        self.compared += 1
        rows = text if isinstance(text, list) else list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        if not all_same(rows, expected[0], slack):
            at = next((i for i, (a, b) in enumerate(zip(rows, expected[0])) if not all_same([a], [b], slack)), None)
            what = f"{len(rows)} rows, not {len(expected[0])}" if at is None else f"row {at}: {rows[at]}, not {expected[0][at]}"
            self.wrong.append(f"table {self.number}: {' '.join(map(str, args))}: {what}")

    def slack(self):
        rows = len(self.table.pandas)
        return max(1e-11 * rows * max(self.size, self.wide * 1e-4), 1e-7 * self.size)

    def totals(self):
        asked = [s for s in STATISTICS if self.random.random() < 0.5] or STATISTICS
        columns = [c for c in ("n", "x") if self.table.pandas[c].count()]
        if columns:
            t = self.table
            of = [(c, s) for c in columns for s in asked]
            sql = t.sql("select " + ", ".join(s[1].format(c) for c, s in of) + " from t")
            pandas = [[plain(s[2](t.pandas[c])) for c, s in of]]
            polars = rows_of(t.polars.select(**{str(i): s[3](pl.col(c)) for i, (c, s) in enumerate(of)}))
            found = self.run("reduce", "--column", ",".join(columns), "--op", ",".join(s[0] for s in asked), *SKIP)
            # One result is a value alone, and several are separated by tabs, too.
            self.compare(found, [pandas, sql, polars], "\t", self.slack())

    def groups(self):
        asked = [s for s in STATISTICS if self.random.random() < 0.5] or STATISTICS
        keys = [["k"], ["g"], ["t"], ["k", "g"], ["g", "t", "k"]][self.random.integers(5)]
        t, of = self.table, [(c, s) for c in ("n", "x") for s in asked]
        order = ", ".join(f"{key} nulls last" for key in keys)
        results = ", ".join(s[1].format(c) for c, s in of)
        sql = t.sql(f"select {', '.join(keys)}, {results} from t group by {', '.join(keys)} order by {order}")
        grouped = t.pandas.groupby(keys, dropna=False, sort=True)
        pandas = [
            [plain(v) for v in key] + [plain(s[2](part[c])) for c, s in of] for key, part in grouped
        ]
        polars = t.polars.group_by(keys).agg(**{str(i): s[3](pl.col(c)) for i, (c, s) in enumerate(of)})
        polars = rows_of(polars.sort(keys, nulls_last=True))
        options = ["--column", "n,x", "--op", ",".join(s[0] for s in asked), "--group-by", ",".join(keys)]
        self.compare(self.run("reduce", *options, *SKIP), [pandas, sql, polars], "\t", self.slack())

    def rows(self, frames, head):
        """All rows of each of the three, with the names before them."""
        return [[head] + rows for rows in frames]

    def scans(self):
        op, column = self.random.choice(["sum", "min", "max"]), self.random.choice(["n", "x"])
        by = bool(self.random.random() < 0.5)
        t, names = self.table, ", ".join(f"t.{name}" for name in self.table.names)
        run = "sum(case when g is not distinct from before then 0 else 1 end) over (order by r)" if by else "1"
        sql = t.sql(
            f"""with v as (select r, g, {column} as v, lag(g) over (order by r) as before from t where {column} is not null),
            w as (select r, v, {run} as run from v),
            s as (select r, {op}(v) over (partition by run order by r rows unbounded preceding) as s from w)
            select {names}, s.s from t left join s on t.r = s.r order by t.r"""
        )
        kept = t.pandas[t.pandas[column].notna()]
        run = (kept.g != kept.g.shift()).fillna(True).cumsum() if by else kept.g * 0
        running = getattr(kept.groupby(run)[column], f"cum{op}")()
        pandas = rows_of(t.pandas.assign(s=running))
        kept = t.polars.with_row_index("at").filter(pl.col(column).is_not_null())
        kept = kept.with_columns(run=pl.col("g").rle_id() if by else pl.lit(1))
        running = kept.select("at", s=getattr(pl.col(column), f"cum_{op}")().over("run"))
        polars = t.polars.with_row_index("at").join(running, on="at", how="left", maintain_order="left").drop("at")
        options = ["--column", column, "--op", op, *(["--by-key", "g"] if by else []), *SKIP]
        everything = self.rows([pandas, sql, rows_of(polars)], t.names + [f"{column}_{op}"])
        everything = [[[None if cell == "NA" else cell for cell in row] for row in rows] for rows in everything]
        args, text = self.run("scan", *options)
        self.compare((args, self.without_na(text)), everything, self.delimiter, self.slack())

    def runs(self):
        op, column = self.random.choice(["sum", "min", "max"]), self.random.choice(["n", "x"])
        t = self.table
        sql = t.sql(
            f"""with v as (select r, g, {column} as v, lag(g) over (order by r) as before from t where {column} is not null),
            w as (select r, g, v, sum(case when g is not distinct from before then 0 else 1 end) over (order by r) as run from v)
            select g, {op}(v) from w group by run, g order by run"""
        )
        kept = t.pandas[t.pandas[column].notna()]
        run = (kept.g != kept.g.shift()).fillna(True).cumsum()
        pandas = [[plain(part.g.iloc[0]), plain(getattr(part[column], op)())] for _, part in kept.groupby(run)]
        kept = t.polars.filter(pl.col(column).is_not_null()).with_columns(run=pl.col("g").rle_id())
        polars = kept.group_by("run", maintain_order=True).agg(pl.col("g").first(), getattr(pl.col(column), op)())
        found = self.run("reduce", "--column", column, "--op", op, "--by-key", "g", *SKIP)
        self.compare(found, [pandas, sql, rows_of(polars.drop("run"))], "\t", self.slack())

    def windows(self):
        op, column = str(self.random.choice(["sum", "mean", "min", "max", "lag", "diff"])), str(self.random.choice(["n", "x"]))
        width, t = int(self.random.choice([1, 2, 3, 7, 20])), self.table
        names = ", ".join(f"t.{name}" for name in t.names)
        before = f"lag(v) over w"
        function = {"lag": before, "diff": f"v - {before}", "mean": "avg(v) over w"}.get(op, f"{op}(v) over w")
        width = 2 if op in ("lag", "diff") else width
        frame = "" if op in ("lag", "diff") else f"rows {width - 1} preceding"
        sql = t.sql(
            f"""with v as (select r, g, {column} as v, lag(g) over (order by r) as before from t where {column} is not null),
            u as (select r, v, sum(case when g is not distinct from before then 0 else 1 end) over (order by r) as run from v),
            s as (select r, case when row_number() over (partition by run order by r) >= {width} then {function} end as s
                  from u window w as (partition by run order by r {frame}))
            select {names}, s.s from t left join s on t.r = s.r order by t.r"""
        )
        kept = t.pandas[t.pandas[column].notna()]
        grouped = kept.groupby((kept.g != kept.g.shift()).fillna(True).cumsum())[column]
        if op in ("lag", "diff"):
            found = grouped.shift() if op == "lag" else grouped.diff()
        elif column == "n":
            # pandas computes windows of integers in floats.
            pick = (lambda x: sum(x) / width) if op == "mean" else {"sum": sum, "min": min, "max": max}[op]
            roll = lambda x: pd.Series([pick(x.tolist()[i + 1 - width : i + 1]) if i + 1 >= width else None for i in range(len(x))], x.index, object)
            found = pd.concat([roll(x) for _, x in grouped]) if len(kept) else kept[column]
        else:
            found = getattr(grouped.rolling(width), op)().droplevel(0)
        pandas = rows_of(t.pandas.assign(s=found.astype(object)))
        kept = t.polars.with_row_index("at").filter(pl.col(column).is_not_null()).with_columns(run=pl.col("g").rle_id())
        c = pl.col(column)
        value = {"lag": c.shift(), "diff": c.diff()}.get(op)
        value = getattr(c, f"rolling_{op}")(width) if value is None else value
        polars = t.polars.with_row_index("at").join(kept.select("at", s=value.over("run")), on="at", how="left", maintain_order="left").drop("at")
        suffix = op if op in ("lag", "diff") else f"{op}_{width}"
        options = ["--column", column, "--op", op, "--by-key", "g", *SKIP, *([] if suffix == op else ["--window", str(width)])]
        everything = self.rows([pandas, sql, rows_of(polars)], t.names + [f"{column}_{suffix}"])
        args, text = self.run("scan", *options)
        self.compare((args, self.without_na(text)), everything, self.delimiter, self.slack())

    def without_na(self, text):
        """The rows of the program, whose cells are as they were read."""
        if isinstance(text, list):
            return text
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=self.delimiter)
        return [["" if cell == "NA" else cell for cell in row] for row in rows]

    def sorts(self):
        keys = self.random.permutation(["k", "g", "t"])[: self.random.integers(1, 4)].tolist()
        down = (self.random.random(len(keys)) < 0.5).tolist()
        t = self.table
        order = ", ".join(f"{key} {'desc' if less else 'asc'} nulls last" for key, less in zip(keys, down))
        sql = t.sql(f"select {', '.join(t.names)} from t order by {order}, r")
        pandas = t.pandas
        # pandas keeps the order of equal rows for one key alone.
        for key, less in reversed(list(zip(keys, down))):
            pandas = pandas.sort_values(key, ascending=not less, kind="stable", na_position="last")
        polars = t.polars.sort(keys, descending=down, nulls_last=True, maintain_order=True)
        # A - before a name, or all names of one direction.
        if all(down):
            args, text = self.run("sort", "--desc", *(word for key in keys for word in ("--column", key)))
        else:
            args, text = self.run("sort", "--column", ",".join("-" * less + key for key, less in zip(keys, down)))
        self.compare((args, self.without_na(text)), self.rows([rows_of(pandas), sql, rows_of(polars)], t.names), self.delimiter)

    def selects(self):
        t = self.table
        ours, sql, mask = CONDITIONS[self.random.integers(len(CONDITIONS))]
        pandas = rows_of(t.pandas[mask(t.pandas).fillna(False).astype(bool)])
        sql = t.sql(f"select {', '.join(t.names)} from t where {sql} order by r")
        args, text = self.run("select", "--where", ours, "--na", "NA")
        self.compare((args, self.without_na(text)), self.rows([pandas, sql], t.names), self.delimiter)

    def columns(self):
        t = self.table
        if not t.pandas.x.notna().any():
            return
        sql = t.sql("select t, n, x * g + 1 as c, g * 2 - g % 3 as d, k as k2 from t where x is not null and g >= 0 order by r")
        found = t.pandas[t.pandas.x.notna() & (t.pandas.g >= 0)]
        pandas = found.assign(c=found.x * found.g + 1, d=found.g * 2 - found.g % 3, k2=found.k)[["t", "n", "c", "d", "k2"]]
        polars = t.polars.filter(pl.col("x").is_not_null() & (pl.col("g") >= 0)).select(
            "t", "n", c=pl.col("x") * pl.col("g") + 1, d=pl.col("g") * 2 - pl.col("g") % 3, k2="k"
        )
        sets = ["c = x * g + 1", "d = g * 2 - g % 3", "k2 = k"]
        options = [word for one in sets for word in ("--set", one)] + ["--keep", "t,n,c,d,k2"]
        args, text = self.run("select", "--where", "x is not null and g >= 0", "--na", "NA", *options)
        head = ["t", "n", "c", "d", "k2"]
        self.compare((args, self.without_na(text)), self.rows([rows_of(pandas), sql, rows_of(polars)], head), self.delimiter, self.slack())

    def tops(self):
        t, column = self.table, str(self.random.choice(["n", "x"]))
        count = t.pandas[column].count()
        if not count:
            return
        k = int(self.random.integers(1, count + 1))
        sql = t.sql(f"select {', '.join(t.names)} from t where {column} is not null order by {column} desc, r limit {k}")
        pandas = rows_of(t.pandas.sort_values(column, ascending=False, kind="stable").head(k))
        polars = t.polars.sort(column, descending=True, nulls_last=True, maintain_order=True).head(k)
        args, text = self.run("top", "--column", column, "-k", str(k), "--rows", *SKIP)
        self.compare((args, self.without_na(text)), self.rows([pandas, sql, rows_of(polars)], t.names), self.delimiter)

    def uniques(self):
        t, column = self.table, str(self.random.choice(["n", "x", "t"]))
        sql = t.sql(f"select {column}, count(*) from t where {column} is not null group by {column} order by {column}")
        pandas = t.pandas[column].dropna().value_counts().sort_index()
        pandas = [[plain(value), int(count)] for value, count in pandas.items()]
        polars = rows_of(t.polars.select(pl.col(column).drop_nulls().value_counts()).unnest(column).sort(column))
        args, text = self.run("unique", "--column", column, "--counts", f"{self.path}.u64", *SKIP)
        if isinstance(text, str):
            counts = np.fromfile(f"{self.path}.u64", "u8").tolist()
            text = [[value, str(count)] for value, count in zip(text.splitlines(), counts, strict=True)]
        self.compare((args, text), [pandas, sql, polars], "\t")

    def quantiles(self):
        t, column = self.table, str(self.random.choice(["n", "x"]))
        if not t.pandas[column].count():
            return
        pandas = [[plain(value)] for value in t.pandas[column].astype("Float64").quantile(SHARES)]
        sql = [[value] for value in t.sql(f"select quantile_cont({column}::double, {SHARES}) from t")[0][0]]
        polars = [[t.polars[column].quantile(share, "linear")] for share in SHARES]
        found = self.run("quantile", "--column", column, "--q", ",".join(map(str, SHARES)), *SKIP)
        self.compare(found, [pandas, sql, polars], "\t", self.slack())

    def all(self):
        for kind in (self.totals, self.groups, self.scans, self.windows, self.sorts, self.selects, self.columns, self.tops, self.uniques, self.quantiles, self.runs):
            kind()
        self.table.duckdb.close()
        return self.compared, self.disagreed, self.wrong


def main():
    program = sys.argv[1]
    device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    tables = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    # pandas warns of variances of one value.
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda number: Case(program, device, folder, number).all(), range(tables)))
    compared = sum(number for number, _, _ in done)
    disagreed, wrong = ([line for one in done for line in one[i]] for i in (1, 2))
    print("\n".join(disagreed[:4] + wrong[:40]))
    versions = f"pandas {pd.__version__}, DuckDB {duckdb.__version__} and polars {pl.__version__}"
    print(f"{compared} results of {tables} tables on {device} against {versions}, which disagree on {len(disagreed)}: {len(wrong)} wrong")
    sys.exit(1 if wrong or len(disagreed) * 50 > compared else 0)


main()
