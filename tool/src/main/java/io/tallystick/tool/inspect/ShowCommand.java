package io.tallystick.tool.inspect;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.AnyStoreCommand;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.ToolException;
import io.tallystick.tool.narayana.ActionRecord;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows the state of a key in a store. */
@Command(
        name = "show",
        description = {
            "Show a key of a store: its status, its place and its states as hexadecimal digits; decoded where"
                    + " Narayana"
                    + " wrote them.",
            ""
        })
public final class ShowCommand extends AnyStoreCommand {
    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "KEY",
            description = "a key as list prints it (/Some/Type:0a1b), an id alone, or one of Narayana's Uids"
                    + " (0:ffff7f000001:8f3b:6566a5e2:12)")
    private String second;

    private String key;

    @Override
    protected ExitStatus run() throws IOException {
        key = operand(second);
        Predicate<StateKey> meant = meant();
        StoreInspection inspection = inspect(true);
        List<InspectedRecord> found = inspection.records().stream()
                .filter(record -> meant.test(record.key()))
                .toList();
        if (found.isEmpty()) {
            DamageRemark.of(inspection, output());
            throw new ToolException(
                    ExitStatus.NEGATIVE,
                    inspection.place() + " has no state for the key " + key + "; 'tallystick list' prints the keys");
        }
        JsonArray answers = Json.array();
        for (InspectedRecord record : found) {
            if (output().isJson()) {
                answers.add(json(record));
            } else {
                print(record);
            }
        }
        if (output().isJson()) {
            output().json(Json.object().add("records", answers));
        }
        return ExitStatus.OK;
    }

    private Predicate<StateKey> meant() {
        try {
            if (key.startsWith("/")) {
                return StateKey.parse(Escaped.parse(key))::equals;
            }
            ObjectId id = NarayanaUid.parse(key, ':').orElseGet(() -> ObjectId.parse(key));
            return candidate -> candidate.id().equals(id);
        } catch (IllegalArgumentException noKey) {
            throw new ToolException(
                    ExitStatus.USAGE,
                    "'" + Escaped.of(key) + "' is no key, no id and no Uid (" + noKey.getMessage()
                            + "); 'tallystick list' prints the keys",
                    noKey);
        }
    }

    private void print(InspectedRecord record) {
        StateImage image = record.image();
        output().line("key        %s", Escaped.of(record.key().toString()));
        if (isNarayanas(record.key())) {
            output().line("uid        %s", NarayanaUid.text(record.key().id()));
        }
        output().line("status     %s", record.status());
        output().line("place      %s offset %d", Escaped.of(record.file().toString()), record.offset());
        print("committed", record.key(), image.committed());
        print("shadow", record.key(), image.shadow());
    }

    private void print(String what, StateKey of, byte[] state) {
        if (state == null) {
            return;
        }
        output().line("%-9s  %d bytes", what, state.length);
        HexDump.of(state).forEach(line -> output().line("  %s", line));
        if (isNarayanas(of)) {
            output().line("decoded");
            ActionRecord.decode(of.type(), state).toLines().forEach(line -> output().line("  %s", line));
        }
    }

    private static JsonObject json(InspectedRecord record) {
        StateImage image = record.image();
        JsonObject json = Json.object().add("key", record.key().toString());
        if (isNarayanas(record.key())) {
            json.add("uid", NarayanaUid.text(record.key().id()));
        }
        json.add("status", record.status().name())
                .add("file", record.file().toString())
                .add("offset", record.offset());
        add(json, "committed", record.key(), image.committed());
        add(json, "shadow", record.key(), image.shadow());
        return json;
    }

    private static void add(JsonObject json, String what, StateKey of, byte[] state) {
        if (state == null) {
            return;
        }
        JsonObject value = Json.object()
                .add("bytes", state.length)
                .add("base64", Base64.getEncoder().encodeToString(state));
        if (isNarayanas(of)) {
            value.add("decoded", ActionRecord.decode(of.type(), state).toJson());
        }
        json.add(what, value);
    }

    private static boolean isNarayanas(StateKey of) {
        return of.id().length() == NarayanaUid.BYTES;
    }
}
