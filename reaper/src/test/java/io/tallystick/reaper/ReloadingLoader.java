package io.tallystick.reaper;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.objectweb.asm.ClassReader;

/**
 * Loads the reaper's classes, and the scenarios of its tests, a second time, so that a test can change their code. One
 * package is shared with the test: what the changed code calls.
 */
public abstract class ReloadingLoader extends ClassLoader {
    /** The package of the reaper, with a dot behind it. */
    protected static final String REAPER = "io.tallystick.reaper.";

    private final String sharedPackage;

    /** @param ofSharedPackage a class of the package that is not loaded again */
    protected ReloadingLoader(Class<?> ofSharedPackage) {
        super(ofSharedPackage.getClassLoader());
        sharedPackage = ofSharedPackage.getPackageName() + ".";
    }

    /** The code of a class, changed or not. */
    protected abstract byte[] code(ClassReader original);

    @Override
    protected final Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(REAPER) || name.startsWith(sharedPackage)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) {
        byte[] code = code(read(name.replace('.', '/')));
        return defineClass(name, code, 0, code.length);
    }

    /** The code as it was compiled. */
    protected final ClassReader read(String internalName) {
        try (InputStream code = getParent().getResourceAsStream(internalName + ".class")) {
            return new ClassReader(code);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
