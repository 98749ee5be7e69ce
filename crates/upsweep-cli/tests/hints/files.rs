//! Files that calls and examples name.

use crate::shell;
use crate::support::{Folder, bytes_of, npy};

/// Creates the files of all calls.
pub(crate) fn with_files() -> Folder {
    let f = Folder::new();
    let table = "name,a,b\nx,1,2.5\ny,3,4.5\n";
    let mtx = |value: &str| format!("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 {value}\n");
    for (name, text) in [
        ("t.csv", table),
        ("t.txt", table),
        ("names.csv", "a,b\n"),
        ("words.csv", "n,m\nx,y\n"),
        ("twice.csv", "a,a\n1,2\n"),
        ("mixed.csv", "1,x\n3,4\n"),
        ("semicolons.csv", "a;b\n1;2\n"),
        ("years.csv", "country,2019,2020\nDE,5,6\nFR,7,8\n"),
        ("prices.csv", "price\nN/A\n100\n20\n"),
        ("large.csv", "v\n18446744073709551615\n"),
        ("keys.csv", "k,v\na,1\nb,2\na,3\n"),
        ("numbers.txt", "1 2\n"),
        ("numbers.dat", "1 2\n"),
        ("bytes.dat", "ab"),
        ("one.dat", "a"),
        ("rules.txt", "NUMBER = [0-9]+\nSPACE = [ \\n]+\n"),
        ("friends.csv", "ann,bob,often\nbob,ann,never\n"),
        ("pairs.csv", "ann,bob\neve,joe\n"),
        ("edges.tsv", "0 1\n1 0\n"),
        ("edges.dat", "0,1\n1,0\n"),
    ] {
        f.file(name, text);
    }
    f.file("one.mtx", mtx("1")).file("odd.mtx", mtx("9007199254740993"));
    f.file("large.mtx", mtx("4611686018427387904")).file("most.mtx", mtx("9223372036854775808"));
    let whole = |values: &[i64]| {
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        npy("'<i8'", &format!("({},)", values.len()), &bytes)
    };
    f.file("one.npy", whole(&[1])).file("two.npy", whole(&[1, 2])).file("parents.npy", whole(&[-1, 0]));
    f.file("four.npy", whole(&[4])).file("minus.npy", whole(&[-1])).file("most.npy", whole(&[i64::MAX, i64::MAX]));
    f.file("four.f64", bytes_of!(f64: 4.0)).file("minus.f64", bytes_of!(f64: -1.0));
    f.file("most.f64", bytes_of!(f64: 9e18, 9e18)).file("half.npy", npy("'<f8'", "(1,)", &bytes_of!(f64: 0.5)));
    f.file("flags.npy", npy("'|b1'", "(2,)", &[1, 0])).file("bytes.npy", npy("'|u1'", "(2,)", &[1, 2]));
    // 1, and an f16 so near that fewer than a thousand others lie between.
    f.file("halves.npy", npy("'<f2'", "(2,)", &[0x00, 0x3c, 0x10, 0x3c]));
    f.file("image.npy", npy("'|u1'", "(3, 3)", &[0, 1, 2, 3, 4, 5, 6, 7, 8]));
    f.file("sound.wav", wav(2)).file("several.npz", npz(&[("a.npy", whole(&[1])), ("b.npy", whole(&[2]))]));
    f
}

/// Archive of these files, stored.
fn npz(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (name, file) in files {
        let (mut entry, config) = archive.new_file(name).start().unwrap();
        let mut to = config.wrap(&mut entry);
        std::io::Write::write_all(&mut to, file).unwrap();
        let (_, descriptor) = to.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

/// Sound of `n` values of 16 bits.
fn wav(n: u16) -> Vec<u8> {
    let numbers = |numbers: &[u16]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let chunk = |name: &[u8], bytes: &[u8]| [name, &(bytes.len() as u32).to_le_bytes(), bytes].concat();
    // PCM, 1 channel, 8000 values in a second: 16000 bytes, 2 at a time, 16 bits.
    let fmt = chunk(b"fmt ", &numbers(&[1, 1, 8000, 0, 16000, 0, 2, 16]));
    let values: Vec<u16> = (0..n).collect();
    chunk(b"RIFF", &[&b"WAVE"[..], &fmt, &chunk(b"data", &numbers(&values))].concat())
}

/// Creates the files that the help's examples name.
pub(crate) fn example_files(f: &Folder) {
    let floats = |n: usize| (0..n).flat_map(|k| ((k * 7 % 11) as f64 - 5.0).to_le_bytes()).collect::<Vec<u8>>();
    let whole = |n: usize| (0..n as u32).flat_map(|k| (k % 4).to_le_bytes()).collect::<Vec<u8>>();
    f.file("part-1.npy", npy("'<f8'", "(2,)", &floats(2))).file("part-2.npy", npy("'<f8'", "(3,)", &floats(3)));
    for (name, text) in [
        ("rain.csv", "month,precipitation,wind,mm\n1,0.5,3,0.2\n1,1.5,2,3\n2,0.25,4,11\n"),
        ("latencies.csv", "id,ms\nx,3.5\ny,1.25\n"),
        ("sales.csv", "region,amount,price,year\nN,3,12.5,2020\nS,1,2,2021\nN,2,20,2020\n"),
        ("log.csv", "level,text\n1,a\n1,b\n2,c\n"),
        ("weather.csv", "day,temp_max\nmo,3.5\ntu,4\n"),
        ("lowpass.csv", "0.25,0.5,0.25,1,0,0\n"),
        ("links.csv", "a,b\nb,c\nc,a\n"),
        ("points.csv", "0,1\n0.5,2\n1,4\n"),
        ("big.txt", "January 21st\nsomething\n"),
        ("states.csv", "state\nup\n"),
        ("matrix.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 1 2\n"),
        ("dem.asc", &format!("ncols 400\nnrows 200\ncellsize 30\n{}", "1 2 3 4 ".repeat(20_000))),
    ] {
        f.file(name, text);
    }
    std::fs::create_dir(f.path("src")).unwrap();
    f.file("src/main.rs", "fn main() {}\n").file("image.u8", [7; 64]).file("counts.u32", whole(8));
    f.file("speech.wav", wav(100));
    for name in ["samples.npy", "x.npy", "prices.npy", "scores.npy", "before.npy", "after.npy"] {
        let (shape, n) = if name == "prices.npy" {
            ("(4, 8)", 32)
        } else if name == "x.npy" {
            ("(2,)", 2)
        } else {
            ("(200,)", 200)
        };
        f.file(name, npy("'<f8'", shape, &floats(n)));
    }
    for name in ["ids.npy", "mask.npy", "lengths.npy", "counts.npy", "parents.npy", "values.npy", "bytes.npy"] {
        f.file(name, npy("'<u4'", "(8,)", &if name == "parents.npy" { vec![0; 32] } else { whole(8) }));
    }
    f.file("colours.npy", npy("'|u1'", "(8, 8, 3)", &[9; 192]));
    f.file("image.npy", npy("'|u1'", "(8, 8)", &[9; 64]))
        .file("dem.npy", npy("'<f4'", "(200, 400)", &vec![0; 320_000]));
    for name in ["photo.png", "portrait.png", "page.png", "dark.png"] {
        let line = format!("upsweep image blur colours.npy --radius 1 -o {name}");
        assert_eq!(shell(f, &line).code, Some(0));
    }
    let gz = shell(f, "printf 'status\\tcached\\n200\\ttrue\\n404\\tfalse\\n' | gzip > log.tsv.gz");
    assert_eq!(gz.code, Some(0), "{}", gz.stderr);
}
