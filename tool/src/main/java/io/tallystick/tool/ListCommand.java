package io.tallystick.tool;

import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonArray;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the keys of a store. */
@Command(
        name = "list",
        description = {"List the keys of a store with their status and size.", ""})
final class ListCommand extends StoreCommand {
    @Option(names = "--type", paramLabel = "TYPE", description = "only this type and those below it")
    private String type;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            split = ",",
            description = "only these: ${COMPLETION-CANDIDATES}")
    private Set<StateStatus> statuses = Set.of();

    @Option(names = "--limit", paramLabel = "N", description = "stop after so many keys")
    private long limit = Long.MAX_VALUE;

    @Override
    protected ExitStatus run() throws IOException {
        JsonArray keys = Json.array();
        long listed = 0;
        try (ObjectStore store = open()) {
            for (String each : new TreeSet<>(store.types())) {
                if (!isWanted(each)) {
                    continue;
                }
                List<StateKey> sorted = store.keys(each).stream()
                        .sorted(Comparator.comparing(StateKey::id))
                        .toList();
                for (StateKey key : sorted) {
                    StateStatus status = store.statusOf(key);
                    if (listed == limit || !statuses.isEmpty() && !statuses.contains(status)) {
                        continue;
                    }
                    listed++;
                    long bytes = store.read(key).map(value -> value.length).orElse(0)
                            + store.readShadow(key).map(value -> value.length).orElse(0);
                    if (output().isJson()) {
                        keys.add(Json.object()
                                .add("key", key.toString())
                                .add("status", status.name())
                                .add("bytes", bytes));
                    } else {
                        output().line("%-16s %10d  %s", status, bytes, Escaped.of(key.toString()));
                    }
                }
            }
        }
        if (output().isJson()) {
            output().json(Json.object().add("keys", keys));
        }
        return ExitStatus.OK;
    }

    private boolean isWanted(String each) {
        return type == null || each.equals(type) || each.startsWith(type + "/");
    }
}
