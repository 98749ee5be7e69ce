//! Tests of the forms in which arrays come: Fortran order, big-endian, archives.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;
use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use std::io::Write;
use support::{Folder, bytes_of, npy, npy_data, npy_dictionary};

/// Elements of an array of 3 x 4 x 2 in C order.
fn elements() -> Vec<f64> {
    (0..24).map(|k| f64::from(k * k % 23) + 0.5).collect()
}

/// The array in Fortran order.
fn fortran(descr: &str, bytes: fn(f64) -> Vec<u8>) -> Vec<u8> {
    let x = elements();
    let places = (0..2).flat_map(|k| (0..4).flat_map(move |j| (0..3).map(move |i| (i * 4 + j) * 2 + k)));
    let data: Vec<u8> = places.flat_map(|place| bytes(x[place])).collect();
    npy_dictionary(1, &format!("{{'descr': {descr}, 'fortran_order': True, 'shape': (3, 4, 2), }}"), &data)
}

#[test]
fn arrays_in_fortran_order_have_the_axes_that_they_have() {
    let f = Folder::new();
    let data: Vec<u8> = elements().iter().flat_map(|x| x.to_le_bytes()).collect();
    f.file("c.npy", npy("'<f8'", "(3, 4, 2)", &data));
    f.file("f.npy", fortran("'<f8'", |x| x.to_le_bytes().to_vec()));
    f.file("big.npy", fortran("'>f8'", |x| x.to_be_bytes().to_vec()));
    f.file("small.npy", fortran("'<f4'", |x| (x as f32).to_le_bytes().to_vec()));
    let calls: [&[&str]; 9] = [
        &["scan", "X", "-o", "-"],
        &["scan", "X", "--axis", "0", "-o", "-"],
        &["scan", "X", "--axis", "-1", "--exclusive", "-o", "-"],
        &["reduce", "X", "--axis", "1"],
        &["reduce", "X", "--op", "max"],
        &["sort", "X", "--axis", "2"],
        &["select", "X", "--where", "x > 7", "--indices"],
        &["signal", "filter", "X", "--b", "1,1", "--axis", "0"],
        &["unique", "X"],
    ];
    for call in calls {
        let of = |name: &str| call.iter().map(|word| word.replace('X', name)).collect::<Vec<_>>();
        let run = |name| f.run(&of(name).iter().map(String::as_str).collect::<Vec<_>>()).good_bytes();
        let expected = run("c.npy");
        assert!(run("f.npy") == expected && run("big.npy") == expected, "{call:?}");
    }
    // With a conversion, too, and into files.
    for name in ["f.npy", "small.npy", "c.npy"] {
        f.prints(&["scan", name, "--axis", "0", "--type", "f64", "-o", "out.npy"]);
        f.prints(&["scan", "c.npy", "--axis", "0", "-o", "expected.npy"]);
        assert!(f.read("out.npy") == f.read("expected.npy"), "{name}");
    }
    // No elements, one column, and a file that ends too early.
    f.file("x.npy", npy_dictionary(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (0, 4), }", b""));
    assert_eq!(f.prints(&["reduce", "x.npy", "--axis", "0"]), "0.0\n0.0\n0.0\n0.0\n");
    f.file(
        "x.npy",
        npy_dictionary(1, "{'descr': '<i2', 'fortran_order': True, 'shape': (3, 1), }", &bytes_of!(i16: 1, 2, 3)),
    );
    assert_eq!(f.prints(&["reduce", "x.npy", "--axis", "1"]), "1\n2\n3\n");
    let short = fortran("'<f8'", |x| x.to_le_bytes().to_vec());
    f.file("x.npy", &short[..short.len() - 1]);
    f.fails(&["scan", "x.npy", "-o", "new.npy"], b"", 2, &["is truncated"]);
    f.fails(&["scan", "-", "-o", "new.npy"], &short[..short.len() - 1], 2, &["is truncated"]);
}

/// Arrays in the other byte order are longer than a chunk, and go the way of files longer than memory.
#[test]
fn big_endian_arrays_in_chunks() {
    let f = Folder::new();
    let n = 700_000;
    let value = |k: i32| k.wrapping_mul(1_103_515_245).wrapping_add(12_345) >> 12;
    f.file(
        "little.npy",
        npy("'<i4'", &format!("({n},)"), &(0..n).flat_map(|k| value(k).to_le_bytes()).collect::<Vec<_>>()),
    );
    f.file(
        "big.npy",
        npy("'>i4'", &format!("({n},)"), &(0..n).flat_map(|k| value(k).to_be_bytes()).collect::<Vec<_>>()),
    );
    let calls: [&[&str]; 5] = [
        &["scan"],
        &["select", "--where", "x % 3 == 0"],
        &["sort"],
        &["scan", "--op", "max", "--exclusive", "--init", "-5"],
        &["select", "--where", "x > 0", "--indices"],
    ];
    for call in calls {
        for file in ["little", "big"] {
            let (input, output) = (format!("{file}.npy"), format!("{file}.out.npy"));
            let done = f.run(&[&[call[0], &*input], &call[1..], &["-o", &*output]].concat());
            assert_eq!(done.code, Some(0), "{call:?}: {}", done.stderr);
        }
        assert!(f.read("little.out.npy") == f.read("big.out.npy"), "{call:?}");
    }
    for call in [&["reduce", "--op", "xor"][..], &["reduce"], &["histogram", "--bins", "7"]] {
        let [little, big] = ["little.npy", "big.npy"].map(|file| f.prints(&[&[call[0], file], &call[1..]].concat()));
        assert_eq!(little, big, "{call:?}");
    }
}

/// An archive as NumPy writes them: `savez` stores, `savez_compressed` deflates.
fn npz(arrays: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut bytes = vec![];
    let mut archive = ZipArchiveWriter::new(&mut bytes);
    for (name, array) in arrays {
        let (mut entry, config) = archive.new_file(name).compression_method(method).start().unwrap();
        let descriptor = if method == CompressionMethod::DEFLATE {
            let mut to = config.wrap(DeflateEncoder::new(&mut entry, flate2::Compression::default()));
            to.write_all(array).unwrap();
            let (encoder, descriptor) = to.finish().unwrap();
            encoder.finish().unwrap();
            descriptor
        } else {
            let mut to = config.wrap(&mut entry);
            to.write_all(array).unwrap();
            to.finish().unwrap().1
        };
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}

#[test]
fn arrays_in_archives() {
    let f = Folder::new();
    let n = 200_000;
    let long: Vec<u8> = (0..n).flat_map(|k: i32| (k % 1000).to_le_bytes()).collect();
    let (x, y) = (npy("'<i4'", &format!("({n},)"), &long), fortran("'<f8'", |x| x.to_le_bytes().to_vec()));
    f.file("x.npy", &x).file("y.npy", &y);
    for method in [CompressionMethod::STORE, CompressionMethod::DEFLATE] {
        f.file("one.npz", npz(&[("x.npy", x.clone())], method));
        f.file("two.npz", npz(&[("x.npy", x.clone()), ("y.npy", y.clone()), ("note.txt", b"a note".to_vec())], method));
        let of_x = f.prints(&["reduce", "x.npy"]);
        assert_eq!(f.prints(&["reduce", "one.npz"]), of_x);
        assert_eq!(f.prints(&["reduce", "one.npz", "--array", "x"]), of_x);
        assert_eq!(f.prints(&["reduce", "two.npz", "--array", "x.npy"]), of_x);
        assert_eq!(f.prints(&["histogram", "two.npz", "--array", "x"]), f.prints(&["histogram", "x.npy"]));
        let by_axis = ["--array", "y", "--axis", "1", "-o", "out.npy"];
        f.prints(&[&["scan", "two.npz"], &by_axis[..]].concat());
        f.prints(&["scan", "y.npy", "--axis", "1", "-o", "expected.npy"]);
        assert!(f.read("out.npy") == f.read("expected.npy"));
        for call in [["sort", "--desc"], ["select", "--where=x > 998"]] {
            let of = |file: &[&str]| f.run(&[&call[..1], file, &call[1..]].concat()).good_bytes();
            assert_eq!(of(&["two.npz", "--array", "x"]), of(&["x.npy"]), "{call:?}");
        }
        f.prints(&["text", "compare", "one.npz", "x.npy"]);
        f.fails(&["reduce", "two.npz"], b"", 2, &["two.npz: holds several arrays", "--array: x, y"]);
        f.fails(&["reduce", "two.npz", "--array", "z"], b"", 2, &["two.npz: has no array z: there are x, y"]);
        // Cut anywhere, or changed: an error, and no output.
        let whole = f.read("one.npz");
        for part in 0..8 {
            f.file("cut.npz", &whole[..whole.len() * part / 8]);
            f.fails(&["scan", "cut.npz", "-o", "new.npy"], b"", 2, &["cut.npz: is no .npz that can be read"]);
        }
        for at in [whole.len() / 3, whole.len() / 2] {
            let mut wrong = whole.clone();
            wrong[at] ^= 1;
            f.file("wrong.npz", wrong);
            f.fails(&["scan", "wrong.npz", "-o", "new.npy"], b"", 2, &["wrong.npz: x: is a damaged compressed file"]);
        }
    }
    f.file("none.npz", npz(&[("note.txt", b"a note".to_vec())], CompressionMethod::STORE));
    f.fails(&["reduce", "none.npz"], b"", 2, &["is an archive without a .npy"]);
    f.file("other.npz", npz(&[("x.npy", x.clone())], CompressionMethod::from(12u16)));
    f.fails(&["reduce", "other.npz"], b"", 2, &["other.npz: x: is compressed by"]);
    f.file("lie.npz", npz(&[("x.npy", b"no array".to_vec())], CompressionMethod::STORE));
    f.fails(&["reduce", "lie.npz"], b"", 2, &["lie.npz: x: is no .npy"]);
    f.file("t.csv", "a\n1\n");
    for call in ["scan", "sort", "reduce"] {
        f.fails(&[call, "t.csv", "--array", "a"], b"", 2, &["t.csv: is no .npz, and --array is for these"]);
        f.fails(&[call, "x.npy", "--array", "a"], b"", 2, &["x.npy: is no .npz"]);
    }
    f.fails(&["reduce", "t.csv", "--array", "a", "--op", "count"], b"", 2, &["is no .npz"]);
    f.fails(&["reduce", "t.csv", "--array", "a", "--group-by", "a"], b"", 2, &["is no .npz"]);
    f.fails(&["select", "t.csv", "--array", "a", "--where", "a > 0"], b"", 2, &["is no .npz"]);
    f.fails(&["scan", "x.npy", "-o", "out.npz"], b"", 2, &["no .npz is written"]);
    assert_eq!(npy_data(&x).len(), 4 * n as usize);
}
