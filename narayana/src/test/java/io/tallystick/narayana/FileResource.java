package io.tallystick.narayana;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.jboss.tm.XAResourceWrapper;

/**
 * A resource manager whose memory is a directory: a branch is a file with the name of its Xid, and the ending of the
 * file is the branch's state. It has a name, as data sources in an application server have.
 */
public final class FileResource implements XAResourceWrapper {
    private static final HexFormat HEX = HexFormat.of();

    private final Path directory;
    private final String name;
    private final Consumer<String> listener;

    /**
     * @param listener is told of each prepare, commit and rollback, before or after it is done, and may never return
     */
    public FileResource(Path directory, String name, Consumer<String> listener) throws IOException {
        this.directory = Files.createDirectories(directory);
        this.name = name;
        this.listener = listener;
    }

    /** A branch that is prepared, as the commands take its Xid. */
    static Optional<String> prepared(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".prepared"))
                    .map(name -> name.split("[-.]"))
                    .map(parts -> Integer.parseInt(parts[0], 16) + ":" + parts[1] + ":" + parts[2])
                    .findFirst();
        }
    }

    /** The branches that ended so: {@code prepared}, {@code committed} or {@code rolledback}. */
    public static Set<String> transactions(Path directory, String state) throws IOException {
        Set<String> found = new TreeSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*." + state)) {
            for (Path file : files) {
                found.add(file.getFileName().toString().split("[-.]")[1]);
            }
        }
        return found;
    }

    @Override
    public void start(Xid xid, int flags) {}

    @Override
    public void end(Xid xid, int flags) {}

    @Override
    public int prepare(Xid xid) throws XAException {
        listener.accept("before prepare");
        try {
            Files.createFile(file(xid, "prepared"));
        } catch (IOException failed) {
            throw failure(XAException.XAER_RMERR, failed);
        }
        listener.accept("after prepare");
        return XA_OK;
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        listener.accept("before commit");
        if (onePhase) {
            prepare(xid);
        }
        end(xid, "committed");
        listener.accept("after commit");
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        listener.accept("before rollback");
        if (Files.exists(file(xid, "prepared"))) {
            end(xid, "rolledback");
        }
    }

    @Override
    public Xid[] recover(int flag) throws XAException {
        if ((flag & TMSTARTRSCAN) == 0) {
            return new Xid[0];
        }
        List<Xid> xids = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.prepared")) {
            for (Path file : files) {
                String[] parts = file.getFileName().toString().split("[-.]");
                xids.add(new Branch(Integer.parseInt(parts[0], 16), HEX.parseHex(parts[1]), HEX.parseHex(parts[2])));
            }
        } catch (IOException failed) {
            throw failure(XAException.XAER_RMERR, failed);
        }
        return xids.toArray(Xid[]::new);
    }

    @Override
    public void forget(Xid xid) {}

    @Override
    public boolean isSameRM(XAResource other) {
        return other instanceof FileResource that && directory.equals(that.directory);
    }

    @Override
    public int getTransactionTimeout() {
        return 0;
    }

    @Override
    public boolean setTransactionTimeout(int seconds) {
        return false;
    }

    @Override
    public XAResource getResource() {
        return this;
    }

    @Override
    public String getProductName() {
        return "FileResource";
    }

    @Override
    public String getProductVersion() {
        return "1";
    }

    @Override
    public String getJndiName() {
        return name;
    }

    private void end(Xid xid, String state) throws XAException {
        Path prepared = file(xid, "prepared");
        if (!Files.exists(prepared)) {
            throw new XAException(XAException.XAER_NOTA);
        }
        try {
            Files.move(prepared, file(xid, state), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            throw failure(XAException.XAER_RMFAIL, failed);
        }
    }

    private Path file(Xid xid, String state) {
        return directory.resolve(HEX.toHexDigits(xid.getFormatId())
                + '-'
                + HEX.formatHex(xid.getGlobalTransactionId())
                + '-'
                + HEX.formatHex(xid.getBranchQualifier())
                + '.'
                + state);
    }

    private static XAException failure(int code, IOException cause) {
        XAException failure = new XAException(code);
        failure.initCause(cause);
        return failure;
    }

    private record Branch(int formatId, byte[] globalTransactionId, byte[] branchQualifier) implements Xid {
        @Override
        public int getFormatId() {
            return formatId;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return globalTransactionId.clone();
        }

        @Override
        public byte[] getBranchQualifier() {
            return branchQualifier.clone();
        }
    }
}
