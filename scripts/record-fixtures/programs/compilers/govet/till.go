package till

import "fmt"

func Print(n int) {
	fmt.Printf("%s\n", n)
	return
	fmt.Println("never")
}
