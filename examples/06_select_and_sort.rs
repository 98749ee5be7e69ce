//! 6: selection (stream compaction), sorts, distinct values and a histogram.
//!
//! `cargo run --release -p upsweep --example 06_select_and_sort`

use upsweep::prelude::*;

#[function]
fn passed(mark: u32) -> bool {
    mark >= 50
}

fn main() -> upsweep::Result<()> {
    let device = Device::best()?;
    let marks = [71u32, 38, 95, 50, 38, 64, 71, 12];
    let x = device.upload(&marks)?;
    println!("marks           {marks:?}");

    // Elements for which a predicate holds, in their order; and their indices.
    let kept: Vec<u32> = Select::new(Passed).run_to_vec(&device, &x)?;
    let places: Vec<u32> = Select::new(Passed).indices().run_to_vec(&device, &x)?;
    println!("at least 50     {kept:?}\nat the indices  {places:?}");
    assert_eq!(kept, [71, 95, 50, 64, 71]);
    assert_eq!(places, [0, 2, 3, 5, 6]);

    // Sorts are stable: equal marks, here 71 and 38, keep their order.
    let sorted: Vec<u32> = Sort::new().descending().run_to_vec(&device, &x)?;
    let mut order = device.filled(8, 0u32)?;
    Sort::new().descending().indices().run(&device, &x, &mut order)?;
    println!("sorted          {sorted:?}\ncome from       {:?}", order.to_vec()?);
    assert_eq!(sorted, [95, 71, 71, 64, 50, 38, 38, 12]);
    assert_eq!(order.to_vec()?, [2, 0, 6, 5, 3, 1, 4, 7]);

    // Distinct values, and their counts.
    let (values, counts) = Unique::new().counts().run_to_vecs(&device, &x)?;
    println!("distinct        {values:?}\ncounts          {counts:?}");
    assert_eq!((values, counts), (vec![12, 38, 50, 64, 71, 95], vec![1, 2, 1, 1, 2, 1]));

    // Four bins of equal width from 0 to 100. The last bin includes its upper edge, as in NumPy.
    let mut bins = device.filled(4, 0u32)?;
    Histogram::even(0.0..=100.0, 4).run(&device, &x, &mut bins)?;
    println!("in four bins    {:?}", bins.to_vec()?);
    assert_eq!(bins.to_vec()?, [1, 2, 4, 1]);
    Ok(())
}
