package io.tallystick.tool;

import com.eclipsesource.json.JsonObject;
import io.tallystick.tool.command.Escaped;
import java.util.List;

/** The versions that a report of a defect names. */
final class SurroundingsReport {
    private SurroundingsReport() {}

    static void report(List<String> lines, JsonObject answer) {
        add("tallystick", Main.Version.number(), lines, answer);
        add("java", of("java.vm.version") + " (" + of("java.vm.name") + ", " + of("java.vendor") + ")", lines, answer);
        add("system", of("os.name") + " " + of("os.version") + " " + of("os.arch"), lines, answer);
    }

    private static void add(String name, String value, List<String> lines, JsonObject answer) {
        answer.add(name, value);
        lines.add(DoctorCommand.text("%-20s %s", name, Escaped.of(value)));
    }

    private static String of(String property) {
        return System.getProperty(property, "unknown");
    }
}
