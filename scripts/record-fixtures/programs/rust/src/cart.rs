pub struct Cart {
    prices: Vec<i64>,
}

pub trait Priced {
    fn total(&self) -> i64;
}

impl Cart {
    pub fn new(prices: Vec<i64>) -> Cart {
        Cart { prices }
    }

    #[inline(never)]
    pub fn price(&self, n: usize) -> i64 {
        self.prices[n]
    }

    #[inline(never)]
    pub fn each<F: Fn(i64)>(&self, visit: F) {
        for price in &self.prices {
            visit(*price)
        }
    }
}

impl Priced for Cart {
    #[inline(never)]
    fn total(&self) -> i64 {
        self.price(self.prices.len())
    }
}
