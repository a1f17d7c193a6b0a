package io.tallystick.rules;

import java.util.List;

/**
 * A Java source file.
 *
 * @param module the directory of its module
 */
record SourceFile(String module, TextFile file) {
    /** A file of a module, made up by a test. */
    static SourceFile of(String path, String... lines) {
        return new SourceFile(
                path.substring(0, path.indexOf('/')), new TextFile(path, String.join("\n", lines) + "\n"));
    }

    /** Whether its classes are shipped. */
    boolean isMain() {
        return file.path().startsWith(module + "/src/main/");
    }

    /** Whether it holds a package's or a module's declaration and no type. */
    boolean hasNoType() {
        return file.name().equals("package-info.java") || file.name().equals("module-info.java");
    }

    String path() {
        return file.path();
    }

    String place() {
        return file.place();
    }

    List<String> lines() {
        return file.lines();
    }
}
