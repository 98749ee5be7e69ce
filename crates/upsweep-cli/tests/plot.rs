//! Tests of `upsweep plot`.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![cfg(unix)]

mod support;

use roxmltree::Document;
use support::{Folder, bytes_of, npy};

const TABLE: &str = "day,kind,x,y,z\nmo,a,0,1,5\ntu,b,10,3,6\nwe,a,20,-2,7\nth,b,40,4,\n";

/// Draws as SVG, and checks that the picture stands alone.
#[track_caller]
fn svg(f: &Folder, args: &[&str], input: &[u8]) -> String {
    let done = f.run_with(&[&["plot"], args, &["-o", "out.svg"]].concat(), input);
    assert_eq!((done.code, &*done.stderr, done.stdout.len()), (Some(0), "", 0), "{args:?}");
    let svg = String::from_utf8(f.read("out.svg")).unwrap();
    let document = Document::parse(&svg).unwrap();
    for node in document.descendants() {
        assert!(!node.has_tag_name("script") && !node.attributes().any(|a| a.name().starts_with("on")), "{svg}");
        assert!(node.attribute("href").is_none_or(|to| to.starts_with("data:image/png;base64,")), "{svg}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    svg
}

/// Points of each line of a picture.
fn lines(svg: &str) -> Vec<Vec<[f64; 2]>> {
    let document = Document::parse(svg).unwrap();
    let paths = document.descendants().filter(|node| node.attribute("class").is_some_and(|c| c.starts_with("line ")));
    let point = |text: &str| {
        let (x, y) = text.split_once(' ').unwrap();
        [x.parse().unwrap(), y.parse().unwrap()]
    };
    paths.map(|path| path.attribute("d").unwrap()[1..].split('L').map(point).collect()).collect()
}

/// Places of the bars of a picture: left, top, width and height.
fn bars(svg: &str) -> Vec<[f64; 4]> {
    let document = Document::parse(svg).unwrap();
    let boxes = document.descendants().filter(|node| node.attribute("class").is_some_and(|c| c.starts_with('l')));
    let boxes = boxes.filter(|node| node.has_tag_name("rect"));
    boxes.map(|b| ["x", "y", "width", "height"].map(|name| b.attribute(name).unwrap().parse().unwrap())).collect()
}

fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

#[test]
fn lines_go_through_their_points() {
    let f = Folder::new();
    let found = lines(&svg(&f, &["-"], b"0 1 2 4"));
    assert_eq!(found.len(), 1);
    let [a, b, c, d] = found[0][..] else { panic!("{found:?}") };
    // Places are in proportion to rows and values, and upwards.
    assert!(a[0] < b[0] && (b[0] - a[0] - (d[0] - c[0])).abs() < 0.02 && a[1] > b[1]);
    assert!((d[1] - c[1] - 2.0 * (b[1] - a[1])).abs() < 0.02, "{found:?}");
    // Steps go along before they go up.
    let steps = lines(&svg(&f, &["-", "--as", "steps"], b"0 1 2 4"));
    assert_eq!(steps[0].len(), 7);
    assert!(steps[0].windows(2).all(|two| two[0][0] == two[1][0] || two[0][1] == two[1][1]));
    // One value alone, none, and equal ones.
    assert_eq!(lines(&svg(&f, &["-"], b"7"))[0].len(), 2);
    assert!(lines(&svg(&f, &["-"], b"")).is_empty());
    assert_eq!(lines(&svg(&f, &["-"], b"-3 -3"))[0].len(), 2);
}

#[test]
fn tables_have_a_line_for_each_column_or_group() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    let two = svg(&f, &["t.csv", "--column", "x,y"], b"");
    assert_eq!((lines(&two).len(), lines(&two)[1].len()), (2, 4));
    assert!(["x, y of t.csv", "x", "y", "row"].iter().all(|text| texts(&two).contains(&(*text).to_owned())), "{two}");
    let by = svg(&f, &["t.csv", "--column", "y", "--by", "kind"], b"");
    assert_eq!(lines(&by).iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    assert!(["y of t.csv by kind", "a", "b"].iter().all(|text| texts(&by).contains(&(*text).to_owned())), "{by}");
    // Rows stand at their numbers, or are named.
    let at = lines(&svg(&f, &["t.csv", "--column", "y", "--x", "x"], b""));
    let gaps: Vec<f64> = at[0].windows(2).map(|two| two[1][0] - two[0][0]).collect();
    assert!((gaps[0] - gaps[1]).abs() < 0.02 && (gaps[2] - 2.0 * gaps[0]).abs() < 0.02, "{at:?}");
    let named = texts(&svg(&f, &["t.csv", "--column", "y", "--x", "day"], b""));
    assert!(["mo", "tu", "we", "th", "day"].iter().all(|text| named.contains(&(*text).to_owned())), "{named:?}");
    // A value that is left out tears the line.
    let torn =
        svg(&f, &["-", "--format", "csv", "--column", "v", "--missing", "skip"], b"v,w\n1,1\n2,1\n,1\n3,1\n4,1\n");
    assert_eq!(lines(&torn).iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
    let done = f.run(&["plot", "t.csv", "--column", "z", "--missing", "propagate"]);
    assert!(done.code == Some(0) && done.stderr.contains("not drawn are 1 of the values"), "{done:?}");
}

#[test]
fn bars_stand_on_zero() {
    let f = Folder::new();
    f.file("t.csv", TABLE).file("h.csv", "low,high,count\n0,1,2\n1,3,4\n3,5,1\n");
    let of_rows = bars(&svg(&f, &["t.csv", "--column", "y", "--as", "bars"], b""));
    assert_eq!(of_rows.len(), 4);
    let zero = of_rows[0][1] + of_rows[0][3];
    assert!(of_rows.iter().all(|b| (b[1] + b[3] - zero).abs() < 0.02 || (b[1] - zero).abs() < 0.02), "{of_rows:?}");
    assert!((of_rows[1][3] - 3.0 * of_rows[0][3]).abs() < 0.05 && (of_rows[2][1] - zero).abs() < 0.02);
    // Those of a histogram are as wide as the bins.
    let bins = bars(&svg(&f, &["h.csv", "--x", "low", "--column", "count", "--as", "bars"], b""));
    assert!((bins[1][2] - 2.0 * bins[0][2]).abs() < 0.05 && (bins[2][2] - bins[1][2]).abs() < 0.05, "{bins:?}");
    assert!((bins[0][0] + bins[0][2] - bins[1][0]).abs() < 0.02, "{bins:?}");
    // Of two columns the bars are side by side.
    let both = bars(&svg(&f, &["t.csv", "--column", "x,y", "--as", "bars"], b""));
    assert!((both[0][0] + both[0][2] - both[4][0]).abs() < 0.02, "{both:?}");
}

/// A long file is read in chunks, and its picture is that of the same values in memory; none of its extremes is lost.
#[test]
fn long_arrays_keep_their_extremes() {
    let f = Folder::new();
    for n in [2801usize, 70_001, 700_000] {
        let mut x: Vec<f32> = (0..n).map(|k| ((k * 7919) % 101) as f32).collect();
        x[n / 3] = 1000.0;
        x[n / 2] = -500.0;
        let bytes: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
        f.file("x.npy", npy("'<f4'", &format!("({n},)"), &bytes));
        for kind in ["line", "bars"] {
            let of_file = svg(&f, &["x.npy", "--as", kind, "--device", "cpu"][..3], b"");
            let whole = svg(&f, &["-", "--as", kind], &f.read("x.npy"));
            assert!(of_file == whole.replace("standard input", "x.npy"), "{n}, {kind}");
            assert!(of_file.len() < 300_000, "{}", of_file.len());
            if kind == "line" {
                let all = &lines(&of_file)[0];
                let low = all.iter().filter(|p| p[1] < 80.0).count();
                let high = all.iter().filter(|p| p[1] > 330.0).count();
                assert!((1..4).contains(&low) && (1..4).contains(&high), "{n}: {low}, {high}");
            }
        }
    }
}

#[test]
fn arrays_of_two_axes_are_heat_maps() {
    let f = Folder::new();
    f.file("x.npy", npy("'|u1'", "(2, 3)", &[0, 1, 2, 3, 4, 5])).file("x.pgm", b"P5 3 2 255 \x00\x01\x02\x03\x04\x05");
    f.file("x.asc", "ncols 3\nnrows 2\ncellsize 1\nNODATA_value -1\n0 1 2\n3 4 -1\n");
    f.file("cube.npy", npy("'|u1'", "(1, 1, 1)", &[0]));
    let map = svg(&f, &["x.npy"], b"");
    assert_eq!(map.matches("<image").count(), 2);
    assert_eq!(map.replace("x.npy", "x.pgm"), svg(&f, &["x.pgm"], b""));
    assert_eq!(f.prints(&["plot", "x.npy"]), "x.npy\n░▒▓\n2 x 3, from 0 (light) to 5 (dark)\n");
    // Cells without data are blank.
    let done = f.run(&["plot", "x.asc"]);
    assert!(String::from_utf8_lossy(&done.stdout).ends_with("2 x 3, from 0 (light) to 4 (dark)\n"), "{done:?}");
    // The columns are lines where these are asked for.
    assert_eq!(lines(&svg(&f, &["x.npy", "--as", "line"], b"")).len(), 3);
    f.fails(
        &["plot", "cube.npy"],
        b"",
        2,
        &["cube.npy: has the shape [1, 1, 1]: a plot has rows, or rows and columns"],
    );
    f.fails(&["plot", "-", "--as", "heat"], b"1 2", 2, &["has the shape [2]: a heat map has rows and columns"]);
    f.file("none.npy", npy("'<f8'", "(0, 3)", &[]));
    svg(&f, &["none.npy"], b"");
    assert!(f.prints(&["plot", "none.npy"]).contains("no numbers"));
    f.file("same.npy", npy("'<f8'", "(1, 2)", &bytes_of!(f64: 3.0, 3.0)));
    assert!(f.prints(&["plot", "same.npy"]).contains("▒▒"));
}

#[test]
fn sound_stands_at_its_seconds() {
    let f = Folder::new();
    f.file("x.npy", npy("'<f4'", "(8000, 2)", &vec![0; 64_000]));
    let numbers = |numbers: &[u16]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let chunk = |name: &[u8], bytes: &[u8]| [name, &(bytes.len() as u32).to_le_bytes(), bytes].concat();
    let fmt = chunk(b"fmt ", &numbers(&[1, 2, 8000, 0, 32000, 0, 4, 16]));
    let values: Vec<u16> = (0..32_000u32).map(|k| (k % 99) as u16).collect();
    f.file("x.wav", chunk(b"RIFF", &[&b"WAVE"[..], &fmt, &chunk(b"data", &numbers(&values))].concat()));
    let found = svg(&f, &["x.wav"], b"");
    let texts = texts(&found);
    // 16,000 values of each channel are 2 seconds.
    for text in ["seconds", "channel 0", "channel 1", "0.5", "1.5"] {
        assert!(texts.contains(&text.to_owned()), "{text}: {texts:?}");
    }
    assert_eq!(lines(&found).len(), 2);
}

#[test]
fn pixels_are_those_of_the_picture() {
    let f = Folder::new();
    f.file("t.csv", TABLE);
    for args in [&["t.csv", "--column", "y"][..], &["t.csv", "--column", "x,y", "--as", "bars"]] {
        f.run(&[&["plot"], args, &["-o", "out.png"]].concat()).good();
        let file = f.read("out.png");
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((frame.width, frame.height, frame.color_type), (1600, 840, png::ColorType::Rgb));
        let count = |ink: [u8; 3]| pixels.chunks(3).filter(|pixel| *pixel == ink).count();
        // The paper, the first line's colour, and the letters.
        assert!(count([255; 3]) > 500_000 && count([0x00, 0x72, 0xb2]) > 500 && count([0x5d, 0x68, 0x7b]) > 50);
    }
}

#[test]
fn wrong_calls_are_told() {
    let f = Folder::new();
    f.file("t.csv", TABLE).file("x.npy", npy("'|u1'", "(2, 20)", &[1; 40])).file("c.ppm", b"P6 1 1 255 abc");
    let rows: String = (0..13).map(|k| format!("{k},{k}\n")).collect();
    f.file("many.csv", format!("k,v\n{rows}"));
    let fails = |args: &[&str], words: &[&str]| f.fails(&[&["plot"], args].concat(), b"", 2, words);
    fails(&["t.csv", "--column", "y", "-o", "out.gif"], &["-o out.gif: end it in .svg or .png"]);
    fails(&["t.csv", "--column", "y,w"], &["t.csv: has no column `w`"]);
    fails(&["t.csv", "--column", "y", "--x", "w"], &["t.csv: has no column `w`"]);
    fails(&["t.csv", "--column", "z"], &["row 5: column z: the cell is empty"]);
    fails(&["t.csv", "--column", "y", "--as", "heat"], &["t.csv: is a table, and a heat map"]);
    fails(&["x.npy", "--x", "y"], &["x.npy: is no table, and --x is for tables"]);
    fails(&["x.npy", "--by", "y"], &["x.npy: is no table, and --by is for tables"]);
    fails(&["x.npy", "--as", "line"], &["x.npy: 20 lines: a plot has 12 at most"]);
    fails(&["many.csv", "--column", "v", "--by", "k"], &["many.csv: 13 lines: a plot has 12 at most"]);
    fails(&["c.ppm"], &["c.ppm: has 3 channels: a heat map is of one"]);
    fails(&["c.ppm", "--type", "u8"], &["c.ppm: is an image, which has no --type"]);
    fails(&["missing.npy"], &["missing.npy: no such file"]);
}
