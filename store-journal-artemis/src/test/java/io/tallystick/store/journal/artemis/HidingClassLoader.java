package io.tallystick.store.journal.artemis;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Loads every class of the class path anew, as if the build had excluded a part of it. */
final class HidingClassLoader extends URLClassLoader {
    private final String hidden;

    private HidingClassLoader(List<URL> urls, String hidden) {
        super(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        this.hidden = hidden;
    }

    /** Without the classes whose names begin so. */
    static HidingClassLoader withoutPackages(String prefix) throws MalformedURLException {
        return new HidingClassLoader(classPath(), prefix);
    }

    /** Without the jar, or the directory of classes, that this class comes from. */
    static HidingClassLoader withoutArtifactOf(Class<?> type) throws MalformedURLException {
        URL artifact = type.getProtectionDomain().getCodeSource().getLocation();
        List<URL> urls = classPath();
        boolean wasThere = urls.removeIf(url -> url.toExternalForm().equals(artifact.toExternalForm()));
        if (!wasThere) {
            throw new IllegalStateException("the class path has no entry " + artifact + ": " + urls);
        }
        return new HidingClassLoader(urls, type.getName());
    }

    private static List<URL> classPath() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (name.startsWith(hidden)) {
            throw new ClassNotFoundException(name);
        }
        return super.findClass(name);
    }
}
