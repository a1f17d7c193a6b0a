package io.tallystick.durability.stage;

import io.tallystick.durability.system.Directories;
import io.tallystick.durability.system.LoopVolume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A mounted file system on which a directory and its snapshot share what neither has written since. Writing it again
 * takes new room. Needs root.
 */
final class SharedBlocks implements AutoCloseable {
    private static final String LIVE = "live";
    private static final String SNAPSHOT = "snapshot";
    private static final String FORMER = "former";

    /** A mount's options have one page. */
    private static final int MOST_LAYERS = 20;

    private final Kind kind;
    private final LoopVolume volume;
    private int layers;
    private boolean isCovered;

    /** The file systems. */
    enum Kind {
        /** Copies each block when it is written, with checksums; a subvolume has real snapshots. */
        BTRFS(LoopVolume.Kind.BTRFS),
        /** Copies a block if a clone of the file shares it. */
        XFS(LoopVolume.Kind.XFS),
        /** Copies a whole file when it is first opened for writing, over ext4; a snapshot is a further layer. */
        OVERLAY(LoopVolume.Kind.EXT4);

        private final LoopVolume.Kind below;

        Kind(LoopVolume.Kind below) {
            this.below = below;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private SharedBlocks(Kind kind, LoopVolume volume) {
        this.kind = kind;
        this.volume = volume;
    }

    /** Those that work on this machine. */
    static List<Kind> available() {
        return Trials.AVAILABLE;
    }

    /** Why the others do not. */
    static List<String> limitations() {
        return Trials.REASONS;
    }

    /** A new, empty one. */
    static SharedBlocks make(Kind kind) throws IOException {
        LoopVolume volume = kind == Kind.OVERLAY
                ? LoopVolume.make(kind.below, LoopVolume.Kind.BTRFS.bytes(), List.of())
                : LoopVolume.make(kind.below);
        SharedBlocks blocks = new SharedBlocks(kind, volume);
        try {
            volume.mount("defaults");
            switch (kind) {
                case BTRFS -> LoopVolume.run(List.of("btrfs", "-q", "subvolume", "create", path(blocks.live())));
                case XFS -> Files.createDirectory(blocks.live());
                case OVERLAY -> {
                    Files.createDirectory(blocks.layer(0));
                    Files.createDirectory(blocks.merged());
                    blocks.cover();
                    Files.createDirectory(blocks.live());
                }
            }
            return blocks;
        } catch (IOException refused) {
            blocks.close();
            throw refused;
        }
    }

    /** Where files of any size take room from it. */
    Path root() {
        return volume.directory();
    }

    /** The directory that has snapshots. */
    Path live() {
        return (kind == Kind.OVERLAY ? merged() : volume.directory()).resolve(LIVE);
    }

    /** Takes a snapshot of {@link #live} as it is now. */
    void snapshot() throws IOException {
        removeFormer();
        switch (kind) {
            case BTRFS ->
                LoopVolume.run(List.of("btrfs", "-q", "subvolume", "snapshot", path(live()), path(named(SNAPSHOT))));
            case XFS -> LoopVolume.run(List.of("cp", "-a", "--reflink=always", path(live()), path(named(SNAPSHOT))));
            case OVERLAY -> {} // the upper layer is the snapshot
        }
    }

    /**
     * Puts the snapshot in the place of {@link #live}, which stays beside it and so shares its blocks. No process may
     * use either.
     */
    void goOnWithTheSnapshot() throws IOException {
        if (kind == Kind.OVERLAY) {
            if (layers < MOST_LAYERS) {
                uncover();
            } else {
                joinLayers();
            }
            cover();
            return;
        }
        Files.move(live(), named(FORMER));
        Files.move(named(SNAPSHOT), live());
    }

    /**
     * Compares everything with its checksum, where there are checksums.
     *
     * @throws AssertionError one is wrong
     */
    void checkSums() throws IOException {
        if (kind != Kind.BTRFS) {
            return;
        }
        try {
            LoopVolume.run(List.of("btrfs", "scrub", "start", "-B", "-r", path(volume.directory())));
            LoopVolume.run(List.of("btrfs", "device", "stats", "-c", path(volume.directory())));
        } catch (IOException found) {
            throw new AssertionError("a checksum of the file system is wrong: " + found.getMessage(), found);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            if (isCovered) {
                uncover();
            }
        } finally {
            volume.close();
        }
    }

    private void removeFormer() throws IOException {
        if (!Files.exists(named(FORMER))) {
            return;
        }
        if (kind == Kind.BTRFS) {
            LoopVolume.run(List.of("btrfs", "-q", "subvolume", "delete", path(named(FORMER))));
            LoopVolume.run(List.of("btrfs", "-q", "subvolume", "sync", path(volume.directory())));
        } else {
            Directories.delete(named(FORMER));
        }
    }

    /** Mounts a new, empty layer over those below. */
    private void cover() throws IOException {
        Files.createDirectory(layer(layers + 1));
        Path work = Files.createDirectory(work(layers + 1));
        StringBuilder below = new StringBuilder();
        for (int i = layers; i >= 0; i--) {
            below.append(below.isEmpty() ? "" : ":").append(layer(i));
        }
        LoopVolume.run(List.of(
                "mount",
                "-t",
                "overlay",
                "overlay",
                "-o",
                "lowerdir=" + below + ",upperdir=" + layer(layers + 1) + ",workdir=" + work,
                path(merged())));
        layers++;
        isCovered = true;
    }

    private void joinLayers() throws IOException {
        LoopVolume.run(List.of("cp", "-a", path(merged()), path(named(SNAPSHOT))));
        uncover();
        for (int i = 0; i <= layers; i++) {
            Directories.delete(layer(i));
            Directories.delete(work(i));
        }
        Files.move(named(SNAPSHOT), layer(0));
        layers = 0;
    }

    private void uncover() throws IOException {
        LoopVolume.run(List.of("umount", path(merged())));
        isCovered = false;
    }

    private Path merged() {
        return volume.directory().resolve("merged");
    }

    private Path layer(int number) {
        return volume.directory().resolve("layer-" + number);
    }

    private Path work(int number) {
        return volume.directory().resolve("work-" + number);
    }

    private Path named(String name) {
        return volume.directory().resolve(name);
    }

    private static String path(Path path) {
        return path.toString();
    }

    /** Each file system is tried once. */
    private static final class Trials {
        static final List<Kind> AVAILABLE;
        static final List<String> REASONS;

        static {
            List<Kind> available = new ArrayList<>();
            List<String> reasons = new ArrayList<>();
            for (Kind kind : Kind.values()) {
                Optional<String> reason = whyNot(kind);
                reason.ifPresentOrElse(reasons::add, () -> available.add(kind));
            }
            AVAILABLE = List.copyOf(available);
            REASONS = List.copyOf(reasons);
        }

        private static Optional<String> whyNot(Kind kind) {
            Optional<String> below = LoopVolume.cannotBeMountedBecause(kind.below);
            if (below.isPresent()) {
                return below;
            }
            try (SharedBlocks blocks = make(kind)) {
                Files.writeString(blocks.live().resolve("file"), "text");
                blocks.snapshot();
                blocks.goOnWithTheSnapshot();
                blocks.checkSums();
                return Optional.empty();
            } catch (IOException refused) {
                return Optional.of("no snapshots of " + kind + ": " + refused.getMessage());
            }
        }
    }
}
