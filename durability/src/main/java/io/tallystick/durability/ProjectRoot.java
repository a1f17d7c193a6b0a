package io.tallystick.durability;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the sources are. */
final class ProjectRoot {
    private static final String KEY = "tallystick.testkit.root";

    private ProjectRoot() {}

    /** The project's root: as the script says, or above the module in which a test runs. */
    static Path path() {
        Path here = Path.of("").toAbsolutePath();
        Path root = System.getProperty(KEY) != null ? Path.of(System.getProperty(KEY)) : here.getParent();
        if (root == null || !Files.isDirectory(root.resolve("store-journal/src/main/java"))) {
            throw new IllegalStateException("the sources are not below " + root + "; run testkit/run in a checkout");
        }
        return root;
    }
}
