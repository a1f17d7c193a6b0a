package io.tallystick.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What goes on after a short read or write, on a file that takes and gives a few bytes at a time. */
class DiskFileTest {
    private final ReluctantFile file = new ReluctantFile();

    @Test
    void shortWritesAreContinued() throws IOException {
        ByteBuffer source = ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6, 7});
        file.bytesAtATime = 3;
        file.writeFully(source, 2);

        assertThat(source.hasRemaining()).isFalse();
        assertThat(file.content).startsWith(0, 0, 1, 2, 3, 4, 5, 6, 7, 0);
        assertThat(file.calls).isEqualTo(3);
    }

    @Test
    void diskThatTakesNothingIsAnErrorAndNotAnEndlessLoop() {
        file.bytesAtATime = 0;

        assertThatThrownBy(() -> file.writeFully(ByteBuffer.wrap(new byte[5]), 2))
                .isInstanceOf(IOException.class)
                .hasMessage("file=/reluctant offset=2: the disk took 0 of 5 bytes");
    }

    @Test
    void shortReadsAreContinued() throws IOException {
        ByteBuffer target = ByteBuffer.allocate(7);
        file.bytesAtATime = 3;
        file.content[2] = 9;
        file.content[8] = 8;
        file.readFully(target, 2);

        assertThat(target.array()).containsExactly(9, 0, 0, 0, 0, 0, 8);
    }

    @Test
    void fileThatEndsBeforeIsAnErrorThatSaysWhere() {
        file.bytesAtATime = 100;

        assertThatThrownBy(() -> file.readFully(ByteBuffer.allocate(10), 95))
                .isInstanceOf(EOFException.class)
                .hasMessage("file=/reluctant ends at offset=100, 5 bytes before the expected end");
    }

    private static final class ReluctantFile implements DiskFile {
        private final byte[] content = new byte[100];
        private int bytesAtATime;
        private int calls;

        @Override
        public Path path() {
            return Path.of("/reluctant");
        }

        @Override
        public long size() {
            return content.length;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            int count = Math.min(bytesAtATime, Math.min(target.remaining(), content.length - (int) position));
            if (count <= 0) {
                return -1;
            }
            target.put(content, (int) position, count);
            return count;
        }

        @Override
        public int write(ByteBuffer source, long position) {
            calls++;
            int count = Math.min(bytesAtATime, source.remaining());
            source.get(content, (int) position, count);
            return count;
        }

        @Override
        public void force() {
            // nothing to force
        }

        @Override
        public void truncate(long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            // nothing is open
        }
    }
}
