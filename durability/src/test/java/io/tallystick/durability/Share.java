package io.tallystick.durability;

import java.util.List;
import java.util.stream.IntStream;

/** The part of a list that a build has time for. */
public final class Share {
    private final int first;
    private final int step;

    private Share(int first, int step) {
        this.first = first;
        this.step = step;
    }

    /** The share that a system property {@code K/N} names: those whose place is K modulo N; all without it. */
    public static Share asked(String property) {
        String[] share = System.getProperty(property, "0/1").split("/", 2);
        return new Share(Integer.parseInt(share[0]), Integer.parseInt(share[1]));
    }

    /** The elements that belong to the share. */
    public <T> List<T> of(List<T> all) {
        return IntStream.range(0, all.size())
                .filter(i -> i % step == first)
                .mapToObj(all::get)
                .toList();
    }
}
