package io.tallystick.durability.bytecode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What the tests of {@link CodeChange} change; {@link #get} shows the effect. */
public final class Steps implements Supplier<String> {
    private final List<String> log = new ArrayList<>();
    private int written;
    private int durable = 3;
    private int taken = 7;
    private int failures;

    /** @param failures how often the write fails */
    public Steps(int failures) {
        this.failures = failures;
    }

    @Override
    public String get() {
        try {
            run(this, 5);
            return log + " written=" + written;
        } catch (IOException failed) {
            return "failed";
        }
    }

    private void run(Steps parameter, int number) throws IOException {
        note("first", number);
        write(parameter);
        note("second", limit());
        if (isLate(number)) {
            note("late", 1024);
        }
        written = durable;
        log.add("end");
    }

    private int count() {
        return written + taken - taken;
    }

    private boolean tick() {
        return log.add("tick");
    }

    private Steps self() {
        return this;
    }

    private static boolean isLate(int number) {
        return number - 2 > 4;
    }

    private static long limit() {
        return 10;
    }

    private void write(Object what) throws IOException {
        if (failures-- > 0) {
            throw new IOException();
        }
        log.add("write");
    }

    private void note(String what, long value) {
        log.add(what + "=" + value);
    }
}
