package com.acme.shop;

import java.util.List;

public class Shop {
    static class Till implements AutoCloseable {
        void open() {
            throw new IllegalStateException("till is locked");
        }

        @Override
        public void close() {
            throw new IllegalStateException("till is stuck");
        }
    }

    static void start(int orders) {
        try {
            Cart.total(null);
        } catch (IllegalArgumentException e) {
            throw new RuntimeException("cannot start with " + orders + " orders", e);
        }
    }

    static void nested() {
        try {
            start(3);
        } catch (RuntimeException e) {
            throw new Error("shop is closed", e);
        }
    }

    static void circular() {
        Exception one = new Exception("one");
        Exception two = new Exception("two", one);
        one.initCause(two);
        throw new RuntimeException(two);
    }

    static void suppressed() {
        try (Till till = new Till()) {
            till.open();
        }
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "plain" -> Cart.total(null);
            case "lambda" -> Cart.total(List.of(new Cart.Line("tea", null)));
            case "cause" -> nested();
            case "suppressed" -> suppressed();
            case "circular" -> circular();
            case "recursion" -> Cart.depth(20);
            case "thread" -> {
                Thread thread = new Thread(() -> start(1), "worker \"1\"");
                thread.start();
                thread.join();
            }
            case "reflection" -> Shop.class.getDeclaredMethod("nested").invoke(null);
            case "proxy" -> {
                Runnable runnable = (Runnable) java.lang.reflect.Proxy.newProxyInstance(Shop.class.getClassLoader(), new Class<?>[] { Runnable.class }, (proxy, method, rest) -> {
                    throw new java.io.IOException("no network");
                });
                runnable.run();
            }
            case "twice" -> {
                for (int n = 0; n < 2; n++) {
                    try {
                        start(n);
                    } catch (RuntimeException e) {
                        System.err.println("12:00:0" + n + ".123 [main] ERROR com.acme.shop.Shop - order failed");
                        e.printStackTrace();
                        System.err.println("12:00:0" + n + ".456 [main] INFO  com.acme.shop.Shop - next order");
                    }
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }
}
