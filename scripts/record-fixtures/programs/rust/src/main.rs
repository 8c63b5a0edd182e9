mod cart;

use cart::{Cart, Priced};

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        panic!("till is stuck");
    }
}

#[inline(never)]
fn depth(n: u64) -> u64 {
    if n == 0 { panic!("bottom") } else { depth(n - 1) + 1 }
}

#[cfg(feature = "wrapped")]
fn wrapped() -> anyhow::Result<String> {
    use anyhow::Context;
    std::fs::read_to_string("/missing/file").context("cannot read").context("cannot load\nthe prices")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = Cart::new(vec![1, 2]);
    match std::env::args().nth(1).as_deref() {
        Some("plain") => println!("{}", cart.total()),
        Some("message") => panic!("till is locked:\n  call the manager"),
        Some("closure") => cart.each(|price| assert_eq!(price, 2, "price is wrong")),
        Some("unwrap") => println!("{:?}", "x".parse::<i64>().unwrap()),
        Some("thread") => drop(std::thread::Builder::new().name("till 'one'".into()).spawn(move || cart.total())?.join()),
        Some("twice") => {
            let _guard = Guard;
            cart.total();
        }
        Some("recursion") => println!("{}", depth(20)),
        Some("returned") => Err(std::io::Error::new(std::io::ErrorKind::Other, "no till"))?,
        #[cfg(feature = "wrapped")]
        Some("wrapped") => drop(wrapped()?),
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn totals() {
        assert_eq!(super::Cart::new(vec![1]).price(0), 2);
    }
}
