package io.tallystick.tool.inspect;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import com.eclipsesource.json.JsonObject;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.record.ActionRecord;
import io.tallystick.narayana.logs.record.InDoubtTransaction;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.AnyStoreCommand;
import io.tallystick.tool.command.Escaped;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.GivenKey;
import io.tallystick.tool.command.ToolException;
import io.tallystick.tool.narayana.RecordText;
import java.io.IOException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
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

    @Option(
            names = "--no-bytes",
            description = "leave out the bytes of the states: they may hold passwords and data of the application")
    private boolean isWithoutBytes;

    private String key;

    @Override
    protected ExitStatus run() throws IOException {
        key = operand(second);
        Predicate<StateKey> meant = GivenKey.parse(key);
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

    private void print(InspectedRecord record) {
        StateImage image = record.image();
        output().line("key        %s", Escaped.of(record.key().toString()));
        if (isNarayanas(record.key())) {
            output().line("uid        %s", NarayanaUid.text(record.key().id()));
        }
        output().line("status     %s", record.status());
        output().line("place      %s offset %d", Escaped.place(record.file().toString()), record.offset());
        transaction(record).ifPresent(transaction -> {
            output().line("transaction");
            RecordText.toLines(ListCommand.ofTheLog(transaction)).forEach(line -> output().line("  %s", line));
        });
        print("committed", record.key(), image.committed());
        print("shadow", record.key(), image.shadow());
    }

    private void print(String what, StateKey of, byte[] state) {
        if (state == null) {
            return;
        }
        output().line("%-9s  %d bytes", what, state.length);
        if (!isWithoutBytes) {
            HexDump.of(state).forEach(line -> output().line("  %s", line));
        }
        if (isNarayanas(of)) {
            output().line("decoded");
            RecordText.toLines(ActionRecord.decode(of.type(), state).fields().values())
                    .forEach(line -> output().line("  %s", line));
        }
    }

    private static Optional<InDoubtTransaction> transaction(InspectedRecord record) {
        return ListCommand.transaction(record, ListCommand.decoded(record), Instant.now());
    }

    private JsonObject json(InspectedRecord record) {
        StateImage image = record.image();
        JsonObject json = Json.object().add("key", record.key().toString());
        if (isNarayanas(record.key())) {
            json.add("uid", NarayanaUid.text(record.key().id()));
        }
        json.add("status", record.status().name())
                .add("file", record.file().toString())
                .add("offset", record.offset());
        transaction(record).ifPresent(known -> json.add("transaction", RecordText.toJson(ListCommand.ofTheLog(known))));
        add(json, "committed", record.key(), image.committed());
        add(json, "shadow", record.key(), image.shadow());
        return json;
    }

    private void add(JsonObject json, String what, StateKey of, byte[] state) {
        if (state == null) {
            return;
        }
        JsonObject value = Json.object().add("bytes", state.length);
        if (!isWithoutBytes) {
            value.add("base64", Base64.getEncoder().encodeToString(state));
        }
        if (isNarayanas(of)) {
            value.add(
                    "decoded",
                    RecordText.toJson(
                            ActionRecord.decode(of.type(), state).fields().values()));
        }
        json.add(what, value);
    }

    private static boolean isNarayanas(StateKey of) {
        return of.id().length() == NarayanaUid.BYTES;
    }
}
