package io.tallystick.narayana.recover;

import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import io.tallystick.storage.SmallFile;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.io.StringReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;

/**
 * Gives recovery the XA data source that a properties file describes. For {@code RecoverNode}: {@code --helper
 * io.tallystick.narayana.recover.DataSourceRecovery=/etc/recover/accounts.properties}.
 *
 * <pre>
 * class=org.postgresql.xa.PGXADataSource
 * name=java:/accounts
 * url=jdbc:postgresql://accounts-db/accounts
 * user=orders
 * password-file=/run/secrets/accounts-password
 * </pre>
 *
 * <p>{@code class} is the driver's XA data source. {@code name} is the name under which the application's resource
 * stands in the log, as in an application server; it is left out if the resource has none. {@code password-file} is a
 * file whose first line is the password. Every other key is a property of the data source, which has a setter of
 * that name with one parameter: a text, a number or a truth value. Capital letters do not matter.
 */
public final class DataSourceRecovery implements XAResourceRecoveryHelper {
    private static final int MAX_FILE_BYTES = 64 * 1024;
    private static final String CLASS = "class";
    private static final String NAME = "name";
    private static final String PASSWORD_FILE = "password-file";

    private XADataSource dataSource;
    private String name;
    // By the thread that scans. Null while there is none.
    private XAConnection connection;
    private NamedResource resource;

    /** For {@code RecoverNode}, which initialises it. */
    public DataSourceRecovery() {}

    /**
     * Reads the properties file.
     *
     * @throws IllegalArgumentException the file or a value in it cannot be used; the text says why
     */
    @Override
    public boolean initialise(String file) {
        Properties properties = read(Path.of(file));
        String className = properties.getProperty(CLASS, "").strip();
        try {
            ClassLoader loader = Thread.currentThread().getContextClassLoader();
            dataSource = (XADataSource)
                    Class.forName(className, true, loader == null ? getClass().getClassLoader() : loader)
                            .getConstructor()
                            .newInstance();
        } catch (ReflectiveOperationException | ClassCastException | LinkageError unusable) {
            throw new IllegalArgumentException(
                    file + ": class=" + className + " is not an XADataSource that can be made (" + unusable
                            + "); put the driver on the class path, and name its XA data source",
                    unusable);
        }
        name = properties.getProperty(NAME);
        for (String key : properties.stringPropertyNames()) {
            String value = properties.getProperty(key);
            switch (key) {
                case CLASS, NAME -> {}
                case PASSWORD_FILE -> set(file, "password", firstLine(Path.of(value)));
                default -> set(file, key, value);
            }
        }
        return true;
    }

    /**
     * The data source's resource. It is asked first whether it still answers; if not, it comes from a new connection.
     *
     * @throws SQLException the data source gives no connection
     */
    @Override
    public XAResource[] getXAResources() throws SQLException {
        if (resource == null || !answers()) {
            close();
            connection = dataSource.getXAConnection();
            resource = new NamedResource(connection.getXAResource(), name);
        }
        return new XAResource[] {resource};
    }

    private boolean answers() {
        try {
            resource.recover(XAResource.TMSTARTRSCAN);
            resource.recover(XAResource.TMENDRSCAN);
            return true;
        } catch (XAException broken) {
            return false;
        }
    }

    private void close() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException broken) { // a new one takes its place
        } finally {
            connection = null;
            resource = null;
        }
    }

    private static Properties read(Path file) {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(text(file)));
            return properties;
        } catch (IOException | IllegalArgumentException unreadable) {
            throw new IllegalArgumentException(
                    "the properties of a data source cannot be read from " + file + ": " + unreadable, unreadable);
        }
    }

    private static String firstLine(Path file) {
        try {
            return text(file).lines().findFirst().orElse("");
        } catch (IOException unreadable) {
            throw new IllegalArgumentException(
                    "the password cannot be read from " + file + ": " + unreadable, unreadable);
        }
    }

    private static String text(Path file) throws IOException {
        byte[] bytes = SmallFile.read(new SystemDisk(), file, MAX_FILE_BYTES)
                .orElseThrow(() -> new NoSuchFileException(file.toString()));
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private void set(String file, String key, String value) {
        List<Method> setters = Arrays.stream(dataSource.getClass().getMethods())
                .filter(method -> method.getName().equalsIgnoreCase("set" + key) && method.getParameterCount() == 1)
                .toList();
        for (Method setter : setters) {
            Object argument = converted(value, setter.getParameterTypes()[0]);
            if (argument != null) {
                call(file, key, setter, argument);
                return;
            }
        }
        throw new IllegalArgumentException(file + ": " + dataSource.getClass().getName() + " has no property '" + key
                + "' that takes this value; the driver's documentation names its properties");
    }

    private void call(String file, String key, Method setter, Object argument) {
        try {
            setter.invoke(dataSource, argument);
        } catch (InvocationTargetException | IllegalAccessException refused) {
            Throwable why = refused.getCause() == null ? refused : refused.getCause();
            throw new IllegalArgumentException(file + ": the data source refuses " + key + ": " + why, refused);
        }
    }

    /** The text as a value of this type; null if it is none. */
    private static Object converted(String text, Class<?> type) {
        if (type == String.class) {
            return text;
        }
        try {
            if (type == int.class || type == Integer.class) {
                return Integer.valueOf(text.strip());
            }
            if (type == long.class || type == Long.class) {
                return Long.valueOf(text.strip());
            }
        } catch (NumberFormatException noNumber) {
            return null;
        }
        String word = text.strip().toLowerCase(Locale.ROOT);
        boolean isTruth = word.equals("true") || word.equals("false");
        return isTruth && (type == boolean.class || type == Boolean.class) ? Boolean.valueOf(word) : null;
    }
}
