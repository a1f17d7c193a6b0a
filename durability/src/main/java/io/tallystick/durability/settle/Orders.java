package io.tallystick.durability.settle;

import io.tallystick.durability.settle.ResourceManagers.State;
import io.tallystick.store.StateKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The orders for a {@link Worker}, with options drawn at random. */
final class Orders {
    private final Random random;
    private final ResourceManagers managers;
    private final HistoryLog log;
    private final Path keepIn;

    /** @param keepIn the directory of {@code --keep-in} */
    Orders(Random random, ResourceManagers managers, HistoryLog log, Path keepIn) {
        this.random = random;
        this.managers = managers;
        this.log = log;
        this.keepIn = keepIn;
    }

    List<String> auditing() {
        return words(Worker.AUDIT, keptIn());
    }

    List<String> forgetting(StateKey key) {
        List<String> words = tool("forget", key.toPrintable());
        if (random.nextInt(4) > 0) {
            words.add("--branches-ended");
        }
        if (random.nextInt(8) > 0) {
            words.addAll(List.of("--yes", "--reason", "a history"));
        }
        if (random.nextInt(3) == 0 || log.isInDatabase()) {
            words.addAll(List.of("--keep-in", keepIn.toString()));
        }
        return words;
    }

    List<String> settling(BranchXid xid, State outcome, boolean isYes) {
        List<String> more = new ArrayList<>(keptIn());
        more.addAll(List.of(outcome == State.COMMITTED ? "--commit" : "--rollback", xid.toString()));
        if (isYes) {
            more.addAll(List.of("--yes", "--reason", "a history"));
        }
        return words(Worker.SETTLE, more);
    }

    List<String> recovering(int timeoutMillis) {
        return words(
                Worker.RECOVER, random.nextBoolean() ? List.of("--once") : List.of("--timeout", timeoutMillis + "ms"));
    }

    List<String> restarting() {
        return words(Worker.RESTART, List.of());
    }

    List<String> importing(Path file) {
        return tool("import", file.toString());
    }

    private List<String> tool(String command, String operand) {
        List<String> words = new ArrayList<>(List.of(Worker.TOOL, command));
        words.addAll(log.words());
        words.add(operand);
        return words;
    }

    private List<String> words(String order, List<String> more) {
        List<String> words = new ArrayList<>(List.of(order, "--node", SettleStage.NODE));
        words.addAll(managers.helpers());
        words.addAll(more);
        return words;
    }

    private List<String> keptIn() {
        return random.nextBoolean() ? List.of("--keep-in", keepIn.toString()) : List.of();
    }
}
