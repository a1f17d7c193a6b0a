package io.tallystick.durability.ring;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The three accounts of a ring.
 *
 * @param directory has a directory for each account
 */
record Accounts(Path directory) {
    private static final List<String> NAMES = List.of("a", "b", "c");

    /** The number of accounts. */
    static int count() {
        return NAMES.size();
    }

    /** A resource for each account, with these amounts, for one transaction or for recovery. */
    List<RingResource> resources(int[] amounts, Consumer<String> listener) throws IOException {
        List<RingResource> resources = new ArrayList<>();
        for (int i = 0; i < amounts.length; i++) {
            resources.add(new RingResource(directory.resolve(NAMES.get(i)), amounts[i], listener));
        }
        return resources;
    }

    /** Whether a branch is prepared. */
    boolean isAnythingInDoubt() throws IOException {
        for (String account : NAMES) {
            if (!RingResource.amounts(directory.resolve(account), RingResource.PREPARED)
                    .isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Checks all transactions, and then deletes them, so that later checks start from empty accounts.
     *
     * @param reported the transactions that were reported as committed
     * @throws AssertionError a branch is in doubt, the accounts do not agree, or a reported transaction is missing
     */
    void check(Set<String> reported) throws IOException {
        Map<String, Integer> sums = new HashMap<>();
        Map<String, Integer> branches = new HashMap<>();
        for (String account : NAMES) {
            Path files = directory.resolve(account);
            Set<String> inDoubt =
                    RingResource.amounts(files, RingResource.PREPARED).keySet();
            if (!inDoubt.isEmpty()) {
                throw new AssertionError(
                        "I14 atomic 2PC violated: in doubt in account " + account + " after recovery: " + inDoubt);
            }
            RingResource.amounts(files, RingResource.COMMITTED).forEach((transaction, amount) -> {
                sums.merge(transaction, amount, Integer::sum);
                branches.merge(transaction, 1, Integer::sum);
            });
        }
        branches.forEach((transaction, count) -> {
            if (count != NAMES.size() || sums.get(transaction) != 0) {
                throw new AssertionError("I14 atomic 2PC violated: transaction " + transaction + " is committed in "
                        + count + " of " + NAMES.size() + " accounts, their sum is off by " + sums.get(transaction));
            }
        });
        for (String transaction : reported) {
            if (!branches.containsKey(transaction)) {
                throw new AssertionError("I14 atomic 2PC violated: transaction " + transaction
                        + " was reported as committed, and is not");
            }
        }
        closeTheBooks();
    }

    private void closeTheBooks() throws IOException {
        for (String account : NAMES) {
            try (DirectoryStream<Path> settled =
                    Files.newDirectoryStream(directory.resolve(account), "*." + RingResource.COMMITTED)) {
                for (Path file : settled) {
                    Files.delete(file);
                }
            }
        }
    }
}
