package main

import (
	"sync"

	"acme.dev/shop/cart"
)

func main() {
	var wait sync.WaitGroup
	wait.Add(3)
	for worker := 0; worker < 2; worker++ {
		go cart.Consume(make(chan int), make(chan bool))
	}
	go func() {
		defer wait.Done()
		cart.Consume(nil, nil)
	}()
	wait.Wait()
}
