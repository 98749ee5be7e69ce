use upsweep::operator::{Element, Function, Number, Source, function, operator};

/// A module of the function's name, as a file of it has.
mod gcd {
    #[upsweep::operator::function]
    pub(crate) fn gcd(a: u32, b: u32) -> u32 {
        let (mut a, mut b) = (a, b);
        for _ in 0..48 {
            if b != 0 {
                let rest = a % b;
                a = b;
                b = rest;
            }
        }
        a
    }

    pub(crate) mod inner {
        pub(crate) use super::gcd as exported;
    }
}

#[function]
fn twice<T: Number>(x: T) -> T {
    x + x
}

#[function]
fn last<const N: usize>(x: [u32; N]) -> u32 {
    x[N - 1]
}

#[derive(Element, Clone, Copy, PartialEq, Debug)]
#[repr(C)]
struct Meters(u32);

/// A function of the name of a method that every value has.
#[function]
fn into(x: u32) -> Meters {
    Meters(x)
}

#[operator]
fn all(a: u32, b: u32) -> u32 {
    let c = gcd::gcd(a, b) + crate::accepted::calls_pass::gcd::gcd(a, 6);
    twice::<u32>(c) + last::<2>([a, b]) + last::<{ 1 + 2 }>([a, b, c]) + into(b).0 + Meters(1).0
}

pub(crate) fn main() {
    #[function]
    fn local(x: u32) -> u32 {
        twice::<u32>(x)
    }
    #[function]
    fn outer(x: u32) -> u32 {
        local(x) + self::twice::<u32>(x)
    }
    assert_eq!((all(12, 18), outer(3)), (2 * (6 + 6) + 18 + 12 + 18 + 1, 12));
    assert_eq!(gcd::inner::exported(4, 6), 2);
    let mut source = Source::new();
    let (outer, all) = (Outer.cuda_function(&mut source), upsweep::Operator::cuda_function(&All, &mut source));
    // Each once, after what it calls; `twice` is one function for both, `last` one for each length.
    let text = source.text();
    let at = |name: &str| text.find(&format!(" {name}(")).unwrap_or_else(|| panic!("no {name} in {text}"));
    assert!(at("twice_2") < at("local_1") && at("local_1") < at(&outer) && at("gcd_4") < at(&all), "{text}");
    assert_eq!(text.matches("last_").count() - text.matches("last_5").count(), 2, "{text}");
}
