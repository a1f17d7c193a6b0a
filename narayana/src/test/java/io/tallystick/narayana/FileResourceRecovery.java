package io.tallystick.narayana;

import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.transaction.xa.XAResource;

/** The resources of crashed transactions, as a user's helper gives them to recovery. */
public final class FileResourceRecovery implements XAResourceRecoveryHelper {
    /** The system property with the number of the commit before which this process dies. */
    static final String DIES_BEFORE_COMMIT = "test.dies-before-commit";

    private List<XAResource> resources = List.of();

    /** For {@link RecoverNode}. */
    public FileResourceRecovery() {}

    /** @param directory the directory that has one for each transaction */
    @Override
    public boolean initialise(String directory) throws IOException {
        if (!Files.isDirectory(Path.of(directory))) {
            return false;
        }
        int dying = Integer.getInteger(DIES_BEFORE_COMMIT, 0);
        Consumer<String> listener = CrashingProcess.haltingAt("before commit", dying);
        List<XAResource> found = new ArrayList<>();
        try (DirectoryStream<Path> transactions = Files.newDirectoryStream(Path.of(directory))) {
            for (Path transaction : transactions) {
                List<FileResource> both = CrashingProcess.resources(transaction, listener);
                found.addAll(Boolean.getBoolean(RecoveringProcess.SECOND_IS_DOWN) ? both.subList(0, 1) : both);
            }
        }
        resources = found;
        return true;
    }

    @Override
    public XAResource[] getXAResources() {
        return resources.toArray(XAResource[]::new);
    }
}
