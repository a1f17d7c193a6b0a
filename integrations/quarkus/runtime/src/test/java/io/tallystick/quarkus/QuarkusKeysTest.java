package io.tallystick.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Texts of the library with the keys that an application writes. */
class QuarkusKeysTest {
    @Test
    void theKeysOfQuarkusStandBesideOurs() {
        assertThat(QuarkusKeys.beside("configure tallystick.node-id, or tallystick.on-old-log=ignore"))
                .isEqualTo("configure tallystick.node-id, or tallystick.on-old-log=ignore; in the configuration of"
                        + " Quarkus: quarkus.tallystick.node-id, quarkus.transaction-manager.node-name,"
                        + " quarkus.tallystick.on-old-log");
        assertThat(QuarkusKeys.beside("Set tallystick.directory."))
                .endsWith(". In the configuration of Quarkus: quarkus.tallystick.directory,"
                        + " quarkus.transaction-manager.object-store.directory");
    }

    @Test
    void aTextWithoutAKeyStaysAsItIs() {
        for (String text : new String[] {
            "the file tallystick.store is damaged",
            "quarkus.tallystick.directory is given twice",
            "never delete tallystick.lock",
            "tallystick.journal.iox"
        }) {
            assertThat(QuarkusKeys.beside(text)).isEqualTo(text);
        }
    }
}
