package cart

import "testing"

func TestTotal(t *testing.T) {
	if got := Total([]int{1}); got != 1 {
		t.Errorf("Total = %d, want 1\nfor one line", got)
	}
	t.Log("checked")
}

func TestTable(t *testing.T) {
	for _, name := range []string{"none", "two lines"} {
		t.Run(name, func(t *testing.T) {
			t.Fatal("no price for", name)
		})
	}
}

func TestFine(t *testing.T) {}
