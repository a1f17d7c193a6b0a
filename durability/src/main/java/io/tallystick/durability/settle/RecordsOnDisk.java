package io.tallystick.durability.settle;

import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The records of transactions that are on disk, by their Uids in hexadecimal digits.
 *
 * @param log the keys of those in the log
 * @param quarantined the files in which {@code forget} has kept records in the log's own quarantine
 * @param kept those in the directory of {@code --keep-in}
 */
record RecordsOnDisk(Map<String, StateKey> log, Map<String, List<Path>> quarantined, Map<String, List<Path>> kept) {
    private static final String TRANSACTIONS = "/StateManager/BasicAction/";
    private static final String GIVEN_UP = "/Expired";
    private static final Pattern KEPT = Pattern.compile(".*-forget-(.*)\\.jsonl");

    /**
     * Reads the log and both directories.
     *
     * @throws AssertionError the log is damaged
     */
    static RecordsOnDisk of(StoreInspection inspection, Path store, Path keepIn) throws IOException {
        if (!inspection.isHealthy()) {
            throw new AssertionError("the log is damaged: " + inspection.damages());
        }
        Map<String, StateKey> log = new HashMap<>();
        for (InspectedRecord record : inspection.records()) {
            StateKey key = record.key();
            if (key.type().startsWith(TRANSACTIONS) && key.id().length() == NarayanaUid.BYTES) {
                log.put(key.id().toString(), key);
            }
        }
        return new RecordsOnDisk(log, files(SettledTrail.directoryIn(store)), files(keepIn));
    }

    private static Map<String, List<Path>> files(Path directory) throws IOException {
        Map<String, List<Path>> files = new HashMap<>();
        if (!Files.isDirectory(directory)) {
            return files;
        }
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory)) {
            for (Path file : found) {
                Matcher name = KEPT.matcher(file.getFileName().toString());
                if (name.matches()) {
                    NarayanaUid.parse(name.group(1), '_')
                            .ifPresent(uid -> files.computeIfAbsent(uid.toString(), none -> new ArrayList<>())
                                    .add(file));
                }
            }
        }
        files.values().forEach(Collections::sort);
        return files;
    }

    boolean isInLog(String uid) {
        return log.containsKey(uid);
    }

    boolean isGivenUp(String uid) {
        return isInLog(uid) && log.get(uid).type().endsWith(GIVEN_UP);
    }

    /** The type of the record that the expiry scanner has given up, for a record of this type. */
    static String givenUp(String type) {
        return type + GIVEN_UP;
    }

    /** Whether {@code forget} has kept one. */
    boolean isKept(String uid) {
        return quarantined.containsKey(uid) || kept.containsKey(uid);
    }

    /** The files in which one was kept. */
    List<Path> keptFiles(String uid) {
        List<Path> files = new ArrayList<>(quarantined.getOrDefault(uid, List.of()));
        files.addAll(kept.getOrDefault(uid, List.of()));
        return files;
    }
}
