//! Tests of graphs, with sorted lists and plain loops as the oracle.

use crate::Random;
use upsweep::prelude::*;
use upsweep::{Device, Error};
use upsweep_apps::graph::{Edges, Matrix, page_rank, page_rank_weighted};

#[function]
fn times(a: i64, x: i64) -> i64 {
    a * x
}

#[function]
fn longer(a: i64, x: i64) -> i64 {
    a.saturating_add(x)
}

#[test]
fn rows_of_edges() {
    let device = Device::cpu();
    let mut random = Random(4);
    for (n, edges) in [(0, 0), (1, 0), (1, 3), (5, 7), (300, 5000)] {
        let ends = |random: &mut Random| (0..edges).map(|_| random.below(n) as u32).collect::<Vec<_>>();
        let (a, b) = (ends(&mut random), ends(&mut random));
        for (symmetric, distinct) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut pairs: Vec<(u32, u32)> = a.iter().copied().zip(b.iter().copied()).collect();
            let mut builder = Edges::new(n);
            if symmetric {
                builder = builder.symmetric();
                pairs.extend(a.iter().zip(&b).map(|(&a, &b)| (b, a)));
            }
            pairs.sort_unstable();
            if distinct {
                builder = builder.distinct();
                pairs.dedup();
            }
            let graph = builder.build(&device, &a, &b).unwrap();
            let of = |pairs: &[(u32, u32)]| pairs.iter().map(|&(_, to)| to).collect::<Vec<u32>>();
            assert_eq!(graph.targets().to_vec().unwrap(), of(&pairs));
            let offsets: Vec<u64> =
                (0..=n).map(|v| pairs.partition_point(|&(from, _)| (from as usize) < v) as u64).collect();
            assert_eq!(graph.offsets().to_vec().unwrap(), offsets);
            let sources: Vec<u32> = pairs.iter().map(|&(from, _)| from).collect();
            assert_eq!(graph.sources(&device).unwrap().to_vec().unwrap(), sources);
            let mut turned: Vec<(u32, u32)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
            turned.sort_unstable();
            assert_eq!(graph.transposed(&device).unwrap().targets().to_vec().unwrap(), of(&turned));
        }
    }
}

#[test]
fn products_over_semirings() {
    let device = Device::cpu();
    let mut random = Random(6);
    let (rows, columns) = (200, 150);
    for entries in [0, 1, 3000] {
        let list: Vec<(u32, u32, i64)> = (0..entries)
            .map(|_| (random.below(rows) as u32 / 2, random.below(columns) as u32, random.below(100) as i64 - 50))
            .collect();
        let r: Vec<u32> = list.iter().map(|e| e.0).collect();
        let (c, v): (Vec<u32>, Vec<i64>) = list.iter().map(|e| (e.1, e.2)).unzip();
        let matrix = Matrix::build(&device, (rows, columns), (&r, &c, &v)).unwrap();
        let mut dense = vec![vec![None; columns]; rows];
        list.iter().for_each(|&(r, c, v)| {
            let to: &mut Option<i64> = &mut dense[r as usize][c as usize];
            *to = Some(to.unwrap_or(0) + v);
        });
        let x: Vec<i64> = (0..columns).map(|_| random.below(100) as i64).collect();
        let row = |row: &[Option<i64>]| row.iter().zip(&x).filter_map(|(a, &x)| a.map(|a| (a, x))).collect::<Vec<_>>();
        let sums: Vec<i64> = dense.iter().map(|d| row(d).iter().map(|(a, x)| a * x).sum()).collect();
        assert_eq!(matrix.product(&device, Sum, Times, &x).unwrap().to_vec().unwrap(), sums);
        let ways: Vec<i64> =
            dense.iter().map(|d| row(d).iter().map(|(a, x)| a + x).min().unwrap_or(i64::MAX)).collect();
        assert_eq!(matrix.product(&device, Min, Longer, &x).unwrap().to_vec().unwrap(), ways);
        let x: Vec<i64> = (0..rows).map(|_| random.below(100) as i64).collect();
        let value = |r: usize, c: usize| dense[r][c].unwrap_or(0);
        let turned: Vec<i64> = (0..columns).map(|c| (0..rows).map(|r| value(r, c) * x[r]).sum()).collect();
        let transposed = matrix.transposed(&device).unwrap();
        assert_eq!((transposed.rows().vertices(), transposed.columns()), (columns, rows));
        assert_eq!(transposed.product(&device, Sum, Times, &x).unwrap().to_vec().unwrap(), turned);
    }
}

#[test]
fn ranks_of_pages() {
    let device = Device::cpu();
    let mut random = Random(12);
    let n = 50;
    // Some vertices have no edges.
    let a: Vec<u32> = (0..200).map(|_| random.below(n - 5) as u32).collect();
    let b: Vec<u32> = (0..200).map(|_| random.below(n) as u32).collect();
    let graph = Edges::new(n).build(&device, &a, &b).unwrap();
    let found = page_rank(&device, &graph, 0.85, 1e-13, 1000).unwrap();
    let (mut ranks, degree) = (vec![1.0 / n as f64; n], |v| a.iter().filter(|&&a| a == v).count() as f64);
    for _ in 0..found.steps {
        let stuck: f64 = (0..n).filter(|&v| degree(v as u32) == 0.0).map(|v| ranks[v]).sum();
        let mut next = vec![(0.15 + 0.85 * stuck) / n as f64; n];
        a.iter().zip(&b).for_each(|(&a, &b)| next[b as usize] += 0.85 * ranks[a as usize] / degree(a));
        ranks = next;
    }
    let ranked = found.ranks.to_vec().unwrap();
    assert!(found.change < 1e-13 && found.steps < 300, "{} steps", found.steps);
    assert!((ranked.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(ranked.iter().zip(&ranks).all(|(a, b)| (a - b).abs() < 1e-12));
    let nobody = Edges::new(0).build(&device, &[0u32; 0], &[0u32; 0]).unwrap();
    assert_eq!(page_rank(&device, &nobody, 0.85, 1e-9, 10).unwrap().steps, 0);
}

#[test]
fn ranks_by_weights() {
    let device = Device::cpu();
    let of = |shape, edges: (&[u32], &[u32]), weights: &[f64]| {
        let matrix = Matrix::build(&device, shape, (edges.0, edges.1, weights)).unwrap();
        page_rank_weighted(&device, &matrix, 0.85, 1e-14, 1000)
    };
    // Two vertices link to each other and one to a third, solved by hand: the rank of the third is r2 = 0.05 + 0.85 r2
    // / 3, as a vertex whose weights are all 0 has no edges.
    let (from, to): (&[u32], &[u32]) = (&[0, 1, 0], &[1, 0, 2]);
    for scale in [1.0, 1e300, 1e-300] {
        let ranks = of((3, 3), (from, to), &[3.0 * scale, scale, 0.0]).unwrap().ranks.to_vec().unwrap();
        let third = 0.05 / (1.0 - 0.85 / 3.0);
        assert!((ranks[2] - third).abs() < 1e-12 && (ranks[0] - ranks[1]).abs() < 1e-12, "{ranks:?}");
    }
    // Parallel edges in place of weights.
    let many = Edges::new(3).build(&device, &[0u32, 0, 0, 0, 1, 2], &[1u32, 1, 1, 2, 2, 0]).unwrap();
    let alike = page_rank(&device, &many, 0.85, 1e-14, 1000).unwrap().ranks.to_vec().unwrap();
    let ranks = of((3, 3), (&[0, 0, 1, 2], &[1, 2, 2, 0]), &[3.0, 1.0, 5.0, 0.1]).unwrap().ranks.to_vec().unwrap();
    assert!(ranks.iter().zip(&alike).all(|(a, b)| (a - b).abs() < 1e-12), "{ranks:?} {alike:?}");
    let wrong = of((2, 3), (&[0], &[2]), &[1.0]).err();
    assert_eq!(wrong, Some(upsweep_apps::Error::Square { rows: 2, columns: 3 }));
    for weight in [-1.0, f64::INFINITY, f64::NAN] {
        assert!(
            matches!(of((1, 1), (&[0], &[0]), &[weight]).err(), Some(upsweep_apps::Error::Number { .. })),
            "{weight}"
        );
    }
    assert_eq!(of((0, 0), (&[], &[]), &[]).unwrap().steps, 0);
}

#[test]
fn edges_of_no_vertices() {
    let device = Device::cpu();
    let build = |a: &[u32], b: &[u32]| Edges::new(3).build(&device, a, b).err();
    assert_eq!(build(&[0, 3], &[1, 9]), Some(Error::Index { at: 1, index: 3, len: 3 }));
    assert_eq!(build(&[0, 1], &[7, 9]), Some(Error::Index { at: 0, index: 7, len: 3 }));
    assert!(matches!(build(&[0, 1], &[1]), Some(Error::Length { .. })));
    let matrix = Matrix::build(&device, (2, 3), (&[1u32], &[2u32], &[1i64])).unwrap();
    let length = Error::Length { what: "vector", found: 2, expected: 3 };
    assert_eq!(matrix.product::<_, _, _, i64>(&device, Sum, Times, &[1i64, 2]).err(), Some(length));
    let wrong = Matrix::build(&device, (2, 3), (&[1u32], &[3u32], &[1i64])).err();
    assert_eq!(wrong, Some(Error::Index { at: 0, index: 3, len: 3 }));
}
