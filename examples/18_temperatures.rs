//! 18: exponential averages of four years of temperatures, with half-lives of a week and of two months, as a picture.
//!
//! `cargo run --release -p upsweep-apps --example 18_temperatures -- temperatures.svg`

use std::fmt::Write;
use upsweep::prelude::*;
use upsweep_apps::signal::Smooth;

/// Returns the SVG line through daily values, in a picture 720 wide and 200 high, from -10 to 40 degrees.
fn line(values: &[f64], style: &str) -> String {
    let step = 720.0 / values.len() as f64;
    let points = values.iter().enumerate().fold(String::new(), |mut points, (day, value)| {
        let _ = write!(points, "{:.1},{:.1} ", day as f64 * step, 160.0 - 4.0 * value);
        points
    });
    format!("<polyline fill='none' {style} points='{}'/>\n", points.trim_end())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best()?;
    let table = include_str!("data/seattle-weather.csv");
    let highest = table.lines().skip(1).filter_map(|row| row.split(',').nth(2)?.parse().ok()).collect::<Vec<f64>>();
    let on_device = device.upload(&highest)?;
    let smoothed = |days: f64| -> upsweep::Result<Vec<f64>> {
        let mut smoothed = device.filled(highest.len(), 0.0)?;
        Smooth::half_life(days).run(&device, &on_device, &mut smoothed)?;
        smoothed.to_vec()
    };
    let (week, season) = (smoothed(7.0)?, smoothed(60.0)?);

    // Check: the serial loop.
    let (weight, mut mean) = (1.0 - 0.5f64.powf(1.0 / 7.0), highest[0]);
    for (day, (x, y)) in highest.iter().zip(&week).enumerate() {
        mean += weight * (x - mean);
        assert!((y - mean).abs() < 1e-9, "day {day}: {y}, not {mean}");
    }
    println!(" day  highest  by weeks  by seasons");
    for day in (0..week.len()).step_by(146) {
        println!("{day:4} {:8.1} {:9.1} {:11.1}", highest[day], week[day], season[day]);
    }

    let Some(path) = std::env::args().nth(1) else { return Ok(()) };
    let lines = line(&highest, "stroke='#9ab' stroke-width='0.5'")
        + &line(&week, "stroke='#06c' stroke-width='1.2'")
        + &line(&season, "stroke='#d40' stroke-width='1.6'");
    let frame = "<rect width='720' height='200' fill='#fff'/>\n<path d='M0 160H720M0 120H720M0 80H720M0 40H720' stroke='#ddd'/>\n";
    let svg = format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 200'>\n{frame}{lines}</svg>\n");
    std::fs::write(path, svg)?;
    Ok(())
}
