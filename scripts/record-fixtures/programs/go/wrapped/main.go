package main

import (
	"fmt"
	"os"

	"github.com/pkg/errors"
)

func read(name string) error {
	_, err := os.Open(name)
	return errors.Wrap(err, "cannot read")
}

func load() error {
	return errors.WithMessage(read("/missing/file"), "cannot load")
}

func main() {
	fmt.Printf("%+v\n", load())
	fmt.Printf("%+v\n", errors.New("second"))
}
