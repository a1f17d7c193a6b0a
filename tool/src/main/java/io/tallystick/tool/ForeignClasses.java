package io.tallystick.tool;

import io.tallystick.tool.command.JarPath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Optional;
import java.util.function.IntSupplier;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Stores and engines of others, in jars that the command line names: the tool looks for providers in them too. */
final class ForeignClasses {
    static final String OPTION = "--class-path";

    private ForeignClasses() {}

    /**
     * Runs the command with these jars behind the classes of the tool.
     *
     * @throws ParameterException one of them is not there; the command has not run
     */
    static int within(Optional<String> classPath, CommandLine line, IntSupplier command) {
        if (classPath.isEmpty()) {
            return command.getAsInt();
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(urls(classPath.get(), line), ForeignClasses.class.getClassLoader())) {
            thread.setContextClassLoader(loader);
            return command.getAsInt();
        } catch (IOException unclosed) {
            throw new UncheckedIOException(unclosed);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL[] urls(String classPath, CommandLine line) {
        try {
            return JarPath.urls(classPath);
        } catch (IllegalArgumentException missing) {
            throw new ParameterException(line, OPTION + ": " + missing.getMessage(), missing);
        }
    }
}
