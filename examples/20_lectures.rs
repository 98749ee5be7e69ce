//! 20: the numbers that lectures on prefix sums work out by hand, each under the lecture's name. docs/seeds.md explains
//! the ideas.
//!
//! `cargo run --release -p upsweep --example 20_lectures`

use std::fmt::Display;
use upsweep::operator::Same;
use upsweep::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const CS121: &str = "CS121, \"CUDA 4: Prefix Sums\"";
const CONTROL_FLOW: &str = "Lensch and Strzodka, \"Control Flow\"";
const HARRIS: &str = "Harris, \"Parallel Prefix Sum (Scan) with CUDA\"";
const BLELLOCH: &str = "Blelloch, \"Prefix Sums and Their Applications\"";

/// Array that three of the lectures scan.
const X: [u32; 8] = [3, 1, 7, 0, 4, 1, 6, 3];

fn heading(idea: &str, lecture: &str) {
    println!("\n{idea} ({lecture})");
}

fn row<T: Display>(label: &str, values: &[T]) {
    let values: Vec<String> = values.iter().map(|value| format!("{value:>3}")).collect();
    println!("  {label:<28}{}", values.join(" "));
}

#[function]
fn odd(x: u32) -> bool {
    x % 2 == 1
}

#[function]
fn square(x: u32) -> u32 {
    x * x
}

#[function]
fn mean(a: u8, b: u8, c: u8, d: u8) -> u8 {
    ((a as u32 + b as u32 + c as u32 + d as u32 + 2) / 4) as u8
}

fn scans(device: &Device) -> Outcome {
    heading("Inclusive and exclusive scan", HARRIS);
    row("x", &X);
    let inclusive: Vec<u32> = Scan::new(Sum).run_to_vec(device, &X)?;
    row("inclusive", &inclusive);
    println!("  The text prints 14 in place of 15: 11 + 4 is 15.");
    let exclusive: Vec<u32> = Scan::new(Sum).exclusive().run_to_vec(device, &X)?;
    row("exclusive", &exclusive);
    assert_eq!(inclusive, [3, 4, 11, 11, 15, 16, 22, 25]);
    assert_eq!(exclusive, [0, 3, 4, 11, 11, 15, 16, 22]);

    heading("The sum tree of the up-sweep", CONTROL_FLOW);
    let mut tree = [0u32; 8];
    UpSweep::new(Sum).run(device, &X, &mut tree)?;
    row("tree", &tree);
    assert_eq!(tree, [3, 4, 7, 11, 4, 5, 6, 25]);

    heading("Segmented scan", CS121);
    let (x, flags) = ([1u32, 2, 3, 4, 6, 5, 1, 3, 5], [1u8, 0, 0, 0, 1, 0, 1, 0, 0]);
    let heads = flags.map(|flag| flag == 1);
    let sums: Vec<u32> = Scan::new(Sum).exclusive().segments(Segments::HeadFlags(&heads)).run_to_vec(device, &x)?;
    row("x", &x);
    row("flags", &flags);
    row("exclusive sums", &sums);
    assert_eq!(sums, [0, 1, 3, 6, 0, 6, 0, 1, 4]);

    heading("out[j] = out[j-1] + f(in[j-1]), here with f(x) = x * x", HARRIS);
    let sums: Vec<u32> = Scan::new(Sum).map(Square).exclusive().with_total().run_to_vec(device, &X)?;
    row("out", &sums);
    assert_eq!(sums, [0, 9, 10, 59, 59, 75, 76, 112, 121]);

    heading("Sum and maximum", CONTROL_FLOW);
    let (sum, largest) = (Reduce::new(Sum).run_to_host(device, &X)?, Reduce::new(Max).run_to_host(device, &X)?);
    println!("  {sum}, {largest}");
    assert_eq!((sum, largest), (25, 7));
    Ok(())
}

/// Returns 1 if letter `s` is above letter `t`, -1 if it is below, and 0 if they are equal.
#[function]
fn compared(s: u8, t: u8) -> i32 {
    if s > t {
        1
    } else if s < t {
        -1
    } else {
        0
    }
}

/// Returns the first of two signs that is not 0. The operator is associative, with the identity 0.
#[operator(identity = 0)]
fn first_difference(a: i32, b: i32) -> i32 {
    if a != 0 { a } else { b }
}

/// Transition of an automaton (DFA) with two states, outside (0) and inside (1) of quotes: the next state from each
/// state.
#[function]
fn step(byte: u8) -> (u8, u8) {
    if byte == 34 { (1u8, 0u8) } else { (0u8, 1u8) }
}

/// Composition: first `f`, then `g`.
#[operator(identity = (0, 1))]
fn compose(f: (u8, u8), g: (u8, u8)) -> (u8, u8) {
    let from_outside: u8 = if f.0 == 0 { g.0 } else { g.1 };
    let from_inside: u8 = if f.1 == 0 { g.0 } else { g.1 };
    (from_outside, from_inside)
}

#[function]
fn from_outside(f: (u8, u8)) -> u8 {
    f.0
}

fn texts(device: &Device) -> Outcome {
    heading("Stream compaction: the odd numbers", CS121);
    let x = [1u32, 3, 2, 4, 8, 6, 5, 4, 9, 7, 3];
    let filter: Vec<u32> = x.iter().map(|x| x % 2).collect();
    let sums: Vec<u32> = Scan::new(Sum).run_to_vec(device, &filter)?;
    let output: Vec<u32> = Select::new(Odd).run_to_vec(device, &x)?;
    row("A", &x);
    row("filter", &filter);
    row("sums", &sums);
    row("output", &output);
    assert_eq!(sums, [1, 2, 2, 2, 2, 2, 3, 3, 4, 5, 6]);
    assert_eq!(output, [1, 3, 5, 9, 7, 3]);

    heading("Stream compaction: the marked values", CONTROL_FLOW);
    let (x, marks) = ([3u32, 1, 7, 4, 2, 1, 5, 6, 3, 1], [1u32, 0, 1, 0, 0, 0, 0, 1, 0, 0]);
    let places: Vec<u32> = Scan::new(Sum).exclusive().run_to_vec(device, &marks)?;
    let output: Vec<u32> = Select::flags(&marks.map(|mark| mark as u8)).run_to_vec(device, &x)?;
    row("values", &x);
    row("marks", &marks);
    row("destinations", &places);
    row("output", &output);
    assert_eq!(places, [0, 1, 1, 2, 2, 2, 2, 2, 3, 3]);
    assert_eq!(output, [3, 7, 6]);

    heading("String comparison", CS121);
    let (s, t) = (b"parallax", b"parallel");
    let signs: Vec<i32> = Transform::new(Compared).run_to_array(device, (s, t))?.to_vec()?;
    let order: i32 = Reduce::new(FirstDifference).map(Compared).run_to_host(device, (s, t))?;
    row("parallax", &s.map(char::from));
    row("parallel", &t.map(char::from));
    row("A", &signs);
    println!("  The first that is not 0 is {order}, so parallax < parallel.");
    assert_eq!((signs, order), (vec![0, 0, 0, 0, 0, 0, -1, 1], -1));

    heading("Lexical analysis: the commas between quotes separate nothing", CONTROL_FLOW);
    let text = br#"a,"b,c",d"#;
    let inside: Vec<u8> = Scan::new(Compose).map(Step).finish(FromOutside).run_to_vec(device, text)?;
    row("text", &text.map(char::from));
    row("inside of quotes", &inside);
    assert_eq!(inside, [0, 0, 1, 1, 1, 1, 0, 0, 0]);
    Ok(())
}

/// Returns the bucket of an element: the element itself. Its type has 16 bits, for at most 65,536 buckets.
#[function]
fn key(x: u32) -> u16 {
    x as u16
}

#[function]
fn bit_is_0(#[param] bit: u32, x: u32) -> bool {
    (x >> bit) & 1 == 0
}

fn sorts(device: &Device) -> Outcome {
    heading("Range histogram: how many of x lie from 1 to 4, both included", CONTROL_FLOW);
    let mut counts = [0u32; 8];
    Histogram::by(Same, 8).run(device, &X, &mut counts)?;
    let before: Vec<u32> = Scan::new(Sum).exclusive().with_total().run_to_vec(device, &counts)?;
    row("x", &X);
    row("histogram h", &counts);
    row("P, exclusive, with total", &before);
    println!("  P[4 + 1] - P[1] = {}. The inclusive sums, pref[4] - pref[1], leave out h[1].", before[5] - before[1]);
    assert_eq!(counts, [1, 2, 0, 2, 1, 0, 1, 1]);
    assert_eq!(before[5] - before[1], 5);

    heading("Counting sort: P says where each key starts", CS121);
    let (mut sorted, mut starts) = ([0u32; 8], [0u32; 9]);
    Partition::ways(Key, 8).run(device, &X, &mut sorted, &mut starts)?;
    row("starts of 0 to 7, and end", &starts);
    row("sorted", &sorted);
    assert_eq!(starts, before[..]);
    assert_eq!(sorted, [0, 1, 1, 3, 3, 4, 6, 7]);

    heading("Radix sort: a stable split by each bit, the lowest first", CS121);
    let mut keys = X;
    row("x", &keys);
    for bit in 0..3 {
        let mut split = [0u32; 8];
        Partition::new(BitIs0 { bit }).run(device, &keys, &mut split)?;
        keys = split;
        row(&format!("split by bit {bit}"), &keys);
    }
    assert_eq!(keys, sorted);
    Ok(())
}

/// Returns the slope from the observer, at index 0, to a point of the ray; minus infinity for the observer's own point.
#[function]
fn slope(#[param] observer: f64, altitude: f64, at: u64) -> f64 {
    if at == 0 { f64::NEG_INFINITY } else { (altitude - observer) / at as f64 }
}

#[function]
fn above(before: f64, slope: f64, at: u64) -> u8 {
    if at == 0 || slope > before { 1 } else { 0 }
}

fn pictures(device: &Device) -> Outcome {
    heading("Line of sight: a point is seen if its slope exceeds all slopes before it", CS121);
    let altitudes = [1.0f64, 2.0, 1.0, 3.0, 3.0, 6.0];
    let slopes = || Apply(Slope { observer: altitudes[0] }, (&altitudes, 0..6u64));
    let highest: Vec<f64> = Scan::new(Max).exclusive().run_to_vec(device, slopes())?;
    let visible: Vec<u8> = Transform::new(Above).run_to_array(device, (&highest, slopes(), 0..6u64))?.to_vec()?;
    row("altitudes", &altitudes);
    row("highest slope before", &highest.iter().map(|slope| format!("{slope:.1}")).collect::<Vec<_>>());
    row("visible", &visible);
    assert_eq!(visible, [1, 1, 0, 0, 0, 0]);

    heading("Summed-area table: along the rows, then down the columns", CONTROL_FLOW);
    let (shape, mut table) = ([2, 3], [1u32, 2, 3, 4, 5, 6]);
    table.chunks(3).for_each(|values| row("image", values));
    Scan::new(Sum).axis(&shape, 1).run_in_place(device, &mut table)?;
    Scan::new(Sum).axis(&shape, 0).run_in_place(device, &mut table)?;
    table.chunks(3).for_each(|values| row("table", values));
    let corner = table[5] - table[2] - table[3] + table[0];
    println!("  The lower right 1 x 2 pixels: 21 - 6 - 5 + 1 = {corner}.");
    assert_eq!(table, [1, 3, 6, 5, 12, 21]);
    assert_eq!(corner, 5 + 6);

    heading("Mipmap: means of 2 x 2 pixels, level by level", CONTROL_FLOW);
    let (image, mut levels) = ([10u8, 20, 30, 40, 50, 60, 70, 81], [0; 3]);
    Pyramid::new(Mean, [1, 2, 4, 1], 2).run(device, &image, &mut levels)?;
    image.chunks(4).for_each(|values| row("level 0", values));
    row("level 1", &levels[..2]);
    row("level 2", &levels[2..]);
    assert_eq!(levels, [35, 55, 45]);
    Ok(())
}

/// Joins neighbouring groups of coefficients. A group is a pair: the power of the point whose exponent is the group's
/// length, and the value of the group's own polynomial at the point.
#[operator(identity = (1.0, 0.0))]
fn join(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 * b.0, a.1 + a.0 * b.1)
}

#[function]
fn coefficient(#[param] at: f64, c: f64) -> (f64, f64) {
    (at, c)
}

const STOPS: u8 = 0;
const MAKES: u8 = 1;
const PASSES: u8 = 2;

/// Effect on a carry of two neighbouring groups of digits. `lower` is the first operand, as the scan is reversed.
#[operator(identity = 2)]
fn carry(lower: u8, higher: u8) -> u8 {
    if higher == 2 { lower } else { higher }
}

fn arithmetic(device: &Device) -> Outcome {
    heading("Polynomial evaluation: 2 + 3 x + x^2 at x = 2", CONTROL_FLOW);
    let coefficients = [2.0f64, 3.0, 1.0];
    let (power, value) = Reduce::new(Join).map(Coefficient { at: 2.0 }).run_to_host(device, &coefficients)?;
    println!("  x^3 = {power}, value {value}");
    assert_eq!((power, value), (8.0, 12.0));

    heading("Addition of big integers: 09957 + 00164", BLELLOCH);
    let (a, b) = ([0u8, 9, 9, 5, 7], [0u8, 0, 1, 6, 4]);
    let digits = || a.iter().zip(&b).map(|(a, b)| a + b);
    let kinds: Vec<u8> = digits()
        .map(|sum| {
            if sum > 9 {
                MAKES
            } else if sum == 9 {
                PASSES
            } else {
                STOPS
            }
        })
        .collect();
    let carries: Vec<u8> = Scan::new(Carry).exclusive().reverse().init(STOPS).run_to_vec(device, &kinds)?;
    let sum: Vec<u8> = digits().zip(&carries).map(|(sum, carry)| (sum + carry) % 10).collect();
    row("stops, makes, passes a carry", &kinds.iter().map(|&kind| ["s", "m", "p"][kind as usize]).collect::<Vec<_>>());
    row("carry into the digit", &carries);
    row("sum", &sum);
    assert_eq!(sum, [1, 0, 1, 2, 1]);

    heading("x[i] = a[i] + b[i] / x[i-1], all of a and b 1: quotients of Fibonacci numbers", BLELLOCH);
    let steps = (&[1.0; 5], &[1.0; 5], Repeat(1.0), Repeat(0.0));
    let fractions: Vec<f64> = upsweep::varying::moebius(1.0).run_to_vec(device, steps)?;
    row("x", &fractions.iter().map(|x| format!("{x:.6}")).collect::<Vec<_>>());
    for (found, expected) in fractions.iter().zip([2.0, 3.0 / 2.0, 5.0 / 3.0, 8.0 / 5.0, 13.0 / 8.0]) {
        assert!((found - expected).abs() < 1e-15, "{found}, not {expected}");
    }
    Ok(())
}

/// Index of pixel `rank` of a line, in an image 16 pixels wide.
#[function]
fn pixel(line: [i32; 4], rank: u32) -> i32 {
    let (across, down) = (line[2] - line[0], line[3] - line[1]);
    let steps = across.abs().max(down.abs()).max(1);
    let at = rank as i32;
    (line[1] + down * at / steps) * 16 + line[0] + across * at / steps
}

fn allocations(device: &Device) -> Outcome {
    heading("Depths in a tree: +1 where a walk enters a vertex, -1 where it leaves it", BLELLOCH);
    let walk = "((()())(()))";
    let steps: Vec<i32> = walk.chars().map(|step| if step == '(' { 1 } else { -1 }).collect();
    let depths: Vec<i32> = Scan::new(Sum).run_to_vec(device, &steps)?;
    row("walk", &walk.chars().collect::<Vec<_>>());
    row("depth, from 1", &depths);
    assert_eq!(depths, [1, 2, 3, 2, 3, 2, 1, 2, 3, 2, 1, 0]);

    heading("Processor allocation: 2, 0 and 3 slots", CS121);
    let owners: Vec<u32> = Expand::new().run_to_vec(device, &[2u32, 0, 3])?;
    let ranks: Vec<u32> = Expand::new().ranks().run_to_vec(device, &[2u32, 0, 3])?;
    row("owner of each slot", &owners);
    row("its rank among the owner's", &ranks);
    assert_eq!((owners, ranks), (vec![0, 0, 2, 2, 2], vec![0, 1, 0, 1, 2]));

    heading("Line drawing: a slot for each pixel of each line", BLELLOCH);
    let lines = [[0i32, 0, 15, 7], [15, 0, 0, 7], [8, 0, 8, 7]];
    let pixels: Vec<u32> =
        lines.iter().map(|l| (l[2] - l[0]).unsigned_abs().max((l[3] - l[1]).unsigned_abs()) + 1).collect();
    let owners: Vec<u32> = Expand::new().run_to_vec(device, &pixels)?;
    let ranks: Vec<u32> = Expand::new().ranks().run_to_vec(device, &pixels)?;
    let mut image = [b'.'; 16 * 8];
    let inks = [b'#'; 3];
    let places = Apply(Pixel, (Gather::of(&lines).at(&owners), &ranks));
    Transform::copy().run(device, Gather::of(&inks).at(&owners), Scatter::to(&mut image).at(places))?;
    row("pixels of each line", &pixels);
    for row in image.chunks(16) {
        println!("  {}", String::from_utf8_lossy(row));
    }
    // One pixel belongs to two lines, and one to all three.
    assert_eq!(image.iter().filter(|&&ink| ink == b'#').count(), 16 + 16 + 8 - 1 - 2);
    Ok(())
}

fn main() -> Outcome {
    let device = Device::cpu();
    scans(&device)?;
    texts(&device)?;
    sorts(&device)?;
    pictures(&device)?;
    arithmetic(&device)?;
    allocations(&device)
}
