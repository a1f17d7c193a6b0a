package io.tallystick.reaper;

import java.util.List;

/** A stack for the log, one frame on each line. */
final class StackText {
    private StackText() {}

    static String of(List<StackTraceElement> stack) {
        StringBuilder text = new StringBuilder();
        for (StackTraceElement frame : stack) {
            text.append(System.lineSeparator()).append("    ").append(frame);
        }
        return text.toString();
    }
}
