package io.tallystick.store.journal.artemis.room;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NextFileRequestTest {
    private final NextFileRequest nextFile = new NextFileRequest();

    @Test
    void oneFileBeginsForARequest() {
        assertThat(nextFile.take()).isFalse();
        nextFile.request();
        nextFile.request();

        assertThat(nextFile.take()).isTrue();
        assertThat(nextFile.take()).isFalse();
    }

    /** The file of the first claim is not on disk yet, so a second record must not leave it. */
    @Test
    void aSecondCallerGetsNoClaimUntilTheFirstOneEnds() {
        assertThat(nextFile.tryClaim()).isTrue();
        nextFile.request();
        nextFile.take();
        assertThat(nextFile.tryClaim()).isFalse();

        nextFile.endClaim();

        assertThat(nextFile.tryClaim()).isTrue();
    }
}
