package io.tallystick.durability.surroundings;

import java.util.Random;

/** A value of a dimension that a seed draws. */
interface Drawn {
    /** Its name in tables and violations. */
    String label();

    /** How often it is drawn, relative to the other values of its dimension. */
    int weight();

    /** One of these values. */
    static <V extends Drawn> V from(V[] values, Random random) {
        int sum = 0;
        for (V value : values) {
            sum += value.weight();
        }
        int left = random.nextInt(sum);
        for (V value : values) {
            left -= value.weight();
            if (left < 0) {
                return value;
            }
        }
        throw new IllegalStateException("the weights have changed");
    }
}
