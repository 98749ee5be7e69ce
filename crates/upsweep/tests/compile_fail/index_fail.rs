use upsweep::operator::function;

#[function]
fn past_the_end(x: [u32; 3]) -> u32 {
    x[3]
}

fn main() {
    println!("{}", past_the_end([1, 2, 3]));
}
