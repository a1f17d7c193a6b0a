package io.tallystick.rules;

import java.util.List;

/**
 * A text that belongs to the project.
 *
 * @param path from the project's root, with slashes
 * @param text all of it
 */
record TextFile(String path, String text) {
    String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    boolean isJava() {
        return path.endsWith(".java");
    }

    /**
     * How the lists of exceptions name this file. A Java file is its module and its name: it keeps its exceptions when
     * it moves to another package.
     */
    String place() {
        return isJava() ? path.substring(0, path.indexOf('/') + 1) + name() : path;
    }

    List<String> lines() {
        return text.lines().toList();
    }
}
