package io.tallystick.store.spi;

import io.tallystick.store.StateKey;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The findings of a {@link StoreInspector} in a directory, or of {@link RemoteLogs} on a server: the identity of the
 * store, its files, every record that is whole, and all damage. Immutable, except that {@link InspectedRecord#image}
 * reads the values when asked.
 */
public final class StoreInspection {
    private final Path directory; // null for a log on another machine
    private final String place;
    private final String kind;
    private final Optional<UUID> storeId;
    private final Optional<String> holder;
    private final Map<String, String> settings;
    private final List<InspectedFile> files;
    private final TreeMap<StateKey, InspectedRecord> records = new TreeMap<>(InspectedRecord.ORDER);
    private final List<Damage> damages;

    /**
     * Findings in one directory.
     *
     * @param directory the store's directory, links resolved
     * @param kind the name that the store gives itself and its format
     * @param storeId its unique id; empty where the file that names it is damaged
     * @param holder the process that has the store in use; empty if there is none
     * @param settings configuration keys and values that such a store is opened with, the directory not among them
     * @param files every file in the directory
     * @param records the records, one for each key
     * @param damages all damage, one entry for each place
     */
    public StoreInspection(
            Path directory,
            String kind,
            Optional<UUID> storeId,
            Optional<String> holder,
            Map<String, String> settings,
            List<InspectedFile> files,
            Collection<? extends InspectedRecord> records,
            List<Damage> damages) {
        this(
                Objects.requireNonNull(directory),
                "directory=" + directory,
                kind,
                storeId,
                holder,
                settings,
                files,
                records,
                damages);
    }

    private StoreInspection(
            Path directory,
            String place,
            String kind,
            Optional<UUID> storeId,
            Optional<String> holder,
            Map<String, String> settings,
            List<InspectedFile> files,
            Collection<? extends InspectedRecord> records,
            List<Damage> damages) {
        this.directory = directory;
        this.place = Objects.requireNonNull(place);
        this.kind = Objects.requireNonNull(kind);
        this.storeId = Objects.requireNonNull(storeId);
        this.holder = Objects.requireNonNull(holder);
        this.settings = Collections.unmodifiableMap(new TreeMap<>(settings));
        this.files = List.copyOf(files);
        this.damages = List.copyOf(damages);
        records.forEach(record -> this.records.put(record.key(), record));
    }

    /**
     * Findings in a log on another machine.
     *
     * @param place where it lies, for people to read, with no secret in it
     * @param kind the name that the store gives itself and its format
     * @param storeId its unique id
     * @param holder the process that has the log; empty if there is none
     * @param settings configuration keys and values that tell such a log from others
     * @param rows its rows; the path of each is the name of the table and the number of the row
     * @param records the records, one for each key
     * @param damages all damage, one entry for each place
     */
    public static StoreInspection ofRemoteLog(
            String place,
            String kind,
            UUID storeId,
            Optional<String> holder,
            Map<String, String> settings,
            List<InspectedFile> rows,
            Collection<? extends InspectedRecord> records,
            List<Damage> damages) {
        return new StoreInspection(null, place, kind, Optional.of(storeId), holder, settings, rows, records, damages);
    }

    /**
     * The store's directory, links resolved.
     *
     * @throws IllegalStateException it is a log on another machine
     */
    public Path directory() {
        if (directory == null) {
            throw new IllegalStateException(place + " is no directory");
        }
        return directory;
    }

    /** Where the store lies, for people: {@code directory=/var/lib/tx}, or the address of a log on another machine. */
    public String place() {
        return place;
    }

    /** Whether it is a log on another machine: it has rows instead of files, and no directory. */
    public boolean isRemote() {
        return directory == null;
    }

    /** The name that the store gives itself and its format. */
    public String kind() {
        return kind;
    }

    /** The store's unique id; empty where the file that names it is damaged and no other file tells it. */
    public Optional<UUID> storeId() {
        return storeId;
    }

    /** The process that had the store in use while it was read, for people to read; empty if there was none. */
    public Optional<String> holder() {
        return holder;
    }

    /** Configuration keys and values that open such a store, except {@code tallystick.directory}. */
    public Map<String, String> settings() {
        return settings;
    }

    /** Every file below the directory, in the order of their paths; the rows of a log on another machine. */
    public List<InspectedFile> files() {
        return files;
    }

    /** The records, one for each key, in the order of types and ids. */
    public Collection<InspectedRecord> records() {
        return Collections.unmodifiableCollection(records.values());
    }

    /** The record of one key; empty if the store holds none that is whole. */
    public Optional<InspectedRecord> record(StateKey key) {
        return Optional.ofNullable(records.get(key));
    }

    /** All damage, one entry for each place, in the order of the finds; empty if the store is healthy. */
    public List<Damage> damages() {
        return damages;
    }

    /** Whether nothing is damaged. */
    public boolean isHealthy() {
        return damages.isEmpty();
    }
}
