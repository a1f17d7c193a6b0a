package io.tallystick.narayana.pool;

/** A process that ends with this status at once, as a recovery does. */
final class EndsWith {
    private EndsWith() {}

    public static void main(String[] arguments) {
        System.exit(Integer.parseInt(arguments[0]));
    }
}
