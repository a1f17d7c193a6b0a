package io.tallystick.durability.planted;

import io.tallystick.durability.subject.ConfiguredSubject;
import io.tallystick.durability.subject.ReaperSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.spi.ObjectStoreProvider;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** A store of ours that uses {@link PlantedClasses}. */
public final class PlantedSubject implements ConfiguredSubject {
    private final ConfiguredSubject original;
    private final PlantedBug bug;
    private final PlantedClasses classes;
    private final Opener opener;

    /** Opens a store of the planted classes. */
    private interface Opener {
        ObjectStore open(Disk disk, StoreConfiguration configuration) throws ReflectiveOperationException;
    }

    /** Makes the options of a store of the planted classes. */
    private interface Options {
        Object from(StoreConfiguration configuration) throws ReflectiveOperationException;
    }

    /** @param bug the bug in these classes, or null */
    public PlantedSubject(ConfiguredSubject original, PlantedBug bug, PlantedClasses classes) {
        this.original = original;
        this.bug = bug;
        this.classes = classes;
        try {
            this.opener = original instanceof ReaperSubject
                    ? original::open
                    : original.is(Trait.ANY_DISK) ? onDisk() : byProvider();
        } catch (ReflectiveOperationException renamed) {
            throw new IllegalStateException("the method that opens a store was renamed", renamed);
        }
    }

    private Opener onDisk() throws ReflectiveOperationException {
        boolean isJournal = original.name().startsWith("journal-");
        String store = isJournal ? "io.tallystick.store.journal.Journal" : "io.tallystick.store.file.FileStore";
        Class<?> optionsClass = classes.loadClass(store + "Options");
        Class<?> storeClass = classes.loadClass(isJournal ? store + "Store" : store);
        Method open = storeClass.getMethod("open", optionsClass, Disk.class, NanoClock.class);
        Options options = isJournal ? journalOptions(optionsClass) : fileOptions(optionsClass);
        return (disk, configuration) ->
                (ObjectStore) open.invoke(null, options.from(configuration), disk, NanoClock.SYSTEM);
    }

    /** As {@code OurSubject} opens it: threads sleep, and have several writes in flight. */
    private Options journalOptions(Class<?> optionsClass) throws ReflectiveOperationException {
        Class<?> strategies = classes.loadClass("io.tallystick.store.log.spi.WaitStrategy");
        Method from = optionsClass.getMethod("from", StoreConfiguration.class, strategies);
        Object sleep = strategies.getField("SLEEP").get(null);
        return configuration -> from.invoke(null, configuration, sleep);
    }

    private static Options fileOptions(Class<?> optionsClass) throws ReflectiveOperationException {
        Method from = optionsClass.getMethod("from", StoreConfiguration.class);
        return configuration -> from.invoke(null, configuration);
    }

    private Opener byProvider() throws ReflectiveOperationException {
        ObjectStoreProvider provider =
                (ObjectStoreProvider) classes.loadClass("io.tallystick.store.postgresql.PostgresStoreProvider")
                        .getConstructor()
                        .newInstance();
        return (disk, configuration) -> provider.open(configuration);
    }

    /**
     * Writes the changed classes of a subject with a bug into this directory, for a process of its own.
     *
     * @return the directory; empty for a subject without a bug
     */
    public static Optional<Path> classesOf(Subject subject, Path directory) throws IOException {
        if (!(subject instanceof PlantedSubject planted)) {
            return Optional.empty();
        }
        planted.classes().writeTo(directory);
        return Optional.of(directory);
    }

    /** The classes that the store uses. */
    public PlantedClasses classes() {
        return classes;
    }

    /** The bug in it, or null. */
    public PlantedBug bug() {
        return bug;
    }

    @Override
    public String name() {
        return original.name();
    }

    @Override
    public Family family() {
        return original.family();
    }

    @Override
    public Set<Trait> traits() {
        return original.traits();
    }

    @Override
    public Optional<String> unavailableBecause(Path directory) {
        return original.unavailableBecause(directory);
    }

    @Override
    public ObjectStore open(Path directory) {
        return open(new SystemDisk(), directory);
    }

    @Override
    public StoreConfiguration configuration(Path directory) {
        return original.configuration(directory);
    }

    @Override
    public ObjectStore open(Disk disk, Path directory) {
        return open(disk, configuration(directory));
    }

    @Override
    public ObjectStore open(Disk disk, StoreConfiguration configuration) {
        try {
            return opener.open(disk, configuration);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof RuntimeException told) {
                throw told;
            }
            throw new AssertionError(thrown.getCause());
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
