package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"acme.dev/shop/cart"
)

func recovered() {
	defer func() {
		if r := recover(); r != nil {
			panic(fmt.Errorf("sale failed: %v", r))
		}
	}()
	cart.Open(nil).Total()
}

func inGoroutine() {
	var wait sync.WaitGroup
	wait.Add(1)
	go func() {
		defer wait.Done()
		cart.Open([]int{1}).Price(3)
	}()
	wait.Wait()
}

func depth(n int) int {
	return depth(n+1) + 1
}

func writes() {
	prices := map[int]int{}
	for worker := 0; worker < 8; worker++ {
		go func() {
			for n := 0; ; n++ {
				prices[n%10] = n
			}
		}()
	}
	time.Sleep(5 * time.Second)
}

func served() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cart.Open(nil).Total()
	}))
	defer server.Close()
	_, err := http.Get(server.URL)
	fmt.Println(err != nil)
}

func race() {
	total := 0
	done := make(chan bool)
	go func() {
		total = cart.Count(&total)
		done <- true
	}()
	total = cart.Count(&total)
	<-done
}

func main() {
	switch os.Args[1] {
	case "plain":
		cart.Open(nil).Total()
	case "index":
		cart.Open([]int{1}).Price(3)
	case "error":
		panic(errors.New("till is locked:\n  call the manager"))
	case "recovered":
		recovered()
	case "goroutine":
		inGoroutine()
	case "overflow":
		debug.SetMaxStack(1 << 20)
		depth(0)
	case "writes":
		writes()
	case "served":
		served()
	case "printed":
		debug.PrintStack()
	case "generic":
		fmt.Println(cart.First([]string{}))
	case "race":
		race()
	}
}
