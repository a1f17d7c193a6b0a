package io.tallystick.storage;

import java.util.Collection;
import java.util.List;

/** A user of a place that has no file open there, and does nothing about a loss. */
class NoFilesInUse implements PlaceWatch.User {
    @Override
    public Collection<UsedFile> filesInUse() {
        return List.of();
    }

    @Override
    public boolean isStillUsed(UsedFile file) {
        return false;
    }

    @Override
    public void placeIsLost(PlaceLostException loss) {}
}
