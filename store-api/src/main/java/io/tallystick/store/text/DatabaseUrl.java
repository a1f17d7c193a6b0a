package io.tallystick.store.text;

import java.util.regex.Pattern;

/** The address of a database as a message may show it. */
public final class DatabaseUrl {
    /** A user and a password before the host: a driver of Java refuses them, and people write them nevertheless. */
    private static final Pattern USER = Pattern.compile("//[^/?]*@");

    private DatabaseUrl() {}

    /** The address without its parameters, of which one may be a password, and without a user before the host. */
    public static String withoutSecrets(String url) {
        int parameters = url.indexOf('?');
        String address = parameters < 0 ? url : url.substring(0, parameters);
        return USER.matcher(address).replaceFirst("//");
    }
}
