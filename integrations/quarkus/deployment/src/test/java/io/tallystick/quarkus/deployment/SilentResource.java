package io.tallystick.quarkus.deployment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.List;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * A resource whose data lie in a directory, as those of a server would. It prepares a branch, and does not answer its
 * commit until the file {@code answers} is there.
 */
public final class SilentResource implements XAResource {
    private final Path directory;

    /** @param directory of its files */
    public SilentResource(Path directory) {
        this.directory = directory;
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        append("prepared", text(xid));
        return XA_OK;
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        append("asked", text(xid));
        if (!Files.exists(directory.resolve("answers"))) {
            throw new XAException(XAException.XAER_RMFAIL);
        }
        append("committed", text(xid));
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        append("rolled-back", text(xid));
    }

    @Override
    public Xid[] recover(int flag) throws XAException {
        if (flag != TMSTARTRSCAN) {
            return new Xid[0];
        }
        List<String> ended = lines("committed");
        return lines("prepared").stream()
                .filter(branch -> !ended.contains(branch))
                .map(Branch::new)
                .toArray(Xid[]::new);
    }

    @Override
    public void start(Xid xid, int flags) {}

    @Override
    public void end(Xid xid, int flags) {}

    @Override
    public void forget(Xid xid) {}

    @Override
    public boolean isSameRM(XAResource other) {
        return other instanceof SilentResource;
    }

    @Override
    public int getTransactionTimeout() {
        return 0;
    }

    @Override
    public boolean setTransactionTimeout(int seconds) {
        return false;
    }

    private void append(String file, String line) throws XAException {
        try {
            Files.writeString(
                    directory.resolve(file), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private List<String> lines(String file) {
        try {
            return Files.exists(directory.resolve(file)) ? Files.readAllLines(directory.resolve(file)) : List.of();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String text(Xid xid) {
        HexFormat hex = HexFormat.of();
        return xid.getFormatId() + " " + hex.formatHex(xid.getGlobalTransactionId()) + " "
                + hex.formatHex(xid.getBranchQualifier());
    }

    /** A branch that it has written down. */
    private record Branch(String line) implements Xid {
        @Override
        public int getFormatId() {
            return Integer.parseInt(line.split(" ")[0]);
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return HexFormat.of().parseHex(line.split(" ")[1]);
        }

        @Override
        public byte[] getBranchQualifier() {
            return HexFormat.of().parseHex(line.split(" ")[2]);
        }
    }
}
