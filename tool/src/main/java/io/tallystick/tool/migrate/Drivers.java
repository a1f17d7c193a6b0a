package io.tallystick.tool.migrate;

import io.tallystick.tool.command.ExitStatus;
import io.tallystick.tool.command.JarPath;
import io.tallystick.tool.command.ToolException;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Optional;
import java.util.ServiceLoader;

/** Finds the driver of a database, which the user provides. */
final class Drivers {
    private Drivers() {}

    /**
     * The driver for the URL.
     *
     * @param driverClass its class; empty for the first driver that accepts the URL
     * @param driverPath jars, separated as in a class path; empty for the tool's own class path
     * @throws ToolException there is no such driver
     */
    static Driver find(String url, Optional<String> driverClass, Optional<String> driverPath) {
        ClassLoader loader = driverPath.isPresent()
                ? new URLClassLoader(urls(driverPath.get()), Drivers.class.getClassLoader())
                : Drivers.class.getClassLoader();
        return driverClass.isPresent() ? made(driverClass.get(), loader) : accepting(url, loader);
    }

    private static Driver made(String className, ClassLoader loader) {
        try {
            return (Driver) Class.forName(className, true, loader)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | ClassCastException | LinkageError unusable) {
            throw none("the class " + className + " cannot be used as a driver: " + unusable, unusable);
        }
    }

    private static Driver accepting(String url, ClassLoader loader) {
        for (Driver driver : ServiceLoader.load(Driver.class, loader)) {
            try {
                if (driver.acceptsURL(url)) {
                    return driver;
                }
            } catch (SQLException unusable) {
                throw none("the driver " + driver.getClass().getName() + " refuses the URL: " + unusable, unusable);
            }
        }
        throw none("no driver for such a URL is on the class path", null);
    }

    private static URL[] urls(String path) {
        try {
            return JarPath.urls(path);
        } catch (IllegalArgumentException missing) {
            throw none(missing.getMessage(), missing);
        }
    }

    private static ToolException none(String why, Throwable cause) {
        return new ToolException(
                ExitStatus.USAGE,
                why + "; give its jar with --driver-path, and its class with --driver if it is not found",
                cause);
    }
}
