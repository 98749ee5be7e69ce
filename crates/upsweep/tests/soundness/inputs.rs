//! Buffers of a program's own types whose contents change between two calls of `view`.

use crate::functions::dirty;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use upsweep::operator::{Same, function};
use upsweep::prelude::*;
use upsweep::{
    Array, Dedup, Element, Error, Expand, Histogram, Input, Merge, MovingSum, Nth, Output, Partition, Pyramid,
    RangeHistogram, Recurrence, Result, Runs, Search, Segments, Select, Sets, Sort, TopK, Tridiagonal, Unique, UpSweep,
    View, ViewMut,
};

/// Input that is `first` for the first `until` views, and `then` after that.
struct Shifty<T> {
    first: Vec<T>,
    then: Vec<T>,
    asked: AtomicUsize,
    until: usize,
}

impl<T: Element> Input for Shifty<T> {
    type Item = T;
    fn view(&self) -> View<'_, T> {
        View::Host(if self.asked.fetch_add(1, Relaxed) < self.until { &self.first } else { &self.then })
    }
}

/// Output that is long at the first view, and has one element after that.
struct Shrinking<T> {
    long: Vec<T>,
    short: [T; 1],
    asked: bool,
}

impl<T: Element> Output for Shrinking<T> {
    type Item = T;
    fn view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::Host(if std::mem::replace(&mut self.asked, true) { &mut self.short } else { &mut self.long })
    }
}

fn once<T: Clone>(first: &[T], then: &[T]) -> Shifty<T> {
    until(1, first, then)
}

fn until<T: Clone>(until: usize, first: &[T], then: &[T]) -> Shifty<T> {
    Shifty { first: first.to_vec(), then: then.to_vec(), asked: AtomicUsize::new(0), until }
}

#[function]
fn odd(x: u32) -> bool {
    x % 2 == 1
}

#[function]
fn sum_of_four(a: u32, b: u32, c: u32, d: u32) -> u32 {
    a + b + c + d
}

#[test]
fn counts_are_asked_for_once() {
    let device = Device::cpu();
    dirty();
    let counts = once(&[1000u32; 10], &[0; 10]);
    let owners: Vec<u32> = Expand::new().run_to_vec(&device, &counts).unwrap();
    assert!(owners.into_iter().eq((0..10_000).map(|at| at / 1000)));
}

#[test]
fn both_passes_of_a_call_have_the_same_elements() {
    let device = Device::cpu();
    let long: Vec<u32> = (1..=100_000).collect();
    let mut out = vec![0; long.len()];
    let count = Partition::new(Odd).run(&device, &once(&long, &[5; 3]), &mut out).unwrap();
    assert_eq!((count.get(), out[0], out[49_999], out[50_000]), (Ok(50_000), 1, 99_999, 2));
    let runs = Runs::new().run_to_vecs::<_, u32>(&device, &once(&long, &[5; 3])).unwrap();
    assert_eq!(runs, (long.clone(), vec![1; long.len()]));
    assert_eq!(Select::new(Odd).run_to_vec::<_, u32>(&device, &once(&long, &[5; 3])).unwrap().len(), 50_000);
}

#[test]
fn a_list_is_asked_for_once() {
    let device = Device::cpu();
    let (list, longer) = ([1u32, 2, 2], vec![99_999u32; 100_000]);
    let found = Scan::new(Sum).along(&once(&list, &longer), 0).run_to_array(&device, &[1u64; 3]);
    assert_eq!(found.unwrap().to_vec(), Ok(vec![1, 2, 3]));
}

#[test]
fn a_table_is_asked_for_once() {
    let device = Device::cpu();
    let n = 300;
    let ones = vec![1u32; n * n];
    for exclusive in [false, true] {
        let scan = if exclusive { Scan::new(Sum).exclusive().with_total() } else { Scan::new(Sum) };
        let (shape, side) = ([n, n], n + usize::from(exclusive));
        let table = scan.axes(&shape, &[1, 0]);
        let mut out = vec![0; side * side];
        table.run(&device, &once(&ones, &[7; 3]), &mut out).unwrap();
        assert_eq!(out.last(), Some(&(n as u32 * n as u32)));
        let mut out = Shrinking { long: vec![0; side * side], short: [0], asked: false };
        table.run(&device, &ones, &mut out).unwrap();
        assert_eq!((out.long.last(), out.short), (Some(&(n as u32 * n as u32)), [0]));
        let found: Vec<u32> = table.run_to_vec(&device, &once(&ones, &[7; 3])).unwrap();
        assert_eq!(found, out.long);
    }
}

/// Every other call with such buffers: it uses the first view, or returns an error, and results are elements.
#[test]
fn all_calls() {
    let device = &Device::cpu();
    let (long, short) = (vec![5u32; 100_000], [5u32; 3]);
    let is_five = |found: Result<Array<u32>>, what: &str| match found {
        Ok(array) => assert!(array.to_vec().unwrap().iter().all(|&x| x == 5), "{what}"),
        Err(error) => assert!(matches!(error, Error::Length { .. } | Error::Shape { .. }), "{what}: {error}"),
    };
    for times in 0..4 {
        for (first, then) in [(&long[..], &short[..]), (&short[..], &long[..])] {
            let x = || until(times, first, then);
            dirty();
            is_five(Sort::new().run_to_array(device, &x()), "sort");
            is_five(Scan::new(Last).run_to_array(device, &x()), "scan");
            is_five(Scan::new(Max).axis(&[first.len(), 1], 0).run_to_array(device, &x()), "scan along an axis");
            is_five(Reduce::new(Max).run_to_array(device, &x()), "reduce");
            is_five(Merge::new().run_to_array(device, (&x(), &x())), "merge");
            is_five(Dedup::new().run_to_array(device, &x()), "dedup");
            is_five(Unique::new().run_to_array(device, &x()), "unique");
            is_five(TopK::largest(2).run_to_array(device, &x()), "top-k");
            is_five(Nth::median().run_to_array(device, &x()), "median");
            is_five(Sets::union().run_to_array(device, (&x(), &x())), "union");
            is_five(Sets::intersection().run_to_array(device, (&x(), &x())), "intersection");
            is_five(Transform::copy().run_to_array(device, Gather::of(&x()).at(&[0u32, 2, 1])), "gather");
            let moving = MovingSum::new([1, 1, first.len(), 1]);
            is_five(moving.run_to_array(device, &x()), "moving sum");
            is_five(Pyramid::new(SumOfFour, [1, 1, 3, 1], 0).with_input().run_to_array(device, &x()), "pyramid");
            let ones = vec![1u32; first.len()];
            for by in [Reduce::new(Sum).run_to_host(device, &x()), device.reduce(&x(), Sum)] {
                assert!(matches!(by, Ok(15 | 500_000)));
            }
            let mut sums = vec![0; first.len()];
            let found = Reduce::new(Sum).segments(Segments::Keys(&x())).run(device, &ones, &mut sums);
            assert!(found.is_ok() || matches!(found, Err(Error::Length { .. })));
            let found: Result<Array<u32>> = Scan::new(Sum).segments(Segments::Keys(&x())).run_to_array(device, &ones);
            assert!(found.is_ok() || matches!(found, Err(Error::Length { .. })));
            // Of places and counts there are as many as elements; of numbers, these.
            let places: Result<Array<u32>> = Sort::new().indices().run_to_array(device, &x());
            assert!(places.is_err() || places.unwrap().to_vec().unwrap().iter().all(|&at| at < 100_000));
            let places: Result<Array<u32>> = Search::lower(&x()).run_to_array(device, &x());
            assert!(places.is_err() || places.unwrap().to_vec().unwrap().iter().all(|&at| at == 0));
            let mut counts = [0u32; 9];
            let found = Histogram::by(Same, 9).run(device, &x(), &mut counts);
            assert!(found.is_ok() && counts[5] as usize + counts[0] as usize >= 3);
            let found = Histogram::by(Same, 9).weights(&x()).run(device, &ones, &mut counts);
            assert!(found.is_ok() || matches!(found, Err(Error::Length { .. })));
            let found = Histogram::edges(&x()).run(device, &ones, &mut vec![0u32; first.len() - 1]);
            assert!(found.is_ok() || matches!(found, Err(Error::Length { .. })));
            let found = RangeHistogram::build(device, &x()).map(|ranges| ranges.total(device));
            assert!(matches!(found, Ok(Ok(15 | 500_000)) | Err(Error::Length { .. })));
            let mut out = vec![0u32; first.len()];
            let found = UpSweep::new(Max).run(device, &x(), &mut out);
            assert!(found.is_ok() || matches!(found, Err(Error::Length { .. })));
            let found = Recurrence::new(&[1u32], &[1]).run(device, &x(), &mut out);
            assert!(found.is_ok() || matches!(found, Err(Error::Length { .. })));
        }
    }
}

#[test]
fn bands_of_other_lengths() {
    let device = Device::cpu();
    let (zeros, ones) = (vec![0.0; 1000], vec![1.0; 1000]);
    for times in 0..4 {
        let diagonal = until(times, &ones, &[1.0; 3]);
        let found = Tridiagonal::new(&zeros, &diagonal, &zeros).run_to_vec(&device, &ones);
        assert!(matches!(found, Err(Error::Length { .. })) || found == Ok(ones.clone()));
    }
}
