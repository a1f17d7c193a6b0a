package io.tallystick.tool;

import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ToolCommand;
import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/** What a library warns of, as one line among the lines of the tool. */
final class WarningLine extends Formatter {
    @Override
    public String format(LogRecord warning) {
        String cause = warning.getThrown() == null ? "" : " (" + warning.getThrown() + ")";
        return ToolCommand.NAME + ": " + warning.getLevel().getName().toLowerCase(Locale.ROOT) + ": "
                + Escaped.message(formatMessage(warning) + cause) + System.lineSeparator();
    }
}
