package io.tallystick.tool.command;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Logs of other stores, recognized by the names of their files alone. */
enum ForeignLog {
    /** {@code ShadowNoFileLockStore}, one file for each state in a tree of directories. */
    NARAYANA_FILES("Narayana's file store (ShadowNoFileLockStore)") {
        @Override
        boolean isIn(Path directory, Set<String> names) {
            return names.contains("ShadowNoFileLockStore")
                    || names.contains("defaultStore")
                    || names.contains("StateManager");
        }
    },
    /** The journal store, in files of a HornetQ journal. */
    NARAYANA_JOURNAL("Narayana's journal store (HornetQ)") {
        @Override
        boolean isIn(Path directory, Set<String> names) {
            return names.contains("HornetqJournalStore")
                    || names.stream()
                            .anyMatch(name -> JOURNAL_FILE.matcher(name).matches());
        }
    },
    /** The slot store, on disk. */
    NARAYANA_SLOTS("Narayana's slot store (SlotStore)") {
        @Override
        boolean isIn(Path directory, Set<String> names) {
            return names.contains("SlotStore")
                    || names.stream().anyMatch(name -> SLOT_FILE.matcher(name).matches());
        }
    };

    private static final Pattern JOURNAL_FILE = Pattern.compile(".*-\\d+\\.txlog");
    private static final Pattern SLOT_FILE = Pattern.compile("slot\\.\\d+");

    private final String description;

    ForeignLog(String description) {
        this.description = description;
    }

    /** The name of the store, for people. */
    String description() {
        return description;
    }

    abstract boolean isIn(Path directory, Set<String> names);

    /** The kind of log that these files in the directory look like; empty for none. */
    static Optional<ForeignLog> in(Path directory, List<Path> files) {
        Set<String> names =
                files.stream().map(file -> String.valueOf(file.getFileName())).collect(Collectors.toSet());
        for (ForeignLog log : values()) {
            if (log.isIn(directory, names)) {
                return Optional.of(log);
            }
        }
        return Optional.empty();
    }
}
