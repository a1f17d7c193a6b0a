package io.tallystick.durability.settle;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.jboss.tm.XAResourceWrapper;

/**
 * A resource manager in a directory: a branch is a file that is named by its Xid and holds the name of its transaction;
 * the file's ending is the branch's state. While the file {@value #DOWN} is there, it does not answer.
 */
final class LedgerResource implements XAResourceWrapper {
    static final String PREPARED = "prepared";
    static final String COMMITTED = "committed";
    static final String ROLLED_BACK = "rolledback";
    static final String DOWN = "down";

    private final Path directory;
    private final String label;
    private final Consumer<String> steps;

    /**
     * A resource for one transaction, or for recovery.
     *
     * @param label the name of the transaction
     * @param steps is told before and after each commit and rollback, and may never return
     */
    LedgerResource(Path directory, String label, Consumer<String> steps) throws IOException {
        this.directory = Files.createDirectories(directory);
        this.label = label;
        this.steps = steps;
    }

    @Override
    public void start(Xid xid, int flags) {
        // nothing is done in between
    }

    @Override
    public void end(Xid xid, int flags) {
        // nothing is done in between
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        try {
            // Complete before it has its name.
            Path written = Files.writeString(file(xid, "new"), label);
            Files.move(written, file(xid, PREPARED), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            throw failure(XAException.XAER_RMERR, failed);
        }
        return XA_OK;
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        steps.accept("before commit");
        if (onePhase) {
            prepare(xid);
        }
        end(xid, COMMITTED);
        steps.accept("after commit");
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        steps.accept("before rollback");
        end(xid, ROLLED_BACK);
        steps.accept("after rollback");
    }

    private void end(Xid xid, String state) throws XAException {
        checkUp();
        try {
            Files.move(file(xid, PREPARED), file(xid, state), StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException unknown) {
            throw failure(XAException.XAER_NOTA, unknown);
        } catch (IOException failed) {
            throw failure(XAException.XAER_RMFAIL, failed);
        }
    }

    private void checkUp() throws XAException {
        if (Files.exists(directory.resolve(DOWN))) {
            throw new XAException(XAException.XAER_RMFAIL);
        }
    }

    @Override
    public Xid[] recover(int flag) throws XAException {
        checkUp();
        if ((flag & TMSTARTRSCAN) == 0) {
            return new Xid[0];
        }
        List<Xid> xids = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*." + PREPARED)) {
            for (Path file : files) {
                xids.add(BranchXid.ofFile(file));
            }
        } catch (IOException failed) {
            throw failure(XAException.XAER_RMERR, failed);
        }
        return xids.toArray(Xid[]::new);
    }

    @Override
    public void forget(Xid xid) {
        // it remembers nothing
    }

    @Override
    public boolean isSameRM(XAResource other) {
        return other instanceof LedgerResource that && directory.equals(that.directory);
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
        return "LedgerResource";
    }

    @Override
    public String getProductVersion() {
        return "1";
    }

    @Override
    public String getJndiName() {
        return directory.getFileName().toString();
    }

    private Path file(Xid xid, String state) {
        return directory.resolve(BranchXid.of(xid).fileName() + '.' + state);
    }

    private static XAException failure(int code, IOException cause) {
        XAException failure = new XAException(code);
        failure.initCause(cause);
        return failure;
    }
}
