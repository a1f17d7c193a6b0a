package io.tallystick.durability;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The classes of the stores with a bug in them: one source file is compiled anew, and all classes of the stores are defined
 * a second time, so that nobody else sees the bug. What the stages hand to stores, disks above all, stays the same.
 */
final class PlantedClasses extends ClassLoader {
    private static final List<String> STORES =
            List.of("io.tallystick.store.file.", "io.tallystick.store.journal.", "io.tallystick.durability.scenario.");

    private final Map<String, byte[]> compiled;

    private PlantedClasses(Map<String, byte[]> compiled) {
        super(PlantedClasses.class.getClassLoader());
        this.compiled = compiled;
    }

    /** Compiles the bug, or, if it is null, changes nothing. */
    static PlantedClasses with(PlantedBug bug, Path root) throws IOException {
        return bug == null
                ? new PlantedClasses(Map.of())
                : compiled("the bug " + bug.name(), Map.of(bug.file(), bug.plantedIn(root)));
    }

    /**
     * Compiles these sources.
     *
     * @param what is compiled, for messages
     * @param sources by file name
     */
    static PlantedClasses compiled(String what, Map<String, String> sources) throws IOException {
        return new PlantedClasses(compile(what, sources));
    }

    private static Map<String, byte[]> compile(String what, Map<String, String> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("this Java has no compiler; use a JDK");
        }
        Map<String, ByteArrayOutputStream> classes = new HashMap<>();
        StringWriter complaints = new StringWriter();
        try (StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, null)) {
            JavaFileManager files = new ForwardingJavaFileManager<JavaFileManager>(standard) {
                @Override
                public JavaFileObject getJavaFileForOutput(
                        Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
                    return new SimpleJavaFileObject(URI.create("memory:///" + name), kind) {
                        @Override
                        public OutputStream openOutputStream() {
                            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                            classes.put(name, bytes);
                            return bytes;
                        }
                    };
                }
            };
            List<JavaFileObject> units = new ArrayList<>();
            sources.forEach((name, source) ->
                    units.add(new SimpleJavaFileObject(URI.create("memory:///" + name), JavaFileObject.Kind.SOURCE) {
                        @Override
                        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                            return source;
                        }
                    }));
            List<String> options =
                    List.of("-proc:none", "-nowarn", "--release", "17", "-cp", System.getProperty("java.class.path"));
            boolean sound = compiler.getTask(complaints, files, null, options, null, units)
                    .call();
            if (!sound) {
                throw new IllegalStateException(what + ": the sources do not compile: " + complaints);
            }
        }
        Map<String, byte[]> bytes = new HashMap<>();
        classes.forEach((name, stream) -> bytes.put(name, stream.toByteArray()));
        return bytes;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (STORES.stream().noneMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                byte[] bytes = bytesOf(name);
                loaded = defineClass(name, bytes, 0, bytes.length);
            }
            if (resolve) {
                resolveClass(loaded);
            }
            return loaded;
        }
    }

    private byte[] bytesOf(String name) throws ClassNotFoundException {
        byte[] changed = compiled.get(name);
        if (changed != null) {
            return changed;
        }
        try (InputStream original = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (original == null) {
                throw new ClassNotFoundException(name);
            }
            return original.readAllBytes();
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }
}
