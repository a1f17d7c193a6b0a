package io.tallystick.store.services;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.store.services.NamedServices.Search;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Services by their names, whatever else lies on the class path. */
class NamedServicesTest {
    private static final Search<Animal> SEARCH =
            new Search<>(NamedServicesTest.class.getClassLoader(), loader -> ServiceLoader.load(Animal.class, loader));

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @TempDir
    private Path directory;

    public interface Animal {
        String sound();
    }

    public static class Cow implements Animal {
        @Override
        public String sound() {
            return "moo";
        }
    }

    public static final class Ox extends Cow {}

    public static final class Dog implements Animal {
        @Override
        public String sound() {
            return "bark";
        }
    }

    public static final class Fish implements Animal {
        @Override
        public String sound() {
            return null;
        }
    }

    public static final class Lion implements Animal {
        @Override
        public String sound() {
            throw new IllegalStateException("asleep");
        }
    }

    public static final class Ghost implements Animal {
        public Ghost() {
            throw new IllegalStateException("cannot be made");
        }

        @Override
        public String sound() {
            return "boo";
        }
    }

    @BeforeEach
    @AfterEach
    void useTheContextClassLoaderAsBefore() {
        Thread.currentThread().setContextClassLoader(before);
    }

    private NamedServices<Animal> found(Class<?>... services) throws IOException {
        return found(names(services));
    }

    private NamedServices<Animal> found(String... services) throws IOException {
        install(services);
        return NamedServices.all("an animal", SEARCH, Animal::sound);
    }

    private static String[] names(Class<?>... services) {
        String[] names = new String[services.length];
        for (int i = 0; i < names.length; i++) {
            names[i] = services[i].getName();
        }
        return names;
    }

    private void install(String... services) throws IOException {
        Path file =
                Files.createDirectories(directory.resolve("META-INF/services")).resolve(Animal.class.getName());
        Files.writeString(file, String.join("\n", services));
        Thread.currentThread()
                .setContextClassLoader(
                        new URLClassLoader(new URL[] {directory.toUri().toURL()}, before));
    }

    @Test
    void servicesAreFoundByTheirNames() throws IOException {
        NamedServices<Animal> animals = found(Dog.class, Cow.class);
        assertThat(animals.byName()).containsOnlyKeys("bark", "moo");
        assertThat(animals.named("moo")).get().isInstanceOf(Cow.class);
        assertThat(animals.named("miaow")).isEmpty();
        assertThat(animals.twins("moo")).isEmpty();
        assertThat(animals.unusableTexts()).isEmpty();
    }

    @Test
    void twoClassesOfOneNameAreTwinsAndOneClassTwiceIsNot() throws IOException {
        assertThat(found(Cow.class, Ox.class).twins("moo"))
                .contains(Cow.class.getName() + " and " + Ox.class.getName());
        assertThat(found(Cow.class, Cow.class).twins("moo")).isEmpty();
    }

    @Test
    void whatCannotBeUsedHidesNoOtherAndIsTold() throws IOException {
        NamedServices<Animal> animals = found(
                "no.such.Animal",
                Ghost.class.getName(),
                Lion.class.getName(),
                Fish.class.getName(),
                Cow.class.getName());
        assertThat(animals.byName()).containsOnlyKeys("moo");
        assertThat(animals.unusableTexts()).hasSize(4);
        assertThat(animals.unusableTexts().get(0)).contains("no.such.Animal");
        assertThat(animals.unusableTexts().get(1)).contains(Ghost.class.getName(), "cannot be made");
        assertThat(animals.unusableTexts().get(2)).contains("an animal does not tell its name", "asleep");
        assertThat(animals.unusableTexts().get(3)).contains("an animal does not tell its name", "it has no name");
    }

    @Test
    void aClassPathThatFailsAtEachStepEndsTheSearch() throws IOException {
        String[] missing = new String[40];
        for (int i = 0; i < missing.length; i++) {
            missing[i] = "no.such.Animal" + i;
        }
        assertThat(found(missing).unusable()).hasSize(16);
    }

    @Test
    void theLoaderOfTheThreadIsNotAskedWhereTheFirstOneHasTheName() throws IOException {
        install(names(Cow.class));
        ClassLoader own = Thread.currentThread().getContextClassLoader();
        Search<Animal> search = new Search<>(own, SEARCH.loading());
        Path other = Files.createDirectories(directory.resolve("other/META-INF/services"));
        Files.writeString(other.resolve(Animal.class.getName()), "no.such.Animal");
        Thread.currentThread()
                .setContextClassLoader(new URLClassLoader(
                        new URL[] {directory.resolve("other").toUri().toURL()}, before));

        assertThat(NamedServices.upTo("moo", "an animal", search, Animal::sound).unusable())
                .isEmpty();
        assertThat(NamedServices.upTo("bark", "an animal", search, Animal::sound)
                        .unusable())
                .hasSize(1);
    }
}
