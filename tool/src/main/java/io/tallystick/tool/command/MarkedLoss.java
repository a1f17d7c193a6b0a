package io.tallystick.tool.command;

import io.tallystick.storage.Disk;
import io.tallystick.storage.LossMark;
import io.tallystick.store.spi.NoticedLoss;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The losses that are marked in a store's directory, or on a server, and wait for a person. */
public final class MarkedLoss {
    private MarkedLoss() {}

    /**
     * The loss that is marked in a directory; empty if there is none.
     *
     * @throws io.tallystick.storage.StoreDirectoryException a newer version marked it
     */
    public static List<NoticedLoss> in(Disk disk, Path directory) throws IOException {
        return LossMark.find(disk, directory)
                .map(mark -> new NoticedLoss(mark.missing(), mark.noticed(), mark.owner()))
                .stream()
                .toList();
    }

    /** The losses that are marked in a log on a server. */
    public static List<NoticedLoss> in(RemoteLog log) {
        return log.logs().losses(log.configuration());
    }

    /** As {@link #in(Disk, Path)}, in one line for people. */
    public static Optional<String> told(Disk disk, Path directory) throws IOException {
        return told("directory=" + directory, in(disk, directory));
    }

    /** One line for people; empty if there is none. */
    public static Optional<String> told(String place, List<NoticedLoss> losses) {
        return losses.isEmpty()
                ? Optional.empty()
                : Optional.of(place + " lacks what was acknowledged, missing: "
                        + losses.get(0).missing() + "; noticed=" + losses.get(0).noticed() + " by "
                        + losses.get(0).owner()
                        + ". No process opens it until 'tallystick accept-loss'");
    }

    /**
     * Refuses a store with a marked loss.
     *
     * @throws ToolException there is one
     */
    public static void checkNone(String place, List<NoticedLoss> losses) {
        told(place, losses).ifPresent(line -> {
            throw new ToolException(ExitStatus.REFUSED, line + "; nothing was changed");
        });
    }
}
