package io.tallystick.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonObject;
import io.tallystick.tool.command.ExitStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** One run of the tool as a user would start it, in this process. */
public record ToolRun(String commandLine, int exitCode, String out, String err) {
    public static ToolRun of(Object... arguments) {
        String[] texts = new String[arguments.length];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = arguments[i].toString();
        }
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = Main.run(texts, new PrintWriter(out, true), new PrintWriter(err, true));
        return new ToolRun(String.join(" ", texts), exitCode, out.toString(), err.toString());
    }

    /** The run, which ended so; an error is one line of what, where and what to do, without a stack trace. */
    public ToolRun endsWith(ExitStatus status) {
        assertThat(exitCode).as("%s%n%s%s", commandLine, out, err).isEqualTo(status.code());
        assertThat(err).as(commandLine).doesNotContain("\tat ");
        return this;
    }

    public JsonObject json() {
        assertThat(out.lines()).as(commandLine).hasSize(1);
        return Json.parse(out).asObject();
    }

    public List<String> lines() {
        return out.lines().toList();
    }
}
