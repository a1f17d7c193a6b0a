package io.tallystick.testkit.disk;

import io.tallystick.testkit.Seeds;
import io.tallystick.testkit.disk.SimulatedNode.Change;
import io.tallystick.testkit.disk.SimulatedNode.Directory;
import io.tallystick.testkit.disk.SimulatedNode.File;
import io.tallystick.testkit.disk.SimulatedNode.Write;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The damage of one crash to unforced writes and names; a seed decides it.
 *
 * <ul>
 *   <li>A write is kept, lost, kept up to a sector, or kept in some of its sectors. A later write may be kept while an
 *       earlier one is lost.
 *   <li>A file may have its last size while data below it is lost; the bytes in between are zeros.
 *   <li>A created, renamed or deleted name is kept or lost. One seed keeps all changes up to a moment, as a journaling
 *       file system does. Another seed decides for each change, but never keeps one without the earlier changes of the
 *       same name.
 * </ul>
 */
final class CrashDamage {
    /** A disk writes a sector as a whole, bytes. */
    static final int SECTOR = 512;

    private static final double[] SHARES_KEPT = {0.15, 0.5, 0.85};

    private final Random random;
    private final double shareOfNames;
    private final double shareOfContent;
    private final Map<SimulatedNode, SimulatedNode> copies = new IdentityHashMap<>();

    /** The damage of this seed: 0 loses all, 1 keeps all, 2 keeps names only, 3 content only, others are random. */
    CrashDamage(long seed) {
        random = Seeds.random(seed);
        random.nextLong(); // the first numbers of neighbouring seeds are alike
        if (seed >= 0 && seed < SimulatedDisk.EXTREME_SEEDS) {
            shareOfNames = seed == 1 || seed == 2 ? 1 : 0;
            shareOfContent = seed == 1 || seed == 3 ? 1 : 0;
        } else {
            shareOfNames = SHARES_KEPT[random.nextInt(SHARES_KEPT.length)];
            shareOfContent = SHARES_KEPT[random.nextInt(SHARES_KEPT.length)];
        }
    }

    /** The tree that is found after the crash. */
    Directory damaged(Directory root, List<NameChange> unsyncedNames) {
        Map<Directory, Map<String, SimulatedNode>> names = new IdentityHashMap<>();
        for (NameChange change : NameChange.withPredecessors(unsyncedNames, keptOf(unsyncedNames))) {
            change.applyTo(directory -> names.computeIfAbsent(directory, at -> new HashMap<>(at.durable)));
        }
        return copyOf(root, names);
    }

    private List<NameChange> keptOf(List<NameChange> changes) {
        boolean inOrder = random.nextBoolean();
        List<NameChange> kept = new ArrayList<>();
        for (NameChange change : changes) {
            if (keeps(shareOfNames)) {
                kept.add(change);
            } else if (inOrder) {
                break;
            }
        }
        return kept;
    }

    private Directory copyOf(Directory directory, Map<Directory, Map<String, SimulatedNode>> names) {
        Directory copy = new Directory();
        // Sorted, so that a seed means the same in every run.
        Map<String, SimulatedNode> sorted = new TreeMap<>(names.getOrDefault(directory, directory.durable));
        sorted.forEach((name, node) -> {
            SimulatedNode nodeCopy = copies.get(node);
            if (nodeCopy == null) {
                nodeCopy = copyOf(node, names);
                copies.put(node, nodeCopy);
            }
            copy.seen.put(name, nodeCopy);
            copy.durable.put(name, nodeCopy);
        });
        return copy;
    }

    private SimulatedNode copyOf(SimulatedNode node, Map<Directory, Map<String, SimulatedNode>> names) {
        if (node instanceof Directory directory) {
            return copyOf(directory, names);
        }
        if (node instanceof File file) {
            return file.afterCrash(damaged(file));
        }
        return node;
    }

    private PagedBytes damaged(File file) {
        PagedBytes content = file.durable.copy();
        for (Change change : file.unsynced) {
            if (keeps(shareOfContent)) {
                change.applyTo(content);
            } else if (change instanceof Write write) {
                tear(write, content);
            }
        }
        if (file.seen.size() > content.size() && shareOfContent > 0 && random.nextInt(4) == 0) {
            content.resize(file.seen.size());
        }
        return content;
    }

    private void tear(Write write, PagedBytes content) {
        int kind = shareOfContent == 0 ? 0 : random.nextInt(3);
        if (kind == 0) {
            return;
        }
        boolean onlyTheBeginning = kind == 1;
        long position = write.position();
        while (position < write.end()) {
            long end = Math.min(write.end(), (position / SECTOR + 1) * SECTOR);
            if (random.nextBoolean()) {
                content.write(position, write.bytes(), (int) (position - write.position()), (int) (end - position));
            } else if (onlyTheBeginning) {
                return;
            }
            position = end;
        }
    }

    private boolean keeps(double share) {
        return random.nextDouble() < share;
    }
}
