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
        return isJava() ? module() + name() : path;
    }

    /** The directory of its module, with a slash at the end. A module of an integration lies deeper than others. */
    private String module() {
        int end = path.indexOf("/src/");
        return path.substring(0, (end >= 0 ? end : path.indexOf('/')) + 1);
    }

    List<String> lines() {
        return text.lines().toList();
    }
}
