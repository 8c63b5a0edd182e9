package com.acme.shop;

import java.util.List;

public class Cart {
    record Line(String name, Integer price) {}

    static class Totals {
        private final List<Line> lines;

        Totals(List<Line> lines) {
            if (lines == null) throw new IllegalArgumentException("no lines:\n  cart is empty");
            this.lines = lines;
        }

        int sum() {
            return lines.stream().mapToInt(line -> line.price()).sum();
        }
    }

    static int total(List<Line> lines) {
        return new Totals(lines).sum();
    }

    static int depth(int n) {
        return n == 0 ? total(null) : depth(n - 1);
    }
}
