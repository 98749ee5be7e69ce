//! Tests of `upsweep image` and `upsweep terrain`.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use support::{Folder, bytes_of, npy, npy_data};

fn yes(f: &Folder, args: &[&str]) -> Vec<u8> {
    let done = f.run_with(args, b"");
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{args:?}");
    done.stdout
}

/// Error line of a run with bad input.
fn wrong(f: &Folder, args: &[&str]) -> String {
    let done = f.run_with(args, b"");
    assert_eq!(
        (done.code, done.stdout.len(), done.stderr.lines().count()),
        (Some(2), 0, 1),
        "{args:?}: {}",
        done.stderr
    );
    done.stderr
}

#[test]
fn images() {
    let f = Folder::new();
    f.file("x.npy", npy("'|u1'", "(2, 3)", &[1, 2, 3, 4, 5, 6]));
    yes(&f, &["image", "integral", "x.npy", "-o", "sums.npy"]);
    assert_eq!(npy_data(&f.read("sums.npy")), bytes_of!(u64: 0, 0, 0, 0, 0, 1, 3, 6, 0, 5, 12, 21));
    // Through a .png and back.
    yes(&f, &["image", "blur", "x.npy", "--radius", "0", "-o", "same.png"]);
    yes(&f, &["image", "blur", "same.png", "--radius", "0", "-o", "same.npy"]);
    assert_eq!(npy_data(&f.read("same.npy")), [1, 2, 3, 4, 5, 6]);
    yes(&f, &["image", "blur", "same.png", "--radius", "1", "-o", "blurred.npy"]);
    assert_eq!(npy_data(&f.read("blurred.npy")), [3, 4, 4, 3, 4, 4]);
    yes(&f, &["image", "blur", "same.png", "--radius", "9", "--focus", "0,0", "-o", "focus.npy"]);
    assert_eq!(npy_data(&f.read("focus.npy"))[0], 1);
    yes(&f, &["image", "blur", "same.png", "--sigma", "2", "-o", "soft.npy"]);
    yes(&f, &["image", "threshold", "same.png", "--radius", "1", "-o", "bw.png"]);
    yes(&f, &["image", "equalise", "same.png", "-o", "spread.npy"]);
    assert_eq!(npy_data(&f.read("spread.npy")), [0, 51, 102, 153, 204, 255]);
    yes(&f, &["image", "mipmap", "same.png", "--level", "1", "-o", "half.npy"]);
    assert_eq!(npy_data(&f.read("half.npy")), [4]);
    // Colours of 16 bits.
    f.file(
        "rgb.npy",
        npy(
            "'<u2'",
            "(2, 2, 3)",
            &bytes_of!(u16: 0, 500, 1000, 1500, 2000, 2500, 3000, 30000, 40000, 50000, 60000, 65535),
        ),
    );
    yes(&f, &["image", "mipmap", "rgb.npy", "-o", "pyramid.png"]);
    yes(&f, &["image", "blur", "pyramid.png", "--radius", "0", "-o", "pyramid.npy"]);
    assert_eq!(npy_data(&f.read("pyramid.npy")).len(), 2 * 16);
}

#[test]
fn bad_images() {
    let f = Folder::new();
    f.file("x.npy", npy("'|u1'", "(2, 3)", &[1, 2, 3, 4, 5, 6]));
    f.file("f.npy", npy("'<f4'", "(2, 1)", &bytes_of!(f32: 1.0, 2.0)));
    f.file("line.npy", npy("'|u1'", "(6,)", &[1, 2, 3, 4, 5, 6]));
    f.file("i.npy", npy("'<i4'", "(1, 1)", &bytes_of!(i32: 1)));
    f.file("broken.png", "\u{89}PNG and no more");
    assert!(wrong(&f, &["image", "blur", "broken.png", "--radius", "1", "-o", "y.png"]).contains("broken.png"));
    assert!(wrong(&f, &["image", "blur", "none.png", "--radius", "1", "-o", "y.png"]).contains("none.png"));
    assert!(wrong(&f, &["image", "blur", "line.npy", "--radius", "1", "-o", "y.png"]).contains("[6]"));
    assert!(wrong(&f, &["image", "blur", "i.npy", "--radius", "1", "-o", "y.png"]).contains("i32"));
    assert!(wrong(&f, &["image", "blur", "f.npy", "--radius", "1", "-o", "y.png"]).contains("f32"));
    assert!(wrong(&f, &["image", "blur", "x.npy", "--sigma", "0.1", "-o", "y.png"]).contains("0.1"));
    assert!(wrong(&f, &["image", "blur", "x.npy", "--radius", "1", "--focus", "1", "-o", "y.png"]).contains("--focus"));
    assert!(wrong(&f, &["image", "blur", "x.npy", "--radius", "1", "-o", "y.jpg"]).contains(".png"));
    assert!(wrong(&f, &["image", "mipmap", "x.npy", "-o", "y.png"]).contains("three"));
    assert!(wrong(&f, &["image", "mipmap", "x.npy", "--level", "7", "-o", "y.png"]).contains('7'));
    assert!(wrong(&f, &["image", "equalise", "f.npy", "-o", "y.npy"]).contains("u8"));
    assert!(wrong(&f, &["image", "integral", "x.npy", "-o", "y.png"]).contains("u64"));
    assert!(wrong(&f, &["image", "integral", "x.npy", "--type", "f32", "-o", "y.npy"]).contains("u8"));
    assert!(!f.names().contains(&"y.png".to_owned()) && !f.names().contains(&"y.npy".to_owned()));
}

const GRID: &str = "ncols 5\nnrows 3\nxllcorner 0\nyllcorner 10\ncellsize 2\nNODATA_value -9999\n\
                    0 0 5 0 1\n0 0 5 0 1\n0 -9999 5 0 1\n";

#[test]
fn terrain() {
    let f = Folder::new();
    f.file("dem.asc", GRID);
    let seen = yes(&f, &["terrain", "sight", "dem.asc", "--from", "1,0", "--to", "1,4", "--height", "1.7"]);
    assert_eq!(String::from_utf8(seen).unwrap(), "1\n1\n1\n0\n0\n");
    yes(&f, &["terrain", "viewshed", "dem.asc", "--from", "1,0", "--height", "1.7", "-o", "seen.npy"]);
    assert_eq!(npy_data(&f.read("seen.npy")), [1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 0]);
    yes(&f, &["terrain", "viewshed", "dem.asc", "--from", "1,0", "--height", "1.7", "-o", "seen.asc"]);
    let text = String::from_utf8(f.read("seen.asc")).unwrap();
    assert_eq!(text, "ncols 5\nnrows 3\nxllcorner 0\nyllcorner 10\ncellsize 2\n1 1 1 0 0\n1 1 1 0 0\n1 0 1 0 0\n");
    yes(&f, &["terrain", "viewshed", "dem.asc", "--from", "1,0", "--shaded", "-o", "seen.png"]);
    yes(&f, &["image", "blur", "seen.png", "--radius", "0", "-o", "colours.npy"]);
    assert_eq!(npy_data(&f.read("colours.npy")).len(), 45);
    f.file("flat.npy", npy("'<i2'", "(2, 3)", &bytes_of!(i16: 7, 7, 7, 7, 7, 7)));
    yes(&f, &["terrain", "shade", "flat.npy", "--sun", "0,30", "-o", "shade.npy"]);
    assert_eq!(npy_data(&f.read("shade.npy")), [128; 6]);
}

#[test]
fn bad_terrain() {
    let f = Folder::new();
    f.file("dem.asc", GRID);
    f.file("short.asc", GRID.replace("0 0 5 0 1\n0 -9999", "0 -9999"));
    f.file("words.asc", GRID.replace("5 0 1\n0 0 5", "5 0 x\n0 0 5"));
    f.file("size.asc", GRID.replace("cellsize 2\n", ""));
    let from = |file, cell| wrong(&f, &["terrain", "viewshed", file, "--from", cell, "-o", "y.png"]);
    assert!(from("dem.asc", "3,0").contains("row 3, column 0"));
    assert!(from("dem.asc", "3").contains("--from"));
    assert!(from("short.asc", "0,0").contains("10 altitudes, not 3 rows of 5"));
    assert!(from("words.asc", "0,0").contains("line 7"));
    assert!(from("size.asc", "0,0").contains("cellsize"));
    assert!(wrong(&f, &["terrain", "sight", "dem.asc", "--from", "0,0", "--to", "0,9"]).contains("column 9"));
    assert!(wrong(&f, &["terrain", "shade", "dem.asc", "--spacing", "0,1", "-o", "y.png"]).contains("above 0"));
    assert!(wrong(&f, &["terrain", "shade", "dem.asc", "--sun", "1", "-o", "y.png"]).contains("--sun"));
    assert!(
        wrong(&f, &["terrain", "viewshed", "dem.asc", "--from", "0,0", "--shaded", "-o", "y.asc"]).contains(".png")
    );
    assert!(!f.names().contains(&"y.png".to_owned()));
}

#[test]
fn a_header_costs_no_memory() {
    let f = Folder::new();
    let chunk = |id: &[u8; 4], data: &[u8]| {
        let mut bytes = (data.len() as u32).to_be_bytes().to_vec();
        bytes.extend(id);
        bytes.extend(data);
        let crc = bytes[4..].iter().fold(!0u32, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
        });
        bytes.extend((!crc).to_be_bytes());
        bytes
    };
    // The file has one pixel of one row, not compressed, of all that the header promises; interlaced, too.
    for (width, height, interlaced) in
        [(1u32, 2_147_483_647u32, 0), (2_147_483_647, 1, 0), (1, 2_147_483_647, 1), (60_000, 60_000, 0)]
    {
        let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
        header.extend([8, 0, 0, 0, interlaced]);
        let row = [0x78, 1, 1, 2, 0, 0xfd, 0xff, 0, 9, 0, 0x0b, 0, 0x0a];
        let png =
            [&b"\x89PNG\r\n\x1a\n"[..], &chunk(b"IHDR", &header), &chunk(b"IDAT", &row), &chunk(b"IEND", &[])].concat();
        f.file("x.png", png);
        let said = wrong(&f, &["image", "equalise", "x.png", "-o", "y.png"]);
        assert!(said.contains(&format!("its header promises {width} x {height} pixels")), "{said}");
    }
    // A few rows are missing: the others are read, and the lack is reported.
    f.file("x.npy", npy("'|u1'", "(40, 40)", &[7; 1600]));
    yes(&f, &["image", "blur", "x.npy", "--radius", "0", "-o", "x.png"]);
    let mut png = f.read("x.png");
    png.splice(8..33, chunk(b"IHDR", &[0, 0, 0, 40, 0, 0, 0, 44, 8, 0, 0, 0, 0]));
    f.file("x.png", png);
    assert!(wrong(&f, &["image", "equalise", "x.png", "-o", "y.png"]).contains("x.png: "));
}

#[test]
fn an_image_without_channels() {
    let f = Folder::new();
    f.file("x.npy", npy("'|u1'", "(3, 1099511627776, 0)", &[]));
    for options in [
        &["integral"][..],
        &["blur", "--radius", "1"],
        &["blur", "--sigma", "1"],
        &["threshold", "--radius", "1"],
        &["equalise"],
        &["mipmap"],
        &["mipmap", "--level", "1"],
    ] {
        let said = wrong(&f, &[&["image"], options, &["x.npy", "-o", "y.npy"]].concat());
        assert!(
            said.contains("x.npy: has the shape [3, 1099511627776, 0]: an image has one channel at least"),
            "{said}"
        );
    }
}

#[test]
fn pixels_of_f64_stay() {
    let f = Folder::new();
    f.file("x.npy", npy("'<f8'", "(1, 3)", &bytes_of!(f64: 100_000_000.5, 1e8, 1e8)));
    yes(&f, &["image", "threshold", "x.npy", "--radius", "1", "-o", "y.npy"]);
    assert_eq!(npy_data(&f.read("y.npy")), [255, 0, 0]);
    // Colours are compared by their luma.
    f.file("rgb.npy", npy("'<f8'", "(1, 2, 3)", &bytes_of!(f64: 1e8, 100_000_000.5, 1e8, 1e8, 1e8, 1e8)));
    yes(&f, &["image", "threshold", "rgb.npy", "--radius", "1", "-o", "y.npy"]);
    assert_eq!(npy_data(&f.read("y.npy")), [255, 0]);
}

#[test]
fn grids_as_other_programs_write_them() {
    let f = Folder::new();
    let grid = |none: &str, cells: &str| {
        format!("ncols 3\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value {none}\n{cells}\n")
    };
    // One f32 with more and with fewer digits, and NaN.
    for (none, cell) in [
        ("-3.4028234663852886e+38", "-3.40282346638529e+38"),
        ("-9999", "-9999.0"),
        ("nan", "NaN"),
        ("0.1", "0.100000001490116"),
    ] {
        f.file("x.asc", grid(none, &format!("0 {cell} 1")));
        yes(&f, &["terrain", "viewshed", "x.asc", "--from", "0,0", "-o", "y.npy"]);
        assert_eq!(npy_data(&f.read("y.npy")), [1, 0, 1], "{none}");
    }
    f.file("x.asc", grid("-9999", "0 1e39 1"));
    assert!(
        wrong(&f, &["terrain", "shade", "x.asc", "-o", "y.npy"])
            .contains("line 7: `1e39` is more than an altitude can be")
    );
    f.file("x.npy", npy("'<f8'", "(1, 2)", &bytes_of!(f64: 1.0, -1e39)));
    assert!(wrong(&f, &["terrain", "shade", "x.npy", "-o", "y.npy"]).contains("x.npy: value 1 is -1e39"));
}

/// A terrain is the same in each of its formats, and so is an image.
#[test]
fn formats_of_terrain_and_images() {
    let f = Folder::new();
    let cells: Vec<u16> = (0..600u32).map(|k| (k * 7919 % 997) as u16).collect();
    let bytes: Vec<u8> = cells.iter().flat_map(|z| z.to_le_bytes()).collect();
    f.file("x.npy", npy("'<u2'", "(20, 30)", &bytes));
    let big: Vec<u8> = cells.iter().flat_map(|z| z.to_be_bytes()).collect();
    f.file("x.pgm", [b"P5\n30 20\n65535\n", &big[..]].concat());
    yes(&f, &["image", "blur", "x.pgm", "--radius", "0", "-o", "x.png"]);
    yes(&f, &["image", "blur", "x.png", "--radius", "0", "-o", "again.pgm"]);
    assert_eq!(f.read("again.pgm"), f.read("x.pgm"));
    let mut tif = std::io::Cursor::new(Vec::new());
    let mut encoder = tiff::encoder::TiffEncoder::new(&mut tif).unwrap();
    let mut image = encoder.new_image::<tiff::encoder::colortype::Gray16>(30, 20).unwrap();
    image.encoder().write_tag(tiff::tags::Tag::ModelPixelScaleTag, &[10.0, 20.0, 0.0][..]).unwrap();
    image.write_data(&cells).unwrap();
    f.file("x.tif", tif.into_inner());
    let of = |name: &str, spacing: &[&str]| {
        let args = [&["terrain", "shade", name, "-o", "out.npy"], spacing].concat();
        yes(&f, &args);
        f.read("out.npy")
    };
    let wanted = of("x.npy", &[]);
    assert_eq!((of("x.pgm", &[]), of("x.png", &[])), (wanted.clone(), wanted.clone()));
    assert_eq!(of("x.tif", &["--spacing", "1,1"]), wanted);
    assert_eq!(of("x.tif", &[]), of("x.npy", &["--spacing", "10,20"]));
    yes(&f, &["terrain", "shade", "x.tif", "-o", "out.asc"]);
    assert!(f.read("out.asc").starts_with(b"ncols 30\nnrows 20\nxllcorner 0\nyllcorner 0\ndx 10\ndy 20\n"));
    f.file("c.ppm", b"P6 1 1 255 abc").file("bad.tif", "II*\0");
    assert!(wrong(&f, &["terrain", "shade", "c.ppm", "-o", "out.png"]).contains("has 3 channels: a terrain has one"));
    assert!(wrong(&f, &["terrain", "shade", "bad.tif", "-o", "out.png"]).contains("is no .tif that can be read"));
    assert!(wrong(&f, &["image", "blur", "c.ppm", "--radius", "0", "-o", "o.pgm"]).contains("not 3: write .npy"));
}

#[test]
fn dense_matrices_are_arrays() {
    let f = Folder::new();
    f.file("a.mtx", "%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3\n4\n5\n6\n");
    assert_eq!(f.prints(&["reduce", "a.mtx", "--axis", "1"]), "9\n12\n");
    assert_eq!(f.prints(&["reduce", "a.mtx", "--type", "f32"]), "21.0\n");
    yes(&f, &["scan", "a.mtx", "-o", "sums.npy"]);
    assert_eq!(npy_data(&f.read("sums.npy")), bytes_of!(i64: 1, 4, 9, 11, 15, 21));
    f.file("s.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 1 1\n2 3 5\n");
    f.file("x.mtx", "%%MatrixMarket matrix array integer general\n3 1\n1\n2\n3\n");
    assert_eq!(f.prints(&["graph", "spmv", "s.mtx", "x.mtx"]), "1\n15\n");
    assert!(wrong(&f, &["reduce", "s.mtx"]).contains("is a sparse matrix, which `upsweep graph` reads"));
    assert!(wrong(&f, &["reduce", "a.mtx", "--column", "a"]).contains("--column is for tables"));
}
