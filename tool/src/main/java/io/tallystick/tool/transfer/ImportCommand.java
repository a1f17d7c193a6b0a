package io.tallystick.tool.transfer;

import com.eclipsesource.json.Json;
import io.tallystick.store.Durability;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.StateStatus;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import io.tallystick.store.UnsupportedFormatException;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StateImage;
import io.tallystick.store.spi.StoreInspection;
import io.tallystick.tool.command.AnyStoreCommand;
import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.GivenSettings;
import io.tallystick.tool.command.NewPlace;
import io.tallystick.tool.command.OwnerOption;
import io.tallystick.tool.command.Progress;
import io.tallystick.tool.command.RemoteLog;
import io.tallystick.tool.command.StateImages;
import io.tallystick.tool.command.StoreAccess;
import io.tallystick.tool.command.StoreAt;
import io.tallystick.tool.command.ToolException;
import io.tallystick.tool.inspect.DamageRemark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Puts the records of an export into a store. */
@Command(
        name = "import",
        description = {
            "Put the records of an export into a store. The export is read to its end first; then nothing is changed"
                    + " if a"
                    + " key of it has another state in the store, unless --replace. Can be run again after a kill.",
            ""
        })
public final class ImportCommand extends AnyStoreCommand {
    private static final int NAMED_KEYS = 5;
    private static final int FORCED_EVERY = 10_000;

    @Parameters(index = "1", arity = "0..1", paramLabel = "FILE", description = "a file that 'export' has written")
    private String second;

    @Option(names = "--replace", description = "keys with another state in the store get the state of the export")
    private boolean isReplacing;

    @Option(
            names = "--create",
            paramLabel = "STORE",
            description = "make a store of this kind, file or journal, if the directory is missing or empty; with"
                    + " --url postgresql, if the node has no log")
    private String created;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description =
                    "a configuration key of the store for this opening, such as -Dtallystick.journal.engine=artemis")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Mixin
    private OwnerOption owner;

    private Path file;
    private long unchanged;
    private long added;
    private long replaced;

    @Override
    protected ExitStatus run() throws IOException {
        file = pathOperand(second).toAbsolutePath().normalize();
        Optional<RemoteLog> remote = remoteLog().map(log -> log.with(settings));
        Optional<StoreInspection> before = remote.isPresent() ? before(remote.get()) : before();
        StoreConfiguration configuration =
                remote.isPresent() ? configuration(remote.get(), before) : configuration(before);
        String place = before.map(StoreInspection::place)
                .orElseGet(() -> remote.isPresent() ? "the new log" : "directory=" + directory());
        long checksum = check(place, before, configuration.get(StoreOption.MAX_STATE_SIZE));
        StoreAccess access = remote.isPresent() ? StoreAccess.SYSTEM : owner.accessTo(directory());
        if (remote.isPresent() && before.isPresent()) {
            checkNoAdopter(access, configuration);
        }
        try (ObjectStore store = access.open(configuration)) {
            long again;
            try (Progress progress = output().progress("importing")) {
                again = ExportReader.read(file, ExportReader.Reading.AGAIN, (key, image) -> {
                    put(store, key, imageOf(before, key), image);
                    long done = unchanged + added + replaced;
                    progress.at(done, 0, "records");
                    if (done % FORCED_EVERY == 0) {
                        store.force();
                    }
                });
            }
            store.force();
            if (again != checksum) {
                throw new ToolException(
                        ExitStatus.FAILED, "file=" + file + " was changed while it was imported; import it again");
            }
        }
        if (output().isJson()) {
            output().json(Json.object()
                    .add("added", added)
                    .add("replaced", replaced)
                    .add("unchanged", unchanged));
        } else {
            output().line("added %d, replaced %d, unchanged %d", added, replaced, unchanged);
        }
        return ExitStatus.OK;
    }

    private Optional<StoreInspection> before() throws IOException {
        if (created != null && StoreAt.isFree(directory())) {
            NewPlace.checkOutsideStores(StoreAccess.SYSTEM.disk(), directory());
            return Optional.empty();
        }
        StoreInspection inspection =
                StoreAccess.SYSTEM.inspectorOf(find().directory()).inspect(directory());
        inspection.holder().ifPresent(holder -> {
            throw new ToolException(
                    ExitStatus.IN_USE,
                    "directory=" + inspection.directory() + " is in use by " + holder + "; end that first");
        });
        checkHealthy(inspection, "run 'tallystick repair' before the import");
        return Optional.of(inspection);
    }

    private StoreAt find() throws IOException {
        return StoreAt.find(directory());
    }

    /** Who has the log is found out when it is opened: the wait for a lease tells a living owner from a dead one. */
    private Optional<StoreInspection> before(RemoteLog log) {
        if (created != null && !created.equals(log.configuration().get(StoreOption.STORE))) {
            throw new ToolException(
                    ExitStatus.USAGE,
                    "--create " + created + " makes a store in a directory; with --url give --create "
                            + log.configuration().get(StoreOption.STORE));
        }
        Optional<StoreInspection> found;
        try {
            found = log.find();
        } catch (UnsupportedFormatException noTables) { // the opening makes them, or refuses again
            if (created == null || !log.configuration().get(StoreOption.POSTGRESQL_CREATE_TABLES)) {
                throw noTables;
            }
            return Optional.empty();
        }
        if (found.isEmpty() && created == null) {
            throw log.missing();
        }
        found.ifPresent(inspection -> checkHealthy(inspection, "restore the database before the import"));
        return found;
    }

    private void checkHealthy(StoreInspection inspection, String remedy) {
        if (DamageRemark.of(inspection, output()) != ExitStatus.OK) {
            throw new ToolException(ExitStatus.NEGATIVE, inspection.place() + " is damaged; " + remedy);
        }
    }

    private StoreConfiguration configuration(RemoteLog log, Optional<StoreInspection> before) {
        StoreConfiguration.Builder builder =
                log.configuration().toBuilder().set(StoreOption.EXPECT_EXISTING, before.isPresent());
        if (!log.configuration().isSet(StoreOption.MAX_STATE_SIZE)) {
            builder.set(StoreOption.MAX_STATE_SIZE, StoreAt.LARGEST_STATE_BYTES);
        }
        return builder.build();
    }

    /**
     * Takes the log as an adopter, which puts no living owner out, and leaves it at once. The import itself is the
     * node, so a start of the node does not take the log from it; and the node goes before every adopter.
     *
     * @throws io.tallystick.store.StoreLockedException the owner lives, the node or an adopter
     */
    private static void checkNoAdopter(StoreAccess access, StoreConfiguration configuration) throws IOException {
        access.open(configuration.toBuilder().adopting().build()).close();
    }

    private StoreConfiguration configuration(Optional<StoreInspection> before) throws IOException {
        if (before.isPresent()) {
            return find().configuration(settings);
        }
        StoreConfiguration.Builder builder = StoreConfiguration.builder();
        GivenSettings.apply(settings, builder);
        return builder.store(created).directory(directory()).build();
    }

    /** Reads the export to its end before anything is changed. */
    private long check(String place, Optional<StoreInspection> before, long largestBytes) throws IOException {
        List<StateKey> differing = new ArrayList<>();
        long checksum = ExportReader.read(file, ExportReader.Reading.FIRST, (key, image) -> {
            StateImage there = imageOf(before, key);
            if (!isBeginningOf(there, image)) {
                differing.add(key);
            }
            if (StateImages.largestValue(image) > largestBytes) {
                throw new ToolException(
                        ExitStatus.REFUSED,
                        "key=" + key.toPrintable() + " has a value of more than the " + largestBytes
                                + " bytes that this store takes; give -D" + StoreOption.MAX_STATE_SIZE.key()
                                + "=..., nothing was changed");
            }
        });
        if (!differing.isEmpty() && !isReplacing) {
            throw new ToolException(
                    ExitStatus.REFUSED,
                    differing.size() + " keys of file=" + file + " have another state in " + place + ", for example "
                            + differing.stream()
                                    .limit(NAMED_KEYS)
                                    .map(StateKey::toPrintable)
                                    .toList()
                            + "; --replace gives them the state of the export, nothing was changed");
        }
        return checksum;
    }

    private void put(ObjectStore store, StateKey key, StateImage there, StateImage wanted) {
        checkStill(store, key, there);
        if (StateImages.same(there, wanted)) {
            unchanged++;
            return;
        }
        StateImage now = there;
        if (!isBeginningOf(there, wanted)) {
            now = cleared(store, key, there);
            replaced++;
        } else {
            added++;
        }
        if (wanted.committed() != null && now.committed() == null) {
            store.write(key, wanted.committed(), Durability.DEFERRED);
        }
        if (wanted.shadow() != null && now.shadow() == null) {
            store.writeShadow(key, wanted.shadow(), Durability.DEFERRED);
        }
        if (wanted.isHidden() && !now.isHidden()) {
            store.hide(key);
        }
    }

    /** Another process may have changed the store before this one got the lock. */
    private void checkStill(ObjectStore store, StateKey key, StateImage there) {
        StateStatus status = store.statusOf(key);
        boolean isStill = status == there.status()
                && (status.isHidden()
                        || StateImages.same(
                                there,
                                StateImage.of(
                                        store.read(key).orElse(null),
                                        store.readShadow(key).orElse(null),
                                        false)));
        if (!isStill) {
            throw new ToolException(
                    ExitStatus.FAILED,
                    "key=" + key.toPrintable() + " was changed by another process meanwhile; run the import again");
        }
    }

    private static StateImage cleared(ObjectStore store, StateKey key, StateImage there) {
        if (there.isHidden()) {
            store.reveal(key);
        }
        if (there.shadow() != null) {
            store.discardShadow(key, Durability.DEFERRED);
        }
        if (there.committed() != null) {
            store.remove(key, Durability.DEFERRED);
        }
        return StateImage.ABSENT;
    }

    /**
     * Whether an import that was killed may have left {@code there} on its way to {@code wanted}: it writes the
     * committed value, then the shadow, then hides.
     */
    static boolean isBeginningOf(StateImage there, StateImage wanted) {
        if (there.isAbsent() || StateImages.same(there, wanted)) {
            return true;
        }
        StateImage withoutHiding = StateImage.of(wanted.committed(), wanted.shadow(), false);
        StateImage committedAlone = StateImage.of(wanted.committed(), null, false);
        return StateImages.same(there, withoutHiding) || StateImages.same(there, committedAlone);
    }

    private static StateImage imageOf(Optional<StoreInspection> before, StateKey key) {
        return before.flatMap(inspection -> inspection.record(key))
                .map(InspectedRecord::image)
                .orElse(StateImage.ABSENT);
    }
}
