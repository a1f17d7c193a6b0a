package io.tallystick.narayana.audit;

import io.tallystick.narayana.logs.SettledTrail;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.logs.record.Decision;
import io.tallystick.narayana.recover.Arguments;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * What {@code SettleBranch} is asked to do.
 *
 * @param common the node, its resources, and how long one of them may take
 * @param branch the branch to end
 * @param outcome {@link Decision#COMMIT} or {@link Decision#ROLLBACK}
 * @param reason why; empty without {@code --yes}
 * @param isYes whether it is to be done
 * @param trail where the trail is kept; empty for the quarantine of the store
 */
public record SettleArguments(
        Arguments common, BranchId branch, Decision outcome, String reason, boolean isYes, Optional<Path> trail) {
    /** The options, for people. */
    public static final String USAGE = "SettleBranch --node ID --helper CLASS[=TEXT]... (--commit XID | --rollback XID)"
            + " [--yes --reason TEXT] [--keep-in DIRECTORY] [--timeout DURATION]";

    /**
     * Reads the arguments of the command.
     *
     * @throws IllegalArgumentException they are none, with the reason
     */
    public static SettleArguments of(String... arguments) {
        List<String> common = new ArrayList<>();
        Optional<BranchId> branch = Optional.empty();
        Optional<Path> trail = Optional.empty();
        Decision outcome = Decision.UNKNOWN;
        String reason = "";
        boolean isYes = false;
        Iterator<String> rest = List.of(arguments).iterator();
        while (rest.hasNext()) {
            String option = rest.next();
            switch (option) {
                case "--commit", "--rollback" -> {
                    demand(branch.isEmpty(), "one --commit or --rollback at a time");
                    branch = Optional.of(BranchId.parse(valueOf(option, rest)));
                    outcome = option.equals("--commit") ? Decision.COMMIT : Decision.ROLLBACK;
                }
                case "--reason" -> reason = valueOf(option, rest);
                case "--keep-in" -> trail = Optional.of(Path.of(valueOf(option, rest)));
                case "--yes" -> isYes = true;
                default -> {
                    common.add(option);
                    if (rest.hasNext()) {
                        common.add(rest.next());
                    }
                }
            }
        }
        demand(branch.isPresent(), "--commit XID or --rollback XID is missing");
        demand(!isYes || !reason.isEmpty(), "--yes needs --reason TEXT: it stays in the trail");
        if (!reason.isEmpty()) {
            SettledTrail.checkReason(reason);
        }
        return new SettleArguments(
                Arguments.of(common.toArray(String[]::new)), branch.get(), outcome, reason, isYes, trail);
    }

    private static String valueOf(String option, Iterator<String> rest) {
        demand(rest.hasNext(), option + " has no value");
        return rest.next();
    }

    private static void demand(boolean isFulfilled, String problem) {
        if (!isFulfilled) {
            throw new IllegalArgumentException(problem);
        }
    }
}
