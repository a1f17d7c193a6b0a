package io.tallystick.storage;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Translations of texts, in the binary format of GNU gettext: {@code .mo}, in its manual under "The Format of GNU MO
 * Files". A header has the count of texts and the places of two tables: the texts and their translations. An entry of a
 * table is the length of a text and its place. The translation of the empty text names the character set.
 */
final class MessageCatalogue {
    private static final int MAGIC = 0x950412de;
    private static final int HEADER_BYTES = 28;
    private static final int HEADER_COUNT = 8;
    private static final int HEADER_TEXTS = 12;
    private static final int HEADER_TRANSLATIONS = 16;
    private static final int ENTRY_BYTES = 8;
    private static final Pattern CHARSET = Pattern.compile("charset=([A-Za-z0-9_.:-]+)");

    private final ByteBuffer bytes;

    private MessageCatalogue(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    /** The catalogue in the content of a file; empty if it is none. */
    static Optional<MessageCatalogue> of(byte[] content) {
        if (content.length < HEADER_BYTES) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.getInt(0) == Integer.reverseBytes(MAGIC)) {
            bytes.order(ByteOrder.BIG_ENDIAN);
        }
        return bytes.getInt(0) == MAGIC ? Optional.of(new MessageCatalogue(bytes)) : Optional.empty();
    }

    /** The translation of an ASCII text; empty if there is none. */
    Optional<String> translationOf(String text) {
        try {
            return find(text.getBytes(StandardCharsets.US_ASCII))
                    .map(found -> new String(found, charset()))
                    .filter(found -> !found.isBlank());
        } catch (IndexOutOfBoundsException | IllegalArgumentException damaged) {
            return Optional.empty();
        }
    }

    private Charset charset() {
        String header = find(new byte[0])
                .map(found -> new String(found, StandardCharsets.ISO_8859_1))
                .orElse("");
        Matcher matcher = CHARSET.matcher(header);
        return matcher.find() ? Charset.forName(matcher.group(1)) : StandardCharsets.UTF_8;
    }

    private Optional<byte[]> find(byte[] text) {
        int count = bytes.getInt(HEADER_COUNT);
        for (int index = 0; index < count; index++) {
            if (isEqual(bytes.getInt(HEADER_TEXTS) + index * ENTRY_BYTES, text)) {
                return Optional.of(content(bytes.getInt(HEADER_TRANSLATIONS) + index * ENTRY_BYTES));
            }
        }
        return Optional.empty();
    }

    private boolean isEqual(int entry, byte[] text) {
        return bytes.getInt(entry) == text.length
                && ByteBuffer.wrap(content(entry)).equals(ByteBuffer.wrap(text));
    }

    private byte[] content(int entry) {
        // Throws for a damaged place or length, before anything is allocated.
        ByteBuffer slice = bytes.slice(bytes.getInt(entry + Integer.BYTES), bytes.getInt(entry));
        byte[] content = new byte[slice.remaining()];
        slice.get(content);
        return content;
    }
}
