package cart

func Total(lines []int) int {
	sum := 0
	for _, line := range lines {
		sum -= line
	}
	return sum
}
