//! Tests of the applications on a GPU: the results must be those of the CPU, which other tests compare with their
//! oracles. There are few calls, because a GPU compiles each kernel at its first use.

use crate::Random;
use std::fmt::Debug;
use upsweep::prelude::*;
use upsweep_apps::bigint;
use upsweep_apps::graph::{Edges, Matrix, page_rank};
use upsweep_apps::poly::{Interpolant, Polynomial};
use upsweep_apps::sampling::Sampler;
use upsweep_apps::text::{Compare, Grammar, Grep, Lexer, match_brackets};
use upsweep_apps::tree::{Fenwick, Tree};

/// Results of one application, as text.
type Said = Vec<String>;

macro_rules! cases {
    ($($name:ident),*) => { $(
        mod $name {
            #[test]
            fn cpu() {
                assert!(!super::of::$name(&upsweep::Device::cpu()).is_empty());
            }

            #[cfg(feature = "cuda")]
            #[test]
            #[ignore = "needs a CUDA GPU: cargo test -p upsweep-apps --test apps cuda -- --include-ignored"]
            fn cuda() {
                let gpu = upsweep::Device::cuda(0).unwrap();
                let (expected, found) = (super::of::$name(&upsweep::Device::cpu()), super::of::$name(&gpu));
                for (i, (a, b)) in expected.iter().zip(&found).enumerate() {
                    assert!(a == b, "result {i}: {:.200} on the GPU, {:.200} on the CPU", b, a);
                }
            }
        }
    )* };
}
cases! { compared, polynomials, integers, trees, expressions, fenwick, graphs, small_lexer, large_lexer, lines, brackets, draws }

fn say<T: Element + Debug>(x: &Array<T>) -> String {
    format!("{:?}", x.to_vec().unwrap())
}

mod of {
    use super::*;

    pub(super) fn compared(device: &Device) -> Said {
        let mut text = vec![7u8; 3 << 20];
        let a = device.upload(&text).unwrap();
        text[(2 << 20) + 77] = 8;
        let b = device.upload(&text).unwrap();
        let whole = Compare::new().run(device, &a, &b).unwrap();
        let same = Compare::new().run(device, &a, &a).unwrap();
        let offsets: Vec<u64> = (0..=1000).map(|i| i * 3000).collect();
        let offsets = device.upload(&offsets).unwrap();
        let pairs = Compare::new().run_pairs(device, (&a, &offsets), (&b, &offsets)).unwrap();
        let x = device.upload(&[1.0f64, 2.0, 3.0]).unwrap();
        let y = device.upload(&[1.5f64, 2.5, 2.0]).unwrap();
        let near = Compare::new().within(0.5).run(device, &x, &y).unwrap();
        vec![format!("{whole:?} {same:?} {near:?}"), say(&pairs.orders), say(&pairs.places)]
    }

    pub(super) fn polynomials(device: &Device) -> Said {
        let mut random = Random(1);
        // Integers, as floats are grouped differently on a GPU.
        let c: Vec<u64> = (0..100_000).map(|_| random.next()).collect();
        let (c, z) = (device.upload(&c).unwrap(), random.next());
        let polynomial = Polynomial::of(&c);
        let points = device.upload(&(0..100).map(|_| random.next()).collect::<Vec<u64>>()).unwrap();
        let first = device.upload(&c.to_vec().unwrap()[..50]).unwrap();
        let at = Polynomial::of(&first).at(device, &points).unwrap();
        let prime = polynomial.evaluate_modulo(device, z, 0xffff_ffff_0000_0001).unwrap();
        let x: Vec<f64> = (0..40).map(|i| f64::from(i * 17 % 40) / 10.0 - 2.0).collect();
        let y: Vec<f64> = x.iter().map(|x| x * x * x).collect();
        let through = Interpolant::build(device, &device.upload(&x).unwrap(), &device.upload(&y).unwrap()).unwrap();
        let cubic = through.coefficients().iter().take(4).map(|c| (c * 1e6).round()).collect::<Vec<_>>();
        let exact = device.upload(&[-1.0, 3.0, -3.0, 1.0]).unwrap();
        let compensated = Polynomial::of(&exact).evaluate_compensated(device, 1.0009765625).unwrap();
        vec![
            format!("{} {prime} {compensated} {cubic:?}", polynomial.evaluate(device, z).unwrap()),
            say(&polynomial.divide(device, z).unwrap()),
            say(&at),
        ]
    }

    pub(super) fn integers(device: &Device) -> Said {
        let mut random = Random(2);
        let number = |random: &mut Random| {
            let limbs: Vec<u64> = (0..200_000).map(|i| if i % 1000 < 990 { u64::MAX } else { random.next() }).collect();
            device.upload(&limbs).unwrap()
        };
        let (a, b) = (number(&mut random), device.upload(&[random.next(), 1]).unwrap());
        let (sum, order) = (bigint::add(device, &a, &b).unwrap(), bigint::compare(device, &a, &b).unwrap());
        vec![say(&sum), format!("{order:?} {:?}", bigint::compare(device, &b, &a).unwrap())]
    }

    pub(super) fn trees(device: &Device) -> Said {
        let mut random = Random(3);
        let n = 100_000u32;
        let mut said = vec![];
        let chain: Vec<u32> = (0..n).map(|v| v.saturating_sub(1)).collect();
        let random_tree: Vec<u32> = (0..n).map(|v| random.below(v as usize) as u32).collect();
        for parents in [chain, random_tree] {
            let tree = Tree::build(device, &device.upload(&parents).unwrap()).unwrap();
            let values = device.upload(&(0..u64::from(n)).collect::<Vec<_>>()).unwrap();
            said.extend([
                say(tree.depths()),
                say(tree.sizes()),
                say(tree.preorder()),
                say(&tree.postorder(device).unwrap()),
            ]);
            said.push(say(&tree.sums_up(device, Max, &values).unwrap()));
            said.push(say(&tree.sums_down(device, Sum, &values).unwrap()));
            let vertices: Vec<u32> = (0..2000).map(|_| random.below(n as usize) as u32).collect();
            let (a, b) = (device.upload(&vertices[..1000]).unwrap(), device.upload(&vertices[1000..]).unwrap());
            said.push(say(&tree.common_ancestors(device, &a, &b).unwrap()));
            said.push(say(&tree.are_ancestors(device, &a, &b).unwrap()));
            said.push(say(tree.rerooted(device, n / 2).unwrap().parents()));
        }
        let (a, b): (Vec<u32>, Vec<u32>) = (1..n).map(|v| (v, v / 3)).unzip();
        let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
        said.push(say(Tree::from_edges(device, n as usize, (&a, &b), 5).unwrap().parents()));
        let cycle = device.upload(&[1u32, 2, 0, 3]).unwrap();
        said.push(Tree::build(device, &cycle).unwrap_err().to_string());
        said
    }

    #[operator]
    fn plus_modulo(#[param] p: u64, a: u64, b: u64) -> u64 {
        (a + b) % p
    }

    #[operator]
    fn times_modulo(#[param] by: u64, #[param] p: u64, a: u64, b: u64) -> u64 {
        a * b % p * by % p
    }

    pub(super) fn expressions(device: &Device) -> Said {
        let mut random = Random(6);
        let n = 100_000u32;
        let mut said = vec![];
        let chain: Vec<u32> = (0..n).map(|v| v.saturating_sub(1)).collect();
        let random_forest: Vec<u32> =
            (0..n).map(|v| if v % 1000 == 7 { v } else { random.below(v as usize) as u32 }).collect();
        for parents in [chain, random_forest] {
            let tree = Tree::build(device, &device.upload(&parents).unwrap()).unwrap();
            let multiplies = device.upload(&(0..n).map(|_| random.below(2) == 0).collect::<Vec<_>>()).unwrap();
            let values = device.upload(&(0..n).map(|_| random.next() % 1009).collect::<Vec<_>>()).unwrap();
            let bits = device.upload(&(0..n).map(|_| random.below(2) == 0).collect::<Vec<_>>()).unwrap();
            // A product scaled by a unit is a semiring's product, too; its operator captures two values.
            let (plus, times) = (PlusModulo { p: 1009 }, TimesModulo { by: 5, p: 1009 });
            said.push(say(&tree.evaluate(device, Sum, Product, &multiplies, &values).unwrap()));
            said.push(say(&tree.evaluate(device, Min, Sum, &multiplies, &values).unwrap()));
            said.push(say(&tree.evaluate(device, plus, times, &multiplies, &values).unwrap()));
            said.push(say(&tree.evaluate(device, Or, And, &multiplies, &bits).unwrap()));
        }
        said
    }

    pub(super) fn fenwick(device: &Device) -> Said {
        let mut random = Random(4);
        let n = 50_000;
        let mut tree = Fenwick::build(device, &device.upload(&vec![1u64; n]).unwrap()).unwrap();
        let at: Vec<u64> = (0..3000).map(|_| random.below(n) as u64).collect();
        let by: Vec<u64> = (0..3000).map(|_| random.next() % 9).collect();
        let (at, by) = (device.upload(&at).unwrap(), device.upload(&by).unwrap());
        tree.update(device, &at, &by).unwrap();
        let sums = tree.prefixes(device, &at).unwrap();
        vec![format!("{:?}", tree.nodes(device).unwrap()), say(&sums), say(&tree.find(device, &sums).unwrap())]
    }

    #[function]
    fn times(a: u64, x: u64) -> u64 {
        a * x
    }

    pub(super) fn graphs(device: &Device) -> Said {
        let mut random = Random(5);
        let n = 3000;
        let mut ends = || device.upload(&(0..40_000).map(|_| random.below(n) as u32).collect::<Vec<_>>()).unwrap();
        let (a, b) = (ends(), ends());
        let graph = Edges::new(n).symmetric().distinct().build(device, &a, &b).unwrap();
        let ranks = page_rank(device, &graph, 0.85, 1e-9, 100).unwrap();
        let rounded: Vec<i64> = ranks.ranks.to_vec().unwrap().iter().map(|rank| (rank * 1e10).round() as i64).collect();
        let weights = device.upload(&(0..40_000).map(|_| random.next()).collect::<Vec<u64>>()).unwrap();
        let matrix = Matrix::build(device, (n, n), (&a, &b, &weights)).unwrap();
        let x = device.upload(&(0..n as u64).collect::<Vec<_>>()).unwrap();
        let product = matrix.product(device, Sum, Times, &x).unwrap();
        let turned = matrix.transposed(device).unwrap();
        vec![
            say(graph.offsets()),
            say(graph.targets()),
            format!("{} {rounded:?}", ranks.steps),
            say(&product),
            say(turned.rows().targets()),
            say(turned.values()),
        ]
    }

    fn lexed(device: &Device, lexer: &Lexer, text: &[u8]) -> Said {
        let tokens = lexer.run(device, &device.upload(text).unwrap()).unwrap();
        vec![say(&tokens.kinds), say(&tokens.ends), say(&tokens.starts(device).unwrap())]
    }

    pub(super) fn small_lexer(device: &Device) -> Said {
        let text = b"width, \"a \"\"quoted\"\" cell\"\r\n1..2,3.25,,x\n".repeat(5000);
        let csv = Grammar::find("csv").unwrap().lexer().unwrap();
        let arithmetic = Grammar::find("arithmetic").unwrap().lexer().unwrap();
        [lexed(device, &csv, &text), lexed(device, &arithmetic, &text)].concat()
    }

    pub(super) fn large_lexer(device: &Device) -> Said {
        let text = b"{\"key\\u00e9\": [1, -2.5e+10, true, null], \"b\": {}}\n1.e 12..5 ?".repeat(3000);
        lexed(device, &Grammar::find("json").unwrap().lexer().unwrap(), &text)
    }

    pub(super) fn lines(device: &Device) -> Said {
        let text = b"Row 21st\nrow 22nd\n\nMile 1000 and more\nno\n".repeat(4000);
        let grep = Grep::new("[A-Z][a-z]+ [0-9]{2,4}(st|nd|th)?").unwrap();
        let text = device.upload(&text).unwrap();
        let lines = grep.run(device, &text).unwrap();
        let count = grep.count(device, &text).unwrap();
        vec![count.to_string(), say(&lines.numbers), say(&lines.starts), say(&lines.ends)]
    }

    pub(super) fn brackets(device: &Device) -> Said {
        let text = [b"([{a}](b){".repeat(3000), b"})".repeat(3000)].concat();
        let found = match_brackets(device, &device.upload(&text).unwrap()).unwrap();
        vec![say(&found.places), say(&found.depths), say(&found.partners)]
    }

    pub(super) fn draws(device: &Device) -> Said {
        let mut random = Random(7);
        let mut said = vec![];
        let whole: Vec<u64> = (0..100_000).map(|_| random.next() % 4 * (random.next() >> 44)).collect();
        let sampler = Sampler::build(device, &device.upload(&whole).unwrap()).unwrap();
        said.push(say(&sampler.independent(device, 50_000, 1).unwrap()));
        said.push(say(&sampler.systematic(device, 50_000, 2).unwrap()));
        let fractions: Vec<f32> = whole.iter().map(|&w| (w >> 12) as f32 / 7.0).collect();
        let sampler = Sampler::build(device, &device.upload(&fractions).unwrap()).unwrap();
        said.push(say(sampler.sums()));
        said.push(say(&sampler.independent(device, 50_000, 3).unwrap()));
        said.push(say(&sampler.systematic(device, 50_000, 4).unwrap()));
        for wrong in [[0.5, -1.0], [f64::NAN, 1.0], [f64::INFINITY, 1.0], [f64::MAX, f64::MAX], [0.0, -0.0]] {
            said.push(Sampler::build(device, &device.upload(&wrong).unwrap()).unwrap_err().to_string());
        }
        said
    }
}
