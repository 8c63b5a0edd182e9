fn total(lines: &[i32]) -> i32 {
    lines.iter().sum()
}

fn main() {
    let lines = vec![1, 2];
    let moved = lines;
    let unused = 3;
    println!("{}", total(&lines));
    let price: i32 = "17";
    println!("{:?} {}", moved, price);
}
