package com.acme.till;

public class Till {
    static int open(String key) {
        return key.length();
    }

    public static void main(String[] args) {
        open(null);
    }
}
