package cart

type Cart struct {
	prices []int
	next   *Cart
}

func Open(prices []int) *Cart {
	if prices == nil {
		return nil
	}
	return &Cart{prices: prices}
}

func (c *Cart) Total() int {
	sum := 0
	c.each(func(price int) {
		sum += price
	})
	return sum
}

func (c *Cart) each(do func(int)) {
	for _, price := range c.prices {
		do(price)
	}
}

//go:noinline
func (c Cart) Price(n int) int {
	return c.prices[n]
}

//go:noinline
func First[T any](items []T) T {
	return items[0]
}

func Consume(orders chan int, stop chan bool) {
	select {
	case <-orders:
	case <-stop:
	}
}

//go:noinline
func Count(total *int) int {
	return *total + 1
}
