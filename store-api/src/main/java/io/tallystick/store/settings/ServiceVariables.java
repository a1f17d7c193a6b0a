package io.tallystick.store.settings;

import java.util.regex.Pattern;

/**
 * The environment variables that Kubernetes makes in each container for each service of its namespace. The service
 * {@code tallystick-db} gives {@code TALLYSTICK_DB_SERVICE_HOST} and {@code TALLYSTICK_DB_PORT_5432_TCP_ADDR}. Their
 * forms are those of the Kubernetes documentation, "Service: Discovering services, Environment variables".
 */
public final class ServiceVariables {
    private static final Pattern NAME =
            Pattern.compile(".+_SERVICE_HOST|.+_SERVICE_PORT(_.+)?|.+_PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?");
    private static final String ADDRESS_NAME = "_PORT";
    private static final Pattern ADDRESS = Pattern.compile("(tcp|udp|sctp)://.+");

    private ServiceVariables() {}

    /** Whether a variable with this value has such a form. */
    public static boolean isOne(String name, String value) {
        return NAME.matcher(name).matches()
                || name.endsWith(ADDRESS_NAME) && ADDRESS.matcher(value).matches();
    }
}
