package com.acme.logged;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

public class Logged {
    private static final Logger LOG = LoggerFactory.getLogger(Logged.class);

    static void read(String key) {
        try {
            Integer.parseInt(key);
        } catch (NumberFormatException e) {
            throw new IllegalStateException("bad key", e);
        }
    }

    public static void main(String[] args) {
        try {
            read("x1");
        } catch (IllegalStateException e) {
            LOG.error("reading failed", e);
        }
        LOG.info("done");
    }
}
