package io.tallystick.durability.planted;

import io.tallystick.durability.subject.OurSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.storage.Disk;
import io.tallystick.storage.NanoClock;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StoreConfiguration;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** A store of ours that uses {@link PlantedClasses}. */
public final class PlantedSubject implements Subject {
    private final OurSubject original;
    private final PlantedBug bug;
    private final PlantedClasses classes;
    private final Method options;
    private final Method open;

    /** @param bug the bug in these classes, or null */
    public PlantedSubject(OurSubject original, PlantedBug bug, PlantedClasses classes) {
        this.original = original;
        this.bug = bug;
        this.classes = classes;
        boolean isJournal = original.name().startsWith("journal-");
        String store = isJournal ? "io.tallystick.store.journal.Journal" : "io.tallystick.store.file.FileStore";
        try {
            Class<?> optionsClass = classes.loadClass(store + "Options");
            Class<?> storeClass = classes.loadClass(isJournal ? store + "Store" : store);
            options = optionsClass.getMethod("from", StoreConfiguration.class);
            open = storeClass.getMethod("open", optionsClass, Disk.class, NanoClock.class);
        } catch (ReflectiveOperationException renamed) {
            throw new IllegalStateException("the method that opens a store was renamed", renamed);
        }
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
    public ObjectStore open(Disk disk, Path directory) {
        try {
            return (ObjectStore)
                    open.invoke(null, options.invoke(null, original.configuration(directory)), disk, NanoClock.SYSTEM);
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof RuntimeException told) {
                throw told;
            }
            throw new AssertionError(thrown.getCause());
        } catch (IllegalAccessException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
