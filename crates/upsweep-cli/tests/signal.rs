//! Tests of `upsweep signal`: output, files and errors. `numpy_signals.py` compares the numbers with SciPy.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use support::{Folder, bytes_of, npy, npy_data};

#[test]
fn arrays_are_filtered() {
    let f = Folder::new();
    f.file("x.npy", npy("'<f8'", "(4,)", &bytes_of!(f64: 8.0, 0.0, 0.0, 4.0)));
    f.prints(&["signal", "filter", "x.npy", "--b", "1", "--a", "1,-0.5", "-o", "y.npy"]);
    assert_eq!(npy_data(&f.read("y.npy")), bytes_of!(f64: 8.0, 4.0, 2.0, 5.0));
    // f32 stays f32, and f16 becomes f32.
    f.file("single.npy", npy("'<f4'", "(2,2)", &bytes_of!(f32: 1.0, 2.0, 3.0, 4.0)));
    f.prints(&["signal", "filter", "single.npy", "--b=1,1", "--axis", "0", "-o", "y.f32"]);
    assert_eq!(f.read("y.f32"), bytes_of!(f32: 1.0, 2.0, 4.0, 6.0));
    f.prints(&["signal", "filter", "single.npy", "--b=1,1", "--axis", "-1", "-o", "y.f32"]);
    assert_eq!(f.read("y.f32"), bytes_of!(f32: 1.0, 3.0, 3.0, 7.0));
    f.file("half.npy", npy("'<f2'", "(2,)", &[0, 60, 0, 64]));
    f.prints(&["signal", "filter", "half.npy", "--b=1,1", "-o", "y.f32"]);
    assert_eq!(f.read("y.f32"), bytes_of!(f32: 1.0, 3.0));
    // Integers become f64.
    f.file("whole.npy", npy("'<i4'", "(3,)", &bytes_of!(i32: 1, 2, 3)));
    f.prints(&["signal", "smooth", "whole.npy", "--span", "3", "-o", "y.f64"]);
    assert_eq!(f.read("y.f64"), bytes_of!(f64: 1.0, 1.5, 2.25));
    assert_eq!(f.run_with(&["signal", "smooth", "-", "--half-life", "1"], b"8 0 0").good(), "8.0\n4.0\n2.0\n");
    assert_eq!(f.run_with(&["signal", "smooth", "-", "--half-life", "1"], b"").good(), "");
}

#[test]
fn a_table_gets_a_column() {
    let f = Folder::new();
    f.file("x.csv", "day,mm,place\n1,8,a\n2,0,b\n3,4,c\n");
    let printed = f.prints(&["signal", "filter", "x.csv", "--column", "mm", "--b", "0.5,0.5"]);
    assert_eq!(printed, "day,mm,place,mm_filter\n1,8,a,4.0\n2,0,b,4.0\n3,4,c,2.0\n");
    let printed = f.prints(&["signal", "smooth", "x.csv", "--column", "mm", "--half-life", "1"]);
    assert_eq!(printed, "day,mm,place,mm_smooth\n1,8,a,8.0\n2,0,b,4.0\n3,4,c,4.0\n");
}

#[test]
fn sections_come_from_a_file() {
    let f = Folder::new();
    f.file("x.npy", npy("'<f8'", "(3,)", &bytes_of!(f64: 1.0, 0.0, 0.0)));
    f.file("sos.csv", "1,1,0,1,0,0\n2, 0,0,1,-0.5,0\n");
    f.file(
        "sos.npy",
        npy("'<f8'", "(2, 6)", &bytes_of!(f64: 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0, -0.5, 0.0)),
    );
    for sos in ["sos.csv", "sos.npy"] {
        f.prints(&["signal", "filter", "x.npy", "--sos", sos, "-o", "y.f64"]);
        assert_eq!(f.read("y.f64"), bytes_of!(f64: 2.0, 3.0, 1.5), "{sos}");
    }
}

#[test]
fn both_ways_delays_nothing() {
    let f = Folder::new();
    // The mean of two neighbours forward and backward: weights of a quarter, a half, a quarter.
    let x = b"0 0 0 4 0 0 0";
    for pad in ["odd", "even", "constant", "none"] {
        let asked = ["signal", "filter", "-", "--b=0.5,0.5", "--both-ways", "--pad", pad, "--pad-length", "2"];
        assert_eq!(f.run_with(&asked, x).good(), "0.0\n0.0\n1.0\n2.0\n1.0\n0.0\n0.0\n", "{pad}");
    }
    // At the start: the padding before 2 is 2 * 2 - 4 (odd), 4 (even) and 2 (constant).
    for (pad, first) in [("odd", "2.0"), ("even", "3.0"), ("constant", "2.5"), ("none", "2.5")] {
        let asked = ["signal", "filter", "-", "--b=0.5,0.5", "--both-ways", "--pad", pad, "--pad-length", "1"];
        let printed = f.run_with(&asked, b"2 4 4 4").good();
        assert_eq!(printed.lines().next(), Some(first), "{pad}");
    }
}

/// Sound file with these bytes of data: PCM, or floats if `bits` is 32.
fn wav(channels: u16, bits: u16, data: &[u8]) -> Vec<u8> {
    let block = channels * (bits / 8);
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + data.len() as u32).to_le_bytes());
    bytes.extend(b"WAVEfmt ");
    bytes.extend(16u32.to_le_bytes());
    bytes.extend((if bits == 32 { 3u16 } else { 1 }).to_le_bytes());
    bytes.extend(channels.to_le_bytes());
    bytes.extend(8000u32.to_le_bytes());
    bytes.extend((8000 * u32::from(block)).to_le_bytes());
    bytes.extend(block.to_le_bytes());
    bytes.extend(bits.to_le_bytes());
    bytes.extend(b"data");
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn sound_is_filtered_by_channel() {
    let f = Folder::new();
    f.file("x.wav", wav(2, 16, &bytes_of!(i16: 1000, -8000, 3000, 0, 0, 0)));
    let mean = ["signal", "filter", "x.wav", "--b=0.5,0.5"];
    f.prints(&[&mean[..], &["-o", "y.wav"]].concat());
    let y = f.read("y.wav");
    assert!(y.ends_with(&bytes_of!(i16: 500, -4000, 2000, -4000, 1500, 0)), "{y:?}");
    assert_eq!(y[22..28], wav(2, 16, &[])[22..28], "as many channels, and as fast");
    f.prints(&[&mean[..], &["-o", "y.npy"]].concat());
    let y = f.read("y.npy");
    assert_eq!(
        npy_data(&y),
        bytes_of!(f32: 500.0 / 32768.0, -4000.0 / 32768.0, 2000.0 / 32768.0, -4000.0 / 32768.0, 1500.0 / 32768.0, 0.0)
    );
    assert!(String::from_utf8_lossy(&y[..90]).contains("(3, 2)"));
    assert_eq!(f.prints(&mean).lines().count(), 3);
    // Floats have no limits; integers that are too loud are clipped, with a note.
    f.file("float.wav", wav(1, 32, &bytes_of!(f32: 0.5, 3.0)));
    f.prints(&["signal", "filter", "float.wav", "--b=2", "-o", "y.wav"]);
    assert!(f.read("y.wav").ends_with(&bytes_of!(f32: 1.0, 6.0)));
    f.file("loud.wav", wav(1, 16, &bytes_of!(i16: 20_000, -20_000, 5)));
    let done = f.run(&["signal", "filter", "loud.wav", "--b=2", "-o", "y.wav"]);
    assert!(done.stderr.contains("y.wav: 2 values are louder"), "{}", done.stderr);
    assert!(f.read("y.wav").ends_with(&bytes_of!(i16: 32_767, -32_768, 10)));
    f.file("bytes.wav", wav(1, 8, &[128, 255, 0]));
    f.prints(&["signal", "filter", "bytes.wav", "--b=0.5", "-o", "y.f32"]);
    assert_eq!(f.read("y.f32"), bytes_of!(f32: 0.0, 127.0 / 256.0, -0.5));
}

/// Chunk of a .wav: with a padding byte if its length is odd.
fn chunk(id: &[u8; 4], bytes: &[u8]) -> Vec<u8> {
    let mut chunk = id.to_vec();
    chunk.extend((bytes.len() as u32).to_le_bytes());
    chunk.extend(bytes);
    chunk.resize(chunk.len() + bytes.len() % 2, 0);
    chunk
}

/// Format chunk of a .wav of one channel, with its extension.
fn fmt(format: u16, (bytes, bits): (u16, u16), extension: &[u8]) -> Vec<u8> {
    let mut fmt = format.to_le_bytes().to_vec();
    fmt.extend(1u16.to_le_bytes());
    fmt.extend(8000u32.to_le_bytes());
    fmt.extend((8000 * u32::from(bytes)).to_le_bytes());
    fmt.extend([bytes.to_le_bytes(), bits.to_le_bytes()].concat());
    fmt.extend(extension);
    fmt
}

/// Extension of a format chunk: the bits that are used, and the format.
fn extension(valid: u16, format: u8, more: &[u8]) -> Vec<u8> {
    let mut extension = (22 + more.len() as u16).to_le_bytes().to_vec();
    extension.extend(valid.to_le_bytes());
    extension.extend([4, 0, 0, 0, format, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]);
    extension.extend(more);
    extension
}

fn riff(chunks: &[Vec<u8>]) -> Vec<u8> {
    let chunks = chunks.concat();
    [b"RIFF", &(4 + chunks.len() as u32).to_le_bytes()[..], b"WAVE", &chunks].concat()
}

#[test]
fn sound_of_every_form_is_read() {
    let f = Folder::new();
    let read = |file: Vec<u8>| {
        f.file("x.wav", file);
        f.prints(&["signal", "filter", "x.wav", "--b", "1"])
    };
    let i32s = bytes_of!(i32: -8000 << 16, 1 << 30, -1 << 31);
    // 24 and 20 bits in 4 bytes lie in the upper ones; 12 in 2, and 20 in 3.
    for valid in [24, 20] {
        for more in [&[][..], &[0, 0]] {
            let fmt = fmt(0xfffe, (4, 32), &extension(valid, 1, more));
            let values = read(riff(&[chunk(b"fmt ", &fmt), chunk(b"data", &i32s)]));
            assert_eq!(values, "-0.24414063\n0.5\n-1.0\n", "{valid} bits");
        }
    }
    let plain = |format, width, data: &[u8]| riff(&[chunk(b"fmt ", &fmt(format, width, &[])), chunk(b"data", data)]);
    assert_eq!(read(plain(1, (2, 12), &bytes_of!(i16: 16 << 4, -2048 << 4))), "0.0078125\n-1.0\n");
    assert_eq!(read(plain(1, (3, 20), &[0, 0, 0x40, 0x10, 0, 0x80])), "0.5\n-0.9999981\n");
    // Values in the lower bits, as in hound's tests, keep their precision.
    let below = fmt(0xfffe, (4, 32), &extension(24, 1, &[]));
    let values = read(riff(&[chunk(b"fmt ", &below), chunk(b"data", &bytes_of!(i32: 1 << 22, -8_388_607))]));
    assert_eq!(values, "0.5\n-0.9999999\n");
    // All 32 bits fit f64; a third is stored as a float.
    assert_eq!(read(plain(1, (4, 32), &bytes_of!(i32: 1, i32::MIN))), "4.656612873077393e-10\n-1.0\n");
    assert_eq!(read(plain(3, (8, 64), &bytes_of!(f64: 1.0 / 3.0, -2.0))), "0.3333333333333333\n-2.0\n");
    let floats = fmt(0xfffe, (4, 32), &extension(32, 3, &[]));
    assert_eq!(read(riff(&[chunk(b"fmt ", &floats), chunk(b"data", &bytes_of!(f32: 0.25))])), "0.25\n");

    // Chunks of odd lengths, before and after the data, with and without their padding byte.
    let (list, data) = (chunk(b"LIST", &[1, 2, 3]), chunk(b"data", &bytes_of!(i16: 16384)));
    let fmt16 = chunk(b"fmt ", &fmt(1, (2, 16), &[]));
    for list in [&list[..], &list[..11]] {
        assert_eq!(read(riff(&[fmt16.clone(), list.to_vec(), data.clone(), list.to_vec()])), "0.5\n");
    }
    let bytes = chunk(b"fmt ", &fmt(1, (1, 8), &[]));
    assert_eq!(read(riff(&[bytes.clone(), chunk(b"data", &[192])])), "0.5\n");
    // Lengths as writers to a pipe leave them: ffmpeg, sox, and others.
    for (of_file, of_data) in [(u32::MAX, u32::MAX), (0x7fff_f024, 0x7fff_f000), (0, 0), (u32::MAX, 0)] {
        let mut file = riff(&[fmt16.clone(), data.clone(), list.clone()]);
        file.truncate(46);
        file[4..8].copy_from_slice(&of_file.to_le_bytes());
        file[40..44].copy_from_slice(&of_data.to_le_bytes());
        assert_eq!(read(file), "0.5\n", "{of_data:x}");
    }
    // RF64 has the length elsewhere.
    let sizes = [&100u64.to_le_bytes()[..], &2u64.to_le_bytes(), &1u64.to_le_bytes(), &[0; 4]].concat();
    let mut file = riff(&[chunk(b"ds64", &sizes), fmt16.clone(), data, list]);
    file[..8].copy_from_slice(b"RF64\xff\xff\xff\xff");
    file[12 + 36 + 24 + 4..][..4].copy_from_slice(&[0xff; 4]);
    assert_eq!(read(file), "0.5\n");
}

#[test]
fn sound_is_written_as_it_came() {
    let f = Folder::new();
    let copied = |file: &[u8]| {
        f.file("x.wav", file);
        f.prints(&["signal", "filter", "x.wav", "--b", "1", "-o", "y.wav"]);
        f.read("y.wav")
    };
    let upper = riff(&[
        chunk(b"fmt ", &fmt(0xfffe, (4, 32), &extension(20, 1, &[]))),
        chunk(b"data", &bytes_of!(i32: 5 << 12, i32::MIN, 0x7fff_f000)),
    ]);
    assert_eq!(copied(&upper), upper);
    let three = riff(&[chunk(b"fmt ", &fmt(0xfffe, (3, 24), &extension(24, 1, &[]))), chunk(b"data", &[1, 2, 0x83])]);
    assert_eq!(copied(&three), three);
    let bytes = riff(&[chunk(b"fmt ", &fmt(1, (1, 8), &[])), chunk(b"data", &[0, 1, 255])]);
    assert_eq!(copied(&bytes), bytes);
    let floats = riff(&[
        chunk(b"fmt ", &fmt(3, (8, 64), &[0, 0])),
        chunk(b"fact", &[2, 0, 0, 0]),
        chunk(b"data", &bytes_of!(f64: 1.0 / 3.0, 1e300)),
    ]);
    assert_eq!(copied(&floats), floats);
}

/// The same file with the most significant byte of each number first.
fn big_endian(chunks: &[(&[u8; 4], Vec<u8>)], fields: &[usize], width: usize) -> Vec<u8> {
    let mut all = b"WAVE".to_vec();
    for (id, bytes) in chunks {
        let mut bytes = bytes.clone();
        let fields = if *id == b"fmt " { fields.to_vec() } else { vec![width; bytes.len() / width] };
        let mut begin = 0;
        for field in fields {
            bytes[begin..begin + field].reverse();
            begin += field;
        }
        all.extend([&id[..], &(bytes.len() as u32).to_be_bytes(), &bytes].concat());
    }
    [b"RIFX", &(all.len() as u32).to_be_bytes()[..], &all].concat()
}

#[test]
fn big_endian_sound_is_read() {
    let f = Folder::new();
    let plain: &[usize] = &[2, 2, 4, 4, 2, 2];
    // The extension: its size, the bits, the mask, and the GUID.
    let extended: &[usize] = &[2, 2, 4, 4, 2, 2, 2, 2, 4, 4, 2, 2];
    let cases: [(u16, (u16, u16), Vec<u8>, &[usize], Vec<u8>); 5] = [
        (1, (1, 8), vec![], plain, vec![1, 2, 250, 128]),
        (1, (2, 16), vec![], plain, bytes_of!(i16: 1, -2, 30_000, -30_000)),
        (0xfffe, (3, 24), extension(24, 1, &[]), extended, vec![1, 2, 3, 0xff, 0xfe, 0xfd]),
        (3, (4, 32), vec![], plain, bytes_of!(f32: 0.5, -0.25, 1e-3)),
        (0xfffe, (8, 64), extension(64, 3, &[]), extended, bytes_of!(f64: 0.5, -0.25)),
    ];
    for (format, (bytes, bits), extension, fields, data) in cases {
        let header = fmt(format, (bytes, bits), &extension);
        f.file("little.wav", riff(&[chunk(b"fmt ", &header), chunk(b"data", &data)]));
        let chunks = [(b"fmt ", header), (b"data", data)];
        f.file("big.wav", big_endian(&chunks, fields, bytes.into()));
        let [little, big] = ["little.wav", "big.wav"].map(|name| f.prints(&["signal", "filter", name, "--b", "1"]));
        assert_eq!(little, big, "{format} {bits}");
        // It is written as others are.
        for name in ["little.wav", "big.wav"] {
            f.prints(&["signal", "filter", name, "--b", "1", "-o", &format!("out.{name}")]);
        }
        assert!(f.read("out.little.wav") == f.read("out.big.wav"), "{format} {bits}");
    }
}

#[test]
fn wrong_sound_is_named() {
    let f = Folder::new();
    let fails = |file: &[u8], words: &[&str]| {
        f.file("x.wav", file);
        f.fails(&["signal", "filter", "x.wav", "--b=1"], b"", 2, words);
    };
    let of = |format, width, extension: &[u8]| {
        riff(&[chunk(b"fmt ", &fmt(format, width, extension)), chunk(b"data", &[0; 16])])
    };
    fails(&of(7, (1, 8), &[]), &["x.wav: is a .wav of mu-law (format 7)"]);
    fails(&of(0xfffe, (2, 16), &extension(16, 6, &[])), &["A-law"]);
    fails(&of(0xfffe, (2, 16), &[22, 0, 16, 0]), &["fmt chunk is too short"]);
    fails(&of(0xfffe, (2, 16), &[7; 24]), &["a format of somebody's own"]);
    fails(&of(3, (2, 16), &[]), &["floats of 16 bits", "32 and 64 are read"]);
    fails(&of(1, (8, 64), &[]), &["whole numbers of 64 bits"]);
    fails(&of(1, (0, 16), &[]), &["16 bits"]);
    fails(b"RIFX\0\0\0\0WAVE", &["truncated: it has no data"]);
    fails(b"RIFF\0\0\0\0WAVE", &["truncated: it has no data"]);
    fails(b"RIFF\0\0\0\0AVI ", &["no WAVE"]);
    fails(&riff(&[chunk(b"data", &[0; 4])]), &["data comes before its fmt"]);
    fails(&riff(&[chunk(b"fmt ", &fmt(1, (2, 16), &[])), chunk(b"data", &[0; 3])]), &["truncated: 3 bytes"]);
}

#[test]
fn wrong_input_is_named() {
    let f = Folder::new();
    f.file("x.npy", npy("'<f8'", "(3,)", &bytes_of!(f64: 1.0, 2.0, 3.0)));
    f.file("large.npy", npy("'<u8'", "(1,)", &bytes_of!(u64: u64::MAX)));
    f.file("rows.csv", "1,0,0,1,0,0\n1,0,0,1,0\n").file("words.csv", "1,0,0,1,zero,0\n").file("none.csv", "");
    f.file("cut.wav", &wav(1, 16, &[1, 2, 3, 4])[..46]).file("no.wav", "RIFF and what not");
    f.file("wide.npy", npy("'<f8'", "(2, 3)", &[0; 48]));
    let fails = |args: &[&str], words: &[&str]| f.fails(args, b"", 2, words);
    let filter = |more: &[&'static str]| [&["signal", "filter"], more].concat();
    fails(&filter(&["x.npy"]), &["--b"]);
    fails(&filter(&["x.npy", "--b", "1", "--sos", "rows.csv"]), &["--b", "--sos"]);
    fails(&filter(&["x.npy", "--b", "1", "--a", "0,1"]), &["--b, --a: a[0] is 0: all coefficients are divided by it"]);
    fails(&filter(&["x.npy", "--b", "nan"]), &["--b, --a: b[0] is NaN: coefficients are finite numbers"]);
    fails(&filter(&["x.npy", "--b", "one"]), &["--b", "one"]);
    fails(&filter(&["x.npy", "--b=1", "--pad", "even"]), &["--both-ways"]);
    fails(&filter(&["x.npy", "--b=1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"]), &["the number of coefficients b is 18"]);
    fails(&filter(&["x.npy", "--b=1", "--a=1,-1", "--both-ways"]), &["--b, --a: the sum of the coefficients a is 0"]);
    fails(&filter(&["x.npy", "--b=1", "--both-ways"]), &["x.npy: the padding of a signal of 3 elements is 3"]);
    fails(&filter(&["x.npy", "--b=1", "--axis", "1"]), &["x.npy: has no axis 1: there is one axis, 0"]);
    fails(&filter(&["x.npy", "--sos", "rows.csv"]), &["rows.csv: row 2: has 5 cells where the first row has 6"]);
    f.file("few.csv", "1,0,0\n");
    fails(&filter(&["x.npy", "--sos", "few.csv"]), &["few.csv: row 1: has 3 numbers: a section has 6"]);
    fails(&filter(&["x.npy", "--sos", "words.csv"]), &["words.csv: row 1: `zero` is no number"]);
    fails(&filter(&["x.npy", "--sos", "none.csv"]), &["--sos none.csv: the number of sections is 0"]);
    fails(
        &filter(&["x.npy", "--sos", "wide.npy"]),
        &["wide.npy: has the shape [2, 3]: sections are rows of 6 numbers"],
    );
    fails(&filter(&["x.npy", "--sos", "sos.txt"]), &["sos.txt: sections are in a .npy, .csv or .tsv file"]);
    fails(&filter(&["x.npy", "--sos", "missing.csv"]), &["missing.csv"]);
    fails(&filter(&["large.npy", "--b=1"]), &["large.npy: value 0 is 18446744073709551615, which is no f64"]);
    fails(&filter(&["cut.wav", "--b=1"]), &["cut.wav: is truncated"]);
    fails(&filter(&["no.wav", "--b=1"]), &["no.wav: is no .wav"]);
    fails(&filter(&["missing.wav", "--b=1"]), &["missing.wav: no such file"]);
    fails(&filter(&["cut.wav", "--b=1", "--column", "2"]), &["cut.wav: is sound, which has no --column"]);
    fails(&filter(&["x.npy", "--b=1", "-o", "y.wav"]), &["-o y.wav: x.npy is no .wav", "write .npy"]);
    fails(&filter(&["x.npy", "--b=1", "-o", "y.mp3"]), &["-o y.mp3: no .mp3 is written"]);
    fails(&["scan", "cut.wav"], &["cut.wav: is sound, which `upsweep signal` reads"]);
    fails(&["signal", "smooth", "x.npy"], &["--half-life"]);
    fails(&["signal", "smooth", "x.npy", "--half-life", "2", "--span", "2"], &["--half-life", "--span"]);
    fails(
        &["signal", "smooth", "x.npy", "--half-life", "-2"],
        &["--half-life: the half-life is -2: it is a finite number above 0"],
    );
    fails(&["signal", "smooth", "x.npy", "--span", "0"], &["--span: the span is 0: it is a finite number from 1 on"]);
}

/// Files of several chunks have the results of values from a pipe, but for rounding, wherever they are cut.
#[test]
fn signals_in_chunks_and_parts() {
    let f = Folder::new();
    let n = (1usize << 17) * 2 + 1000;
    let x: Vec<f64> = (0..n).map(|i| (i * 7919 % 1009) as f64 / 16.0).collect();
    let bytes: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
    f.file("x.f64", &bytes);
    let numbers = |bytes: &[u8]| -> Vec<f64> {
        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
    };
    let commands: [&[&str]; 2] =
        [&["filter", "--b", "0.25,0.5", "--a", "1,-1.5,0.75"], &["smooth", "--half-life", "100"]];
    for command in commands {
        let signal = [&["signal"], command, &["--device", "cpu"]].concat();
        let expected = numbers(&f.run(&[&signal[..], &["x.f64", "--type", "f64", "-o", "-"]].concat()).stdout);
        let check = |found: &[u8], what: &str| {
            let found = numbers(found);
            let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-10 * y.abs().max(1.0);
            assert!(found.len() == n && found.iter().zip(&expected).all(near), "{command:?} {what}");
        };
        f.run(&[&signal[..], &["x.f64", "-o", "y.f64"]].concat()).good();
        check(&f.read("y.f64"), "of a file");
        let mut parts = Vec::new();
        for (k, cut) in [0, 1, 1, 1 << 17, n - 5, n].windows(2).enumerate() {
            f.file("part.f64", &bytes[cut[0] * 8..cut[1] * 8]);
            let from: &[&str] = if k == 0 { &[] } else { &["--carry-in", "state"] };
            let to = if k % 2 == 0 { "part.out.f64" } else { "-" };
            let part = ["part.f64", "--type", "f64", "-o", to, "--carry-out", "state"];
            let done = f.run(&[&signal[..], &part, from].concat());
            assert_eq!(done.code, Some(0), "{}", done.stderr);
            if k % 2 == 0 { parts.extend(f.read("part.out.f64")) } else { parts.extend(done.stdout) }
        }
        check(&parts, "in parts");
        // The last results of the parts come with the carry, which another command refuses.
        let other =
            ["signal", "filter", "--b", "1", "--a", "1,-0.125,0.5", "x.f64", "-o", "z.f64", "--carry-in", "state"];
        f.fails(
            &other,
            b"",
            2,
            &["the carry is of a recurrence of 1 signals of f64 in f64, whose functions were others"],
        );
    }
    let n = (1 << 17) + 3;
    let mut whole: Vec<u8> = (0..n).flat_map(|i: u64| i.to_le_bytes()).collect();
    whole.extend(bytes_of!(u64: (1 << 53) + 1));
    f.file("x.u64", whole);
    let said = format!("x.u64: value {n} is 9007199254740993, which is no f64");
    f.fails(&["signal", "filter", "--b", "1", "x.u64", "-o", "z.f64", "--device", "cpu"], b"", 2, &[&said]);
    f.file("none.f32", b"");
    f.run(&["signal", "filter", "--b", "1,1", "none.f32", "-o", "y.npy", "--carry-out", "c", "--device", "cpu"]).good();
    f.file("one.f32", bytes_of!(f32: 4.0));
    f.run(&["signal", "filter", "--b", "1,1", "one.f32", "-o", "y.f32", "--carry-in", "c", "--device", "cpu"]).good();
    assert_eq!(f.read("y.f32"), bytes_of!(f32: 4.0));
}
