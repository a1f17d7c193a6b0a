package io.tallystick.testkit.disk;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The content of a simulated file, in pages. A page is never changed once written, so that copies share it. Pages of
 * zeros take no memory. Not thread-safe.
 */
final class PagedBytes {
    private static final int PAGE = 4096;
    private static final byte[] ZEROS = new byte[PAGE];

    private byte[][] pages;
    private long size;

    PagedBytes() {
        this(new byte[0][], 0);
    }

    private PagedBytes(byte[][] pages, long size) {
        this.pages = pages;
        this.size = size;
    }

    PagedBytes copy() {
        return new PagedBytes(pages.clone(), size);
    }

    long size() {
        return size;
    }

    /** Sets the size. New bytes read as zeros, also where the file was cut off before. */
    void resize(long newSize) {
        int count = Math.toIntExact((newSize + PAGE - 1) / PAGE);
        if (newSize < size) {
            pages = Arrays.copyOf(pages, Math.min(count, pages.length));
            int tail = (int) (newSize % PAGE);
            if (tail != 0 && count <= pages.length && pages[count - 1] != null) {
                byte[] page = pages[count - 1].clone();
                Arrays.fill(page, tail, PAGE, (byte) 0);
                pages[count - 1] = page;
            }
        }
        if (count > pages.length) {
            pages = Arrays.copyOf(pages, count);
        }
        size = newSize;
    }

    void write(long position, byte[] bytes, int from, int length) {
        if (position + length > size) {
            resize(position + length);
        }
        int done = 0;
        while (done < length) {
            int index = (int) ((position + done) / PAGE);
            int offset = (int) ((position + done) % PAGE);
            int count = Math.min(length - done, PAGE - offset);
            byte[] page = pages[index] == null || count == PAGE ? new byte[PAGE] : pages[index].clone();
            System.arraycopy(bytes, from + done, page, offset, count);
            pages[index] = count == PAGE && Arrays.equals(page, ZEROS) ? null : page;
            done += count;
        }
    }

    /** Reads as many bytes as the target has room for; answers -1 at the end, as a file channel does. */
    int read(ByteBuffer target, long position) {
        if (position >= size) {
            return target.hasRemaining() ? -1 : 0;
        }
        int length = (int) Math.min(target.remaining(), size - position);
        int done = 0;
        while (done < length) {
            int index = (int) ((position + done) / PAGE);
            int offset = (int) ((position + done) % PAGE);
            int count = Math.min(length - done, PAGE - offset);
            target.put(pages[index] == null ? ZEROS : pages[index], offset, count);
            done += count;
        }
        return length;
    }

    byte[] toBytes() {
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(size));
        read(all, 0);
        return all.array();
    }
}
