package io.tallystick.narayana.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tallystick.storage.Disk;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StateStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tree of files is read as Narayana reads it: names, endings and places. */
class FileTreeSourceTest {
    private static final String UID = "0_ffff7f000001_8c2b_6560f5a3_1";

    private final Disk disk = new SystemDisk();
    private final Findings findings = new Findings();

    @TempDir
    private Path directory;

    private void put(String type, String name, int... state) throws IOException {
        byte[] bytes = new byte[state.length];
        for (int i = 0; i < state.length; i++) {
            bytes[i] = (byte) state[i];
        }
        Files.write(Files.createDirectories(directory.resolve(type)).resolve(name), bytes);
    }

    private List<SourceState> states() throws IOException {
        List<SourceState> states = new ArrayList<>();
        new FileTreeSource(disk, directory).read(states::add, findings);
        return states;
    }

    @Test
    void theEndingOfANameIsTheStatus() throws IOException {
        put("A", UID, 1);
        put("B", UID + "!", 2);
        put("C", UID + "#", 3);
        put("D", UID + "!#", 4);

        assertThat(states())
                .extracting(state -> state.key().type() + " " + state.image().status())
                .containsExactlyInAnyOrder(
                        "/A " + StateStatus.COMMITTED,
                        "/B " + StateStatus.SHADOW,
                        "/C " + StateStatus.COMMITTED_HIDDEN,
                        "/D " + StateStatus.SHADOW_HIDDEN);
        assertThat(findings.damages()).isEmpty();
    }

    @Test
    void theValuesOfANameAreOneState() throws IOException {
        put("A", UID, 1);
        put("A", UID + "!", 2);

        assertThat(states()).singleElement().satisfies(state -> {
            assertThat(state.image().committed()).containsExactly(1);
            assertThat(state.image().shadow()).containsExactly(2);
        });
    }

    @Test
    void anEmptyFileIsNoState() throws IOException {
        put("A", UID);
        put("A", UID + "!", 2);

        assertThat(states())
                .singleElement()
                .satisfies(state -> assertThat(state.image().committed()).isNull());
        assertThat(findings.remarks())
                .singleElement()
                .extracting(Findings.Finding::text)
                .asString()
                .contains("empty");
    }

    @Test
    void directoriesOfAHashAreNoPartOfTheType() throws IOException {
        put("A/#17#/B/#-3#", UID, 1);
        assertThat(states())
                .singleElement()
                .extracting(state -> state.key().type())
                .isEqualTo("/A/B");
    }

    @Test
    void filesWithOtherNamesAreLeftOutWithARemark() throws IOException {
        put("A", UID + "_lock", 1);
        put("A", "notes.txt", 1);

        assertThat(states()).isEmpty();
        assertThat(findings.remarks())
                .extracting(finding -> finding.text().contains("lock file"))
                .containsExactlyInAnyOrder(true, false);
    }

    @Test
    void theRootLiesBelowTheOnlyStore() throws IOException {
        put("ShadowNoFileLockStore/defaultStore/A", UID, 1);
        assertThat(FileTreeSource.rootIn(disk, directory))
                .isEqualTo(directory.resolve("ShadowNoFileLockStore/defaultStore"));
        assertThat(FileTreeSource.rootIn(disk, directory.resolve("ShadowNoFileLockStore")))
                .isEqualTo(directory.resolve("ShadowNoFileLockStore/defaultStore"));
    }

    @Test
    void ofSeveralStoresOneMustBeNamed() throws IOException {
        put("ShadowNoFileLockStore/defaultStore/A", UID, 1);
        put("HashedStore/defaultStore/A", UID, 1);
        assertThatExceptionOfType(SourceException.class)
                .isThrownBy(() -> FileTreeSource.rootIn(disk, directory))
                .withMessageContainingAll("HashedStore", "ShadowNoFileLockStore")
                .extracting(SourceException::reason)
                .isEqualTo(SourceException.Reason.SEVERAL);
    }

    @Test
    void aTreeHasStatesOnlyWhereANameIsAUid() throws IOException {
        put("A", "notes.txt", 1);
        assertThat(FileTreeSource.hasStates(disk, directory)).isFalse();
        put("A/B", UID + "!#", 1);
        assertThat(FileTreeSource.hasStates(disk, directory)).isTrue();
    }
}
