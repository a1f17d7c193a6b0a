package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountTest {
    private static final String LINE = "36 25 254:1 / %s %s,relatime shared:1 - %s /dev/vdb1 rw,%s";
    private static final List<String> TABLE = List.of(
            LINE.formatted("/", "rw", "ext4", "errors=remount-ro"),
            LINE.formatted("/var/lib", "rw", "xfs", "nobarrier"),
            LINE.formatted("/var/lib/a\\040b", "rw", "nfs4", "hard"),
            LINE.formatted("/var/lib", "ro", "tmpfs", "size=1g"),
            "a line of another kind");

    @Test
    void theMountOfAPathIsTheNearest() {
        assertThat(at("/var/library").type()).isEqualTo("ext4");
        assertThat(at("/var/lib/a b/c").point()).isEqualTo("/var/lib/a b");
        assertThat(Mount.in(List.of(), Path.of("/home"))).isEmpty();
    }

    @Test
    void ofTwoMountsAtOnePointTheLastCounts() {
        assertThat(at("/var/lib/tx").type()).isEqualTo("tmpfs");
        assertThat(at("/var/lib/tx").isMemory()).isTrue();
        assertThat(at("/var/lib/tx").source()).isEqualTo("/dev/vdb1");
    }

    @Test
    void theOptionsAreThoseOfTheMountAndOfTheFileSystemEachOnce() {
        assertThat(at("/home").options()).isEqualTo("rw,relatime,errors=remount-ro");
        assertThat(at("/var/lib").options()).isEqualTo("ro,relatime,rw,size=1g");
    }

    @Test
    void aStoreIsWarnedOfMemoryOfOtherMachinesOfReadOnlyMountsAndOfCachesThatAreNotEmptied() {
        assertThat(at("/home").warnings()).isEmpty();
        assertThat(at("/var/lib/a b").warnings()).singleElement().asString().contains("another machine");
        assertThat(at("/var/lib/tx").warnings()).hasSize(2).anyMatch(warning -> warning.contains("read-only"));
        assertThat(Mount.in(TABLE.subList(0, 2), Path.of("/var/lib"))
                        .orElseThrow()
                        .warnings())
                .singleElement()
                .asString()
                .contains("nobarrier");
    }

    /** As where the locale of this process has no letter for its name; here by a character that is in no name. */
    @Test
    void aMountPointThatThisProcessCannotNameIsPassedOver() {
        List<String> table = List.of(TABLE.get(0), LINE.formatted("/mnt/\0", "rw", "xfs", "nobarrier"));

        assertThat(Mount.in(table, Path.of("/mnt")).orElseThrow().type()).isEqualTo("ext4");
    }

    private static Mount at(String path) {
        return Mount.in(TABLE, Path.of(path)).orElseThrow();
    }
}
