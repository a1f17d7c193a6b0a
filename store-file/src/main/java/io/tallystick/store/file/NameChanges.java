package io.tallystick.store.file;

import org.jspecify.annotations.Nullable;

/** Changes in the order of their arrival, linked to each other. Each use has a lock of its own. */
final class NameChanges {
    private @Nullable NameChange first;
    private @Nullable NameChange last;
    private int size;

    void add(NameChange change) {
        change.next = null;
        if (last == null) {
            first = change;
        } else {
            last.next = change;
        }
        last = change;
        size++;
    }

    int size() {
        return size;
    }

    /** The first of them, which is linked to the others; none is left here. */
    @Nullable NameChange takeAll() {
        NameChange taken = first;
        first = null;
        last = null;
        size = 0;
        return taken;
    }
}
