package io.tallystick.narayana.audit;

import io.tallystick.narayana.logs.NarayanaRecords;
import io.tallystick.narayana.logs.NarayanaUid;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.logs.record.InDoubtParticipant;
import io.tallystick.narayana.logs.record.LoggedTransaction;
import io.tallystick.store.ObjectId;
import io.tallystick.store.StateKey;
import io.tallystick.store.spi.InspectedRecord;
import io.tallystick.store.spi.StoreInspection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The log of a node as an audit has read it, at one moment.
 *
 * @param transactions all transactions whose records it has
 * @param holder the owner that has it in use; empty if it has none
 * @param damages the places that are damaged: records may be missing then
 */
public record AuditedLog(List<LoggedTransaction> transactions, Optional<String> holder, int damages) {
    public AuditedLog {
        transactions = List.copyOf(transactions);
    }

    /** The log that was inspected. */
    public static AuditedLog of(StoreInspection inspection) {
        List<LoggedTransaction> transactions = new ArrayList<>();
        for (InspectedRecord record : inspection.records()) {
            boolean isTransaction = LoggedTransaction.isOf(record.key().type())
                    && record.key().id().length() == NarayanaUid.BYTES;
            if (isTransaction) {
                byte[] committed = record.image().committed();
                byte[] state = committed != null ? committed : record.image().shadow();
                if (state != null) {
                    transactions.add(LoggedTransaction.of(record.key(), state));
                }
            }
        }
        return new AuditedLog(
                transactions, inspection.holder(), inspection.damages().size());
    }

    /** The same, of a log that had an owner at some time of the audit. */
    public AuditedLog ownedBy(String owner) {
        return new AuditedLog(transactions, Optional.of(owner), damages);
    }

    /** What this reading and a later one have seen: a record that stands in one of them is there. */
    public AuditedLog and(AuditedLog later) {
        Set<StateKey> keys = transactions.stream().map(LoggedTransaction::key).collect(Collectors.toSet());
        return new AuditedLog(
                Stream.concat(
                                transactions.stream(),
                                later.transactions.stream().filter(transaction -> !keys.contains(transaction.key())))
                        .toList(),
                holder.or(later::holder),
                Math.max(damages, later.damages));
    }

    /** Finds the transaction that a branch belongs to, in this log of this node. */
    Index index(String node) {
        return of(transactions, node);
    }

    /** Finds the transaction that a branch belongs to, among these in the log of this node. */
    public static Index of(List<LoggedTransaction> transactions, String node) {
        return new Index(transactions, node);
    }

    /** Transactions by their branches, by their Uids, and by their parents. */
    public static final class Index {
        private final Map<BranchId, LoggedTransaction> byBranch = new HashMap<>();
        private final Map<ObjectId, LoggedTransaction> byUid = new HashMap<>();
        // By the global part of the parent's Xid, which the branches of an imported transaction have.
        private final Map<String, LoggedTransaction> byParent = new HashMap<>();
        private final Optional<LoggedTransaction> importedGivenUp;
        private final String node;

        private Index(List<LoggedTransaction> transactions, String node) {
            this.node = node;
            for (LoggedTransaction transaction : transactions) {
                byUid.put(transaction.key().id(), transaction);
                transaction.parent().ifPresent(parent -> byParent.put(parent.global(), transaction));
                for (InDoubtParticipant participant : transaction.participants()) {
                    participant.xid().ifPresent(branch -> byBranch.put(branch, transaction));
                }
            }
            this.importedGivenUp = transactions.stream()
                    .filter(LoggedTransaction::isImported)
                    .filter(each -> NarayanaRecords.isGivenUp(each.key().type()))
                    .findFirst();
        }

        /**
         * The transaction of this branch. A record stands for all branches of its transaction, also for one that is not
         * listed in it. That of an imported transaction stands for those that this node has made: others have the
         * global part of its parent, too.
         */
        public Optional<LoggedTransaction> of(BranchId branch) {
            LoggedTransaction found = byBranch.get(branch);
            if (found != null) {
                return Optional.of(found);
            }
            return branch.transaction().map(byUid::get).or(() -> branch.subordinateNode()
                    .filter(node::equals)
                    .map(importedHere -> byParent.get(branch.global())));
        }

        /**
         * A record of an imported transaction that recovery has given up, and that may have decided about this branch,
         * though it does not name it. Recovery leaves such a branch alone.
         */
        public Optional<LoggedTransaction> mayBeOf(BranchId branch) {
            return importedGivenUp.filter(givenUp -> branch.subordinateNode().isPresent() || !branch.isNarayanas());
        }
    }
}
