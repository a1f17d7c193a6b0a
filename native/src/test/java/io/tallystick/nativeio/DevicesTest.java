package io.tallystick.nativeio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tallystick.storage.ChildJvm;
import io.tallystick.storage.DiskDevice;
import io.tallystick.storage.SystemDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The devices as others find them. */
@Timeout(90)
class DevicesTest {
    @TempDir(factory = OnLocalDisk.class)
    Path directory;

    @Test
    void theServiceLoaderFindsThem() {
        assertThat(DiskDevice.all()).extracting(DiskDevice::name).contains("aio", "uring");
    }

    @ParameterizedTest
    @ValueSource(strings = {"aio", "uring"})
    void eitherADeviceWorksOrItSaysWhyNot(String name) throws IOException {
        DiskDevice device = DiskDevice.named(name).orElseThrow();
        Optional<String> reason = device.unavailableBecause(directory);
        if (reason.isEmpty()) {
            assertThat(device.over(new SystemDisk())).isNotNull();
        } else {
            assertThat(reason.get()).matches("(?s).*(Use|Add|Run|Install|Set|Choose|Change|Start|Put) .*");
        }
    }

    @Test
    void withoutALaterJdkUringSaysThatItNeedsOne() throws Exception {
        assumeTrue(Runtime.version().feature() < 22, "skipped: this JDK is later");
        assertThat(probe(WriterProcess.inAJvm(directory), "uring"))
                .contains("needs JDK 22 or later and this is JDK "
                        + Runtime.version().feature());
        assertThatThrownBy(() -> new UringDevice().over(new SystemDisk()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("device=uring", "needs JDK 22");
    }

    @Test
    void withoutItsLaterPartUringSaysSo() throws Exception {
        assumeTrue(Runtime.version().feature() >= 22, "skipped: it needs JDK 22 or later");
        assertThat(probe(WriterProcess.inAJvmBefore22(directory), "uring"))
                .contains("without its JDK 22 part", "multi-release");
    }

    @Test
    void withNeitherWayAioNamesBothReasons() throws Exception {
        assertThat(probe(WriterProcess.inAJvmBefore22(directory).without("artemis-native"), "aio"))
                .contains("activemq-artemis-native", "JDK 22");
    }

    @ParameterizedTest
    @ValueSource(strings = {"aio", "uring"})
    void withoutNativeAccessTheySaySo(String name) throws Exception {
        assumeTrue(Runtime.version().feature() >= 24, "skipped: native access can be denied from JDK 24 on");
        assertThat(probe(WriterProcess.inAJvm(directory).denyingNativeAccess(), name))
                .contains("IllegalCallerException", "--enable-native-access");
    }

    private String probe(ChildJvm child, String device) throws Exception {
        List<String> lines = child.lines("probe", device, directory.toString());
        assertThat(lines).singleElement().asString().startsWith("UNAVAILABLE ");
        return lines.get(0);
    }
}
