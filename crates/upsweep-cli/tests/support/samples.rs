//! Arrays for tests: numbers that look random, and values of each element type.

/// Numbers that look random.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub(crate) fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

/// Element types: their names, those in .npy files, and their bytes. One has the other order of bytes.
pub(crate) const TYPES: &[(&str, &str, usize)] = &[
    ("bool", "|b1", 1),
    ("i8", "|i1", 1),
    ("i16", "<i2", 2),
    ("i32", ">i4", 4),
    ("i64", "<i8", 8),
    ("u8", "|u1", 1),
    ("u16", "<u2", 2),
    ("u32", "<u4", 4),
    ("u64", "<u8", 8),
    ("f16", "<f2", 2),
    ("f32", "<f4", 4),
    ("f64", "<f8", 8),
];

/// Values of which sums of floats are rounded, `special` ones among them. Sums of integers fit or not, as it happens.
pub(crate) fn data(random: &mut Random, element: &str, size: usize, n: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(n * size);
    let (small, special) = (random.below(3) > 0, random.below(4) == 0);
    for _ in 0..n {
        let x = random.next();
        let is_special = special && x % 1000 < 3;
        match element {
            "f64" if is_special => bytes.extend([-0.0, f64::NAN, f64::INFINITY][(x % 3) as usize].to_le_bytes()),
            "f32" if is_special => bytes.extend([-0.0, f32::NAN, f32::INFINITY][(x % 3) as usize].to_le_bytes()),
            "f64" => bytes.extend((1.0 + (x % 2048) as f64 / 3e5 * 0.01).to_le_bytes()),
            "f32" => bytes.extend((1.0 + (x % 2048) as f32 / 3e6).to_le_bytes()),
            // From 1/256 to 1/128, or small integers.
            "f16" => bytes.extend((0x1c00 + (x % 1024) as u16).to_le_bytes()),
            _ if small => {
                let value = x % if element == "bool" { 2 } else { 7 };
                let value = if element == "i32" { (value as u32).swap_bytes().into() } else { value };
                bytes.extend(&value.to_le_bytes()[..size]);
            }
            "bool" => bytes.push((x % 2) as u8),
            _ => bytes.extend(&(x << 16 ^ x).to_le_bytes()[..size]),
        }
    }
    bytes
}
