package io.tallystick.narayana.logs;

import io.tallystick.storage.Disk;
import io.tallystick.store.ObjectId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Narayana's {@code SlotStore} on {@code DiskSlots} or {@code MappedDiskSlots}: a file {@code slot.N} for each slot,
 * in it the length of the record, the record, and its CRC32, big-endian; a length of 0 is a free slot. The record is
 * packed: Uid, type name, status, and the state with its own name.
 *
 * <p>A rewritten state goes to another slot before the earlier one is freed. A crash in between leaves both. Narayana
 * then takes the one in the slot with the higher number, which may be the older one. This class does the same, and adds
 * a remark.
 */
public final class SlotSource extends DirectorySource {
    private static final Pattern SLOT = Pattern.compile("slot\\.(\\d{1,9})");
    private static final int OVERHEAD_BYTES = 2 * Integer.BYTES;

    public SlotSource(Disk disk, Path directory) {
        super(disk, directory, "Narayana's slot store");
    }

    public static boolean isIn(Disk disk, Path directory) throws IOException {
        return SourceFile.isIn(disk, directory, SLOT);
    }

    @Override
    public void read(Receiver receiver, Findings findings) throws IOException {
        Map<NarayanaValues.Name, NarayanaValues> states = new LinkedHashMap<>();
        for (Path slot : slots().values()) {
            readSlot(slot, states, findings);
        }
        for (NarayanaValues values : states.values()) {
            values.handOver(receiver, findings);
        }
    }

    private TreeMap<Integer, Path> slots() throws IOException {
        TreeMap<Integer, Path> slots = new TreeMap<>();
        for (Path path : disk.list(directory)) {
            Matcher name = SLOT.matcher(path.getFileName().toString());
            if (name.matches()) {
                slots.put(Integer.parseInt(name.group(1)), path);
            }
        }
        return slots;
    }

    private void readSlot(Path slot, Map<NarayanaValues.Name, NarayanaValues> states, Findings findings)
            throws IOException {
        byte[] file = SourceFile.read(disk, slot);
        if (file.length < OVERHEAD_BYTES) {
            return; // never used
        }
        ByteBuffer bytes = ByteBuffer.wrap(file);
        int length = bytes.getInt();
        if (length == 0) {
            return; // free
        }
        if (length < 0 || length > file.length - OVERHEAD_BYTES) {
            findings.damage(
                    slot,
                    "offset=0: a record of length=" + length + " does not fit into the file's " + file.length
                            + " bytes; Narayana takes the slot for free");
            return;
        }
        byte[] record = new byte[length];
        bytes.get(record);
        CRC32 crc = new CRC32();
        crc.update(record);
        if ((int) crc.getValue() != bytes.getInt()) {
            findings.damage(
                    slot,
                    "offset=" + Integer.BYTES + ": the checksum does not fit; Narayana takes the slot for"
                            + " free. A write that a crash has cut off looks like this");
            return;
        }
        try {
            addState(slot, PackedBuffer.of(record), states, findings);
        } catch (MalformedException malformed) {
            findings.damage(slot, "its record is malformed: " + malformed.getMessage());
        }
    }

    private static void addState(
            Path slot, PackedBuffer record, Map<NarayanaValues.Name, NarayanaValues> states, Findings findings)
            throws MalformedException {
        ObjectId id = ObjectId.of(record.readUid());
        String type = record.readString();
        int status = record.readInt();
        record.readString();
        record.readUid();
        byte[] state = record.readBytes();
        if (!NarayanaValues.isStatus(status)) {
            findings.damage(slot, "its status " + status + " is not known");
            return;
        }
        NarayanaValues values = states.computeIfAbsent(
                new NarayanaValues.Name(type, id), name -> new NarayanaValues(type, Optional.of(id), slot.toString()));
        if (values.has(status)) {
            findings.remark(
                    slot,
                    "an earlier slot has a value for the same name; this one is taken, as Narayana does, because its"
                            + " number"
                            + " is higher");
        }
        values.put(status, state);
    }
}
