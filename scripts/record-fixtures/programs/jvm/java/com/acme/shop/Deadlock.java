package com.acme.shop;

import java.util.concurrent.CountDownLatch;

public class Deadlock {
    static final Object STOCK = new Object();
    static final Object LEDGER = new Object();
    static final CountDownLatch BOTH = new CountDownLatch(2);

    static void take(Object first, Object second) {
        synchronized (first) {
            BOTH.countDown();
            await();
            synchronized (second) {
                System.out.println("never");
            }
        }
    }

    static void await() {
        try {
            BOTH.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread seller = new Thread(() -> take(STOCK, LEDGER), "seller");
        Thread buyer = new Thread(() -> take(LEDGER, STOCK), "buyer");
        seller.setDaemon(true);
        buyer.setDaemon(true);
        seller.start();
        buyer.start();
        BOTH.await();
        while (buyer.getState() != Thread.State.BLOCKED || seller.getState() != Thread.State.BLOCKED) Thread.onSpinWait();
        long pid = ProcessHandle.current().pid();
        new ProcessBuilder("jstack", Long.toString(pid)).inheritIO().start().waitFor();
    }
}
