package com.example.ledger;

import io.tallystick.storage.Disk;
import io.tallystick.storage.StoreGlance;
import io.tallystick.storage.StoreIdentity;
import io.tallystick.storage.SystemDisk;
import io.tallystick.store.StateKey;
import io.tallystick.store.journal.inspect.JournalInspector;
import io.tallystick.store.journal.inspect.RecordOnDisk;
import io.tallystick.store.spi.Damage;
import io.tallystick.store.spi.InspectedFile.Role;
import io.tallystick.store.spi.StoreInspection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Looks into ledgers, so that the tool can list and verify them. */
public final class LedgerInspector extends JournalInspector {
    /** For ServiceLoader. */
    public LedgerInspector() {
        super(new SystemDisk(), new LedgerEngine().kind(), "ledger");
    }

    @Override
    protected boolean isJournalFile(Path file) {
        return file.getFileName().toString().equals(LedgerFile.NAME);
    }

    @Override
    protected StoreInspection read(Disk disk, StoreGlance glance) throws IOException {
        Optional<byte[]> storeId = glance.identity().map(StoreIdentity::idBytes);
        Path path = glance.path().resolve(LedgerFile.NAME);
        Map<StateKey, RecordOnDisk> records = new LinkedHashMap<>();
        List<Damage> damages = new ArrayList<>();
        OptionalLong ignoredAt = OptionalLong.empty();
        boolean isThere = disk.kindOf(path) != Disk.PathKind.MISSING;
        if (!isThere && disk.kindOf(glance.path().resolve(LedgerFile.READY)) != Disk.PathKind.MISSING) {
            damages.add(Damage.of(path, 0, Damage.Kind.MISSING, "it was there"));
        }
        if (storeId.isPresent() && isThere) {
            RecordOnDisk.StoreFile file = new RecordOnDisk.StoreFile(disk, storeId.get(), path);
            LedgerFile.Reading reading = LedgerFile.read(disk, path, storeId.get());
            for (LedgerFile.Found found : reading.records()) {
                records.remove(found.header().key());
                if (found.header().flags() != 0) {
                    records.put(
                            found.header().key(), new RecordOnDisk(file, found.position(), found.header(), null));
                }
            }
            if (reading.damage().isPresent()) {
                damages.add(Damage.of(path, reading.end(), Damage.Kind.BATCH, "it is not whole, and a later one is"));
            } else if (reading.end() < disk.size(path)) {
                ignoredAt = OptionalLong.of(reading.end());
            }
        }
        return found(glance, storeId, new LedgerFiles(ignoredAt), records.values(), damages);
    }

    private record LedgerFiles(OptionalLong ignored) implements Files {
        @Override
        public Optional<Long> fileBytes() {
            return Optional.empty();
        }

        @Override
        public Optional<Role> roleOf(Path file) {
            return switch (file.getFileName().toString()) {
                case LedgerFile.NAME -> Optional.of(Role.DATA);
                case LedgerFile.READY -> Optional.of(Role.MARKER);
                case LedgerFile.NAME + ".new" -> Optional.of(Role.LEFTOVER);
                default -> Optional.empty();
            };
        }

        @Override
        public String remark(Path file) {
            return "";
        }

        @Override
        public OptionalLong ignoredAt(Path file) {
            return file.getFileName().toString().equals(LedgerFile.NAME) ? ignored : OptionalLong.empty();
        }
    }
}
