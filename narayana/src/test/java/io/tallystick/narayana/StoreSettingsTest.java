package io.tallystick.narayana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import io.tallystick.store.StoreOption;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StoreSettingsTest {
    private final TallystickStoreEnvironmentBean bean = new TallystickStoreEnvironmentBean();
    private final ObjectStoreEnvironmentBean narayana = new ObjectStoreEnvironmentBean();

    @AfterEach
    void forgetProperties() {
        System.clearProperty("tallystick.store");
        System.clearProperty("tallystick.directory");
    }

    @Test
    void theBeanGoesBeforeSystemProperties() {
        System.setProperty("tallystick.store", "journal");
        System.setProperty("tallystick.directory", "/from/property");
        assertThat(StoreSettings.of(bean, narayana).get(StoreOption.STORE)).isEqualTo("journal");
        assertThat(StoreSettings.of(bean, narayana).get(StoreOption.DIRECTORY)).isEqualTo(Path.of("/from/property"));
        bean.setStore("file");
        bean.setDirectory("/from/bean");
        assertThat(StoreSettings.of(bean, narayana).get(StoreOption.STORE)).isEqualTo("file");
        assertThat(StoreSettings.of(bean, narayana).get(StoreOption.DIRECTORY)).isEqualTo(Path.of("/from/bean"));
    }

    @Test
    void withoutADirectoryOfOurOwnNarayanasIsUsedInASubDirectoryThatNoOtherStoreHas() {
        narayana.setObjectStoreDir("/var/lib/narayana");
        for (String store : new String[] {"file", "journal"}) {
            bean.setStore(store);
            assertThat(StoreSettings.of(bean, narayana).get(StoreOption.DIRECTORY))
                    .isEqualTo(Path.of("/var/lib/narayana/" + TallystickObjectStore.class.getSimpleName()));
        }
    }

    @Test
    void theNoteInTheNarayanaJarIsNotTakenForADirectory() {
        narayana.setObjectStoreDir("PutObjectStoreDirHere");
        assertThatThrownBy(() -> StoreSettings.of(bean, narayana))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("PutObjectStoreDirHere")
                .hasMessageContaining("-Dtallystick.directory=");
        narayana.setObjectStoreDir(null);
        assertThatThrownBy(() -> StoreSettings.of(bean, narayana))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-Dtallystick.directory=");
        narayana.setObjectStoreDir("\0");
        assertThatThrownBy(() -> StoreSettings.of(bean, narayana))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-Dtallystick.directory=");
    }

    @Test
    void aStoreInMemoryNeedsNoDirectory() {
        narayana.setObjectStoreDir("PutObjectStoreDirHere");
        bean.setStore("inmemory");
        assertThat(StoreSettings.of(bean, narayana).isSet(StoreOption.DIRECTORY))
                .isFalse();
    }
}
