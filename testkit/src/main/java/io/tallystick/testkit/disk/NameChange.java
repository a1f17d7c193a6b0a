package io.tallystick.testkit.disk;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * A change of names that is not yet on disk. A created name leads to a node, a deleted name to none. A rename has two
 * such entries, which a crash keeps or loses together. Two changes are never equal.
 */
final class NameChange {
    private final List<Entry> entries;

    private NameChange(List<Entry> entries) {
        this.entries = entries;
    }

    /** One name in one directory. */
    record Place(SimulatedNode.Directory directory, String name) {}

    /** The node at a place after the change; null for none. */
    private record Entry(Place place, SimulatedNode node) {}

    static NameChange link(Place place, SimulatedNode node) {
        return new NameChange(List.of(new Entry(place, node)));
    }

    static NameChange unlink(Place place) {
        return new NameChange(List.of(new Entry(place, null)));
    }

    static NameChange rename(Place source, Place target, SimulatedNode node) {
        return new NameChange(List.of(new Entry(source, null), new Entry(target, node)));
    }

    boolean concerns(SimulatedNode.Directory directory) {
        return entries.stream().anyMatch(entry -> entry.place.directory == directory);
    }

    /** Performs the change on the names of each directory that it concerns. */
    void applyTo(Function<SimulatedNode.Directory, Map<String, SimulatedNode>> namesOf) {
        for (Entry entry : entries) {
            Map<String, SimulatedNode> names = namesOf.apply(entry.place.directory);
            if (entry.node == null) {
                names.remove(entry.place.name);
            } else {
                names.put(entry.place.name, entry.node);
            }
        }
    }

    /** Restores each name of the change as it is on disk. */
    void undo() {
        for (Entry entry : entries) {
            SimulatedNode.Directory directory = entry.place.directory;
            SimulatedNode durable = directory.durable.get(entry.place.name);
            if (durable == null) {
                directory.seen.remove(entry.place.name);
            } else {
                directory.seen.put(entry.place.name, durable);
            }
        }
    }

    /**
     * The chosen changes and all earlier ones that share a name with them, in their order. No file system keeps the
     * rename of a file and loses its creation.
     */
    static List<NameChange> withPredecessors(List<NameChange> all, Collection<NameChange> chosen) {
        Deque<NameChange> kept = new ArrayDeque<>();
        Set<Place> places = new HashSet<>();
        for (int i = all.size() - 1; i >= 0; i--) {
            NameChange change = all.get(i);
            if (chosen.contains(change) || change.entries.stream().anyMatch(entry -> places.contains(entry.place))) {
                kept.push(change);
                change.entries.forEach(entry -> places.add(entry.place));
            }
        }
        return new ArrayList<>(kept);
    }
}
