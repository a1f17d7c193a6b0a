package io.tallystick.store.spi;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads the classes of this test's class path again and hides packages of the JDK from them, as a module of an
 * application server does that does not name the JDK's module. The tests of the reaper have the same class: neither
 * module may know the other, and nothing stands below both.
 */
public final class HidingClassLoader extends URLClassLoader {
    /** @param hiddenPackages the beginnings of the names of classes that are not there */
    public HidingClassLoader(String... hiddenPackages) {
        super(classPath(), new Filter(List.of(hiddenPackages)));
    }

    private static URL[] classPath() {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            try {
                urls.add(Path.of(entry).toUri().toURL());
            } catch (MalformedURLException impossible) {
                throw new AssertionError(impossible);
            }
        }
        return urls.toArray(URL[]::new);
    }

    private static final class Filter extends ClassLoader {
        private final List<String> hidden;

        Filter(List<String> hidden) {
            super(ClassLoader.getPlatformClassLoader());
            this.hidden = hidden;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (hidden.stream().anyMatch(name::startsWith)) {
                throw new ClassNotFoundException(name + " is hidden by this test");
            }
            return super.loadClass(name, resolve);
        }
    }
}
