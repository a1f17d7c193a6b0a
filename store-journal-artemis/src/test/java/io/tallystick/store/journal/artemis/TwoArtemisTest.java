package io.tallystick.store.journal.artemis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.store.Durability;
import io.tallystick.store.ObjectId;
import io.tallystick.store.ObjectStore;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.JournalStores;
import java.io.File;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Artemis has changed its group id, and its packages have kept their names. So Maven may put both on one class path: an
 * application with a broker of Artemis brings the former one.
 */
class TwoArtemisTest {
    private static final String JOURNAL = "artemis-journal";
    private static final String COMMONS = "artemis-commons";
    private static final String MIXES_SINCE = "2.43.0";
    private static final String JOURNAL_CLASS = "org/apache/activemq/artemis/core/journal/impl/JournalImpl.class";

    @TempDir
    Path temporary;

    @ParameterizedTest
    @CsvSource({JOURNAL + " " + COMMONS + ", first", COMMONS + ", first", JOURNAL + " " + COMMONS + ", last"})
    void bothGroupIdsOnOneClassPathWork(String artifacts, String place) throws Exception {
        List<Path> former = new ArrayList<>();
        for (String artifact : artifacts.split(" ")) {
            former.add(former(artifact));
        }
        runIn(classPath(former, place.equals("first")));
    }

    /** Its journal alone works with our commons since that version; before, opening says so. */
    @Test
    void theJournalOfTheFormerGroupIdAloneWorksOrIsRefusedAtOpening() throws Exception {
        Path journal = former(JOURNAL);
        if (version(System.getProperty("former-artemis.version")).compareTo(version(MIXES_SINCE)) >= 0) {
            runIn(classPath(List.of(journal), true));
        } else {
            URLClassLoader loader = classPath(List.of(journal), true);
            assertThatThrownBy(() -> runIn(loader))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll(journal.toString(), current(JOURNAL_CLASS), "exclude");
        }
    }

    /** The tests above prove something only if the former copy is the one that is used. */
    @Test
    void theFirstCopyIsUsed() throws Exception {
        try (URLClassLoader loader = classPath(List.of(former(COMMONS)), true)) {
            assertThat(Class.forName("org.apache.activemq.artemis.api.core.ActiveMQBuffers", false, loader)
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation())
                    .isEqualTo(former(COMMONS).toUri().toURL());
        }
    }

    /** Else the housekeeper meets it in the middle of commits, and the store fails stop. */
    @Test
    void aCopyThatIsTooOldIsRefusedAtOpeningWithAllJars() throws Exception {
        Path old = jar(JOURNAL, System.getProperty("old-artemis.version"));
        URLClassLoader loader = classPath(List.of(old), true);

        assertThatThrownBy(() -> runIn(loader))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(
                        "tallystick.journal.engine=artemis",
                        "JournalImpl.checkReclaimStatus:()V",
                        old.toString(),
                        current(JOURNAL_CLASS),
                        "org.apache.activemq:artemis-*",
                        "exclude",
                        "tallystick.journal.engine=segmented");
        assertThat(temporary).isEmptyDirectory();
    }

    /** As where a build manages the version of Artemis for all. */
    @Test
    void aSingleCopyThatIsTooOldIsRefusedWithItsJar() throws Exception {
        Path old = jar(JOURNAL, System.getProperty("old-artemis.version"));
        List<URL> urls = new ArrayList<>();
        for (URL url : classPath(List.of(old), true).getURLs()) {
            if (!url.toString().endsWith(current(JOURNAL_CLASS))) {
                urls.add(url);
            }
        }

        assertThatThrownBy(
                        () -> runIn(new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("JournalImpl.checkReclaimStatus:()V", old.toString(), "2.33");
    }

    private void runIn(URLClassLoader classes) throws Exception {
        try (URLClassLoader loader = classes) {
            loader.loadClass(Life.class.getName())
                    .getMethod("live", Path.class)
                    .invoke(null, temporary.resolve("store"));
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof Exception exception) {
                throw exception;
            }
            throw new AssertionError("an Artemis that does not fit was noticed late", thrown.getCause());
        }
    }

    private static URLClassLoader classPath(List<Path> former, boolean isFirst) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        List<URL> added = new ArrayList<>();
        for (Path jar : former) {
            added.add(jar.toUri().toURL());
        }
        urls.addAll(isFirst ? 0 : urls.size(), added);
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static ModuleDescriptor.Version version(String text) {
        return ModuleDescriptor.Version.parse(text);
    }

    private static Path former(String artifact) {
        return jar(artifact, System.getProperty("former-artemis.version"));
    }

    /** Maven puts it there: the pom of this module. */
    private static Path jar(String artifact, String version) {
        Path jar = Path.of(System.getProperty("former.artemis"), artifact + "-" + version + ".jar");
        assertThat(jar).exists();
        return jar;
    }

    private static String current(String resource) {
        String url = TwoArtemisTest.class.getClassLoader().getResource(resource).getPath();
        return Path.of(url.substring(0, url.indexOf('!'))).getFileName().toString();
    }

    /** Runs with the classes of the loader that has loaded it. */
    public static final class Life {
        private static final int STATES = 40;

        private Life() {}

        /** Writes, replaces and removes states, and reads them after a restart. */
        public static void live(Path directory) {
            try (ObjectStore store = open(directory)) {
                for (int i = 0; i < STATES; i++) {
                    store.write(key(i), state("first", i), Durability.FORCED);
                    store.write(key(i), state("second", i), Durability.FORCED);
                }
                store.remove(key(0), Durability.FORCED);
            }
            try (ObjectStore store = open(directory)) {
                assertThat(store.read(key(0))).isEmpty();
                for (int i = 1; i < STATES; i++) {
                    assertThat(store.read(key(i)).orElseThrow()).isEqualTo(state("second", i));
                }
            }
        }

        private static ObjectStore open(Path directory) {
            return JournalStores.open(JournalStores.small(directory, "artemis", "channel"));
        }

        private static StateKey key(int i) {
            return StateKey.of("/Shop/Order", ObjectId.parse(String.format("%04x", i)));
        }

        private static byte[] state(String text, int i) {
            return (text + " " + i).getBytes(StandardCharsets.UTF_8);
        }
    }
}
