package io.tallystick.store.services;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The services of one kind by their names: those that the loader of this library sees, and then those that the context
 * loader of the thread sees. So copies in the class loaders of other modules do not matter. A service that cannot be
 * used hides no other one.
 *
 * @param <S> the kind
 */
public final class NamedServices<S> {
    // A class path that cannot be read fails at every step of the search.
    private static final int MAX_UNUSABLE = 16;

    private final String kind;
    private final Function<S, String> name;
    private final Map<String, S> found = new TreeMap<>();
    private final Map<String, S> twins = new TreeMap<>();
    private final List<ServiceConfigurationError> unusable = new ArrayList<>();

    private NamedServices(String kind, Function<S, String> name) {
        this.kind = kind;
        this.name = name;
    }

    /**
     * A search, which belongs to the module that declares to use the services.
     *
     * @param <S> the kind
     * @param own the loader of this library
     * @param loading how a loader is asked; the module that makes it declares {@code uses}
     */
    public record Search<S>(ClassLoader own, Function<ClassLoader, ServiceLoader<S>> loading) {
        public Search {
            Objects.requireNonNull(own);
            Objects.requireNonNull(loading);
        }
    }

    /**
     * All that there are.
     *
     * @param kind the word for one with its article, for errors: {@code a store}
     * @param name the name of one
     */
    public static <S> NamedServices<S> all(String kind, Search<S> search, Function<S, String> name) {
        NamedServices<S> services = new NamedServices<>(kind, name);
        loaders(search).forEach(loader -> services.collect(search.loading().apply(loader)));
        return services;
    }

    /** As {@link #all}, but does not ask the second loader where the first one has this name. */
    public static <S> NamedServices<S> upTo(String wanted, String kind, Search<S> search, Function<S, String> name) {
        NamedServices<S> services = new NamedServices<>(kind, name);
        for (ClassLoader loader : loaders(search)) {
            services.collect(search.loading().apply(loader));
            if (services.found.containsKey(wanted)) {
                break;
            }
        }
        return services;
    }

    private static List<ClassLoader> loaders(Search<?> search) {
        List<ClassLoader> loaders = new ArrayList<>();
        loaders.add(search.own());
        loaders.add(Thread.currentThread().getContextClassLoader()); // may be null: that of the system
        return loaders;
    }

    private void collect(ServiceLoader<S> loader) {
        Iterator<S> services = loader.iterator();
        int failuresLeft = MAX_UNUSABLE;
        while (failuresLeft > 0) {
            try {
                if (!services.hasNext()) {
                    return;
                }
                add(services.next());
            } catch (ServiceConfigurationError refused) {
                unusable.add(refused);
                failuresLeft--;
            } catch (RuntimeException nameless) { // its name throws, or is none
                unusable.add(new ServiceConfigurationError(kind + " does not tell its name", nameless));
                failuresLeft--;
            } catch (LinkageError missing) { // JDK 25 throws it if a class of a service's signatures is missing
                unusable.add(new ServiceConfigurationError(kind + " could not be loaded", missing));
                failuresLeft--;
            }
        }
    }

    private void add(S service) {
        String itsName = Objects.requireNonNull(name.apply(service), "it has no name");
        S first = found.putIfAbsent(itsName, service);
        if (first != null && !classOf(first).equals(classOf(service))) {
            twins.putIfAbsent(itsName, service);
        }
    }

    /** The services, by their names. */
    public Map<String, S> byName() {
        return Collections.unmodifiableMap(found);
    }

    /** The one of this name; the first one if there are two. */
    public Optional<S> named(String wanted) {
        return Optional.ofNullable(found.get(wanted));
    }

    /** The names of the two classes that have this name, with {@code and} between them; empty unless there are two. */
    public Optional<String> twins(String wanted) {
        return Optional.ofNullable(twins.get(wanted))
                .map(second -> classOf(found.get(wanted)) + " and " + classOf(second));
    }

    /** What keeps others from being used. */
    public List<ServiceConfigurationError> unusable() {
        return List.copyOf(unusable);
    }

    /** What keeps others from being used, one text each, with its cause. */
    public List<String> unusableTexts() {
        return unusable.stream()
                .map(why -> why.getMessage() + (why.getCause() == null ? "" : ", " + why.getCause()))
                .toList();
    }

    /** The same as the end of a message: each text behind {@code ; not usable: }; empty if there is none. */
    public String unusableSuffix() {
        StringBuilder suffix = new StringBuilder();
        unusableTexts().forEach(text -> suffix.append("; not usable: ").append(text));
        return suffix.toString();
    }

    /** The name of the class of a service, for messages. */
    public static String classOf(Object service) {
        return service.getClass().getName();
    }
}
