package io.tallystick.durability.settle;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.transaction.xa.XAException;

/**
 * Resource managers in directories.
 *
 * @param directory has one for each
 */
record Ledgers(Path directory) implements ResourceManagers {
    static final List<String> NAMES = List.of("accounts", "orders", "stock");

    private static final Map<String, State> STATES = Map.of(
            LedgerResource.PREPARED, State.PREPARED,
            LedgerResource.COMMITTED, State.COMMITTED,
            LedgerResource.ROLLED_BACK, State.ROLLED_BACK);

    @Override
    public List<String> names() {
        return NAMES;
    }

    @Override
    public List<String> helpers() {
        return NAMES.stream()
                .flatMap(name -> Stream.of("--helper", LedgerRecovery.class.getName() + "=" + directory.resolve(name)))
                .toList();
    }

    @Override
    public Map<Place, Seen> branches(Map<String, String> labels) throws IOException {
        Map<Place, Seen> branches = new TreeMap<>(SettleModel.ORDER);
        for (String name : NAMES) {
            if (!Files.isDirectory(directory.resolve(name))) {
                continue;
            }
            try (DirectoryStream<Path> files = Files.newDirectoryStream(directory.resolve(name), "*-*.*")) {
                for (Path file : files) {
                    String ending = file.getFileName().toString().replaceAll(".*\\.", "");
                    if (STATES.containsKey(ending)) {
                        branches.put(
                                new Place(Files.readString(file), name),
                                new Seen(STATES.get(ending), Optional.of(BranchXid.ofFile(file))));
                    }
                }
            } catch (NoSuchFileException ended) { // a command has gone on that nobody waits for
                throw new IOException("a branch changes its state while no command runs", ended);
            }
        }
        return branches;
    }

    @Override
    public void prepare(String resource, BranchXid xid, String label) throws IOException {
        try {
            new LedgerResource(directory.resolve(resource), label, step -> {}).prepare(xid);
        } catch (XAException failed) {
            throw new IOException(failed);
        }
    }

    @Override
    public boolean canBeDown() {
        return true;
    }

    @Override
    public void setDown(String resource, boolean isDown) throws IOException {
        Path mark = Files.createDirectories(directory.resolve(resource)).resolve(LedgerResource.DOWN);
        if (isDown) {
            Files.writeString(mark, "");
        } else {
            Files.deleteIfExists(mark);
        }
    }

    @Override
    public void awaitEndOfKilled() {
        // the process itself has changed the files
    }

    @Override
    public void close() {
        // the directory is deleted with that of the history
    }
}
