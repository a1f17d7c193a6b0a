package io.tallystick.tool.inspect;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** Bytes for people: offset, hexadecimal digits, and the printable ASCII characters among them. */
final class HexDump {
    private static final int PER_LINE = 16;
    private static final HexFormat SPACED = HexFormat.ofDelimiter(" ");

    private HexDump() {}

    /** The lines of a dump, none for no bytes. */
    static List<String> of(byte[] bytes) {
        List<String> lines = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += PER_LINE) {
            int end = Math.min(bytes.length, at + PER_LINE);
            lines.add(String.format(
                    Locale.ROOT, "%08x  %-47s  |%s|", at, SPACED.formatHex(bytes, at, end), text(bytes, at, end)));
        }
        return lines;
    }

    private static String text(byte[] bytes, int from, int to) {
        StringBuilder text = new StringBuilder(PER_LINE);
        for (int i = from; i < to; i++) {
            text.append(bytes[i] >= ' ' && bytes[i] < 0x7f ? (char) bytes[i] : '.');
        }
        return text.toString();
    }
}
