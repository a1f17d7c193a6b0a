package io.tallystick.narayana;

import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.UserTransaction;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.transaction.xa.XAException;

/** What a program may ask of a transaction manager, in an order that matters. Each is run on a thread of its own. */
enum TransactionScript {
    WITHOUT_A_TRANSACTION {
        @Override
        void run(Subject subject, Answers answers) {
            subject.askEverything(answers);
            answers.to("commit", subject::commit);
            answers.to("rollback", subject::rollback);
            answers.to("rollback only", subject::setRollbackOnly);
            answers.to("suspend", subject.manager()::suspend);
            answers.to("resume nothing", () -> subject.manager().resume(null));
        }
    },
    COMMIT_NOTHING {
        @Override
        void run(Subject subject, Answers answers) {
            answers.to("begin", subject::begin);
            subject.askEverything(answers);
            answers.to("begin again", subject::begin);
            answers.to("commit", subject::commit);
            subject.askEverything(answers);
            answers.to("commit again", subject::commit);
        }
    },
    ROLLBACK {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            ScriptedResource resource = new ScriptedResource();
            answers.to("begin", subject::begin);
            answers.to("enlist", () -> subject.transaction().enlistResource(resource));
            answers.listen(subject.transaction(), "synchronization");
            answers.to("rollback", subject::rollback);
            subject.askEverything(answers);
            answers.to("rollback again", subject::rollback);
            answers.note(resource);
        }
    },
    COMMIT_IN_ONE_PHASE {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            ScriptedResource resource = new ScriptedResource();
            subject.begin();
            subject.transaction().enlistResource(resource);
            answers.to("delist", () -> subject.transaction()
                    .delistResource(resource, javax.transaction.xa.XAResource.TMSUCCESS));
            answers.listen(subject.transaction(), "synchronization");
            answers.to("commit", subject::commit);
            answers.note(resource);
        }
    },
    COMMIT_IN_TWO_PHASES {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            ScriptedResource first = new ScriptedResource();
            ScriptedResource second = new ScriptedResource();
            answers.to("limit", () -> subject.limit(77));
            subject.begin();
            answers.to("enlist", () -> subject.transaction().enlistResource(first));
            answers.to("enlist", () -> subject.transaction().enlistResource(second));
            answers.to("enlist again", () -> subject.transaction().enlistResource(first));
            answers.listen(subject.transaction(), "synchronization");
            answers.to("commit", subject::commit);
            answers.note(first);
            answers.note(second);
            subject.limit(0);
        }
    },
    A_RESOURCE_REFUSES_TO_PREPARE {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            ScriptedResource first = new ScriptedResource();
            ScriptedResource second = new ScriptedResource("prepare", XAException.XA_RBROLLBACK);
            subject.begin();
            subject.transaction().enlistResource(first);
            subject.transaction().enlistResource(second);
            answers.listen(subject.transaction(), "synchronization");
            answers.to("commit", subject::commit);
            subject.askEverything(answers);
            answers.note(first);
            answers.note(second);
        }
    },
    A_RESOURCE_ROLLS_BACK_WHEN_TOLD_TO_COMMIT {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            ScriptedResource first = new ScriptedResource();
            ScriptedResource second = new ScriptedResource("commit", XAException.XA_HEURRB);
            subject.begin();
            subject.transaction().enlistResource(first);
            subject.transaction().enlistResource(second);
            answers.listen(subject.transaction(), "synchronization");
            answers.to("commit", subject::commit);
            subject.askEverything(answers);
            answers.note(first);
            answers.note(second);
        }
    },
    ROLLBACK_ONLY {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            ScriptedResource resource = new ScriptedResource();
            subject.begin();
            subject.transaction().enlistResource(resource);
            answers.listen(subject.transaction(), "synchronization");
            answers.to("rollback only", subject::setRollbackOnly);
            answers.to("rollback only again", subject::setRollbackOnly);
            subject.askEverything(answers);
            answers.to("enlist", () -> subject.transaction().enlistResource(new ScriptedResource()));
            answers.to("listen", () -> answers.listen(subject.transaction(), "too late"));
            answers.to("commit", subject::commit);
            answers.note(resource);
        }
    },
    A_SYNCHRONIZATION_THROWS {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            subject.begin();
            subject.transaction().registerSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {
                    throw new IllegalStateException("no");
                }

                @Override
                public void afterCompletion(int status) {
                    answers.note("after " + status);
                }
            });
            answers.to("commit", subject::commit);
            subject.askEverything(answers);
        }
    },
    A_SYNCHRONIZATION_MARKS_ROLLBACK_ONLY {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            subject.begin();
            subject.transaction().registerSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {
                    answers.to("rollback only", subject::setRollbackOnly);
                }

                @Override
                public void afterCompletion(int status) {
                    answers.note("after " + status);
                }
            });
            answers.to("commit", subject::commit);
        }
    },
    INTERPOSED_SYNCHRONIZATIONS {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            TransactionSynchronizationRegistryImple registry = new TransactionSynchronizationRegistryImple();
            answers.to("key outside", registry::getTransactionKey);
            subject.begin();
            answers.to("key inside", () -> registry.getTransactionKey() != null);
            registry.putResource("key", "value");
            answers.to("resource", () -> registry.getResource("key"));
            registry.registerInterposedSynchronization(answers.synchronization("interposed"));
            answers.listen(subject.transaction(), "ordinary");
            answers.to("status", registry::getTransactionStatus);
            answers.to("rollback only", registry::getRollbackOnly);
            answers.to("commit", subject::commit);
        }
    },
    SUSPEND_AND_RESUME {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            subject.begin();
            Transaction first = subject.manager().suspend();
            subject.askEverything(answers);
            answers.to("status of suspended", first::getStatus);
            answers.to("begin another", subject::begin);
            answers.to("resume over another", () -> subject.manager().resume(first));
            answers.to("commit another", subject::commit);
            answers.to("resume", () -> subject.manager().resume(first));
            answers.to("same", () -> subject.transaction().equals(first));
            answers.to("commit", subject::commit);
            answers.to("resume what has ended", () -> subject.manager().resume(first));
            subject.askEverything(answers);
            answers.to("suspend", () -> subject.manager().suspend() == null);
        }
    },
    RESUME_ELSEWHERE {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            ScriptedResource resource = new ScriptedResource();
            subject.begin();
            subject.transaction().enlistResource(resource);
            Transaction suspended = subject.manager().suspend();
            Thread other = new Thread(() -> {
                answers.to("resume", () -> subject.manager().resume(suspended));
                subject.askEverything(answers);
                answers.to("commit", subject::commit);
            });
            other.start();
            other.join();
            answers.to("status", suspended::getStatus);
            answers.note(resource);
        }
    },
    RESUME_A_STRANGER {
        @Override
        void run(Subject subject, Answers answers) {
            answers.to("resume", () -> subject.manager().resume(new ForeignTransaction()));
        }
    },
    END_BY_THE_TRANSACTION_ITSELF {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            subject.begin();
            Transaction transaction = subject.transaction();
            answers.to("commit", transaction::commit);
            answers.to("status", transaction::getStatus);
            answers.to("commit again", transaction::commit);
            answers.to("begin without leaving", subject::begin);
            subject.manager().suspend();
            subject.begin();
            Transaction second = subject.transaction();
            answers.to("rollback", second::rollback);
            answers.to("rollback again", second::rollback);
            answers.to("commit by the manager", subject::commit);
            subject.askEverything(answers);
        }
    },
    TIME_LIMITS {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            for (int seconds : new int[] {-5, 0, 100, -1, 200, 0}) {
                answers.to("limit " + seconds, () -> subject.limit(seconds));
                subject.begin();
                ScriptedResource resource = new ScriptedResource();
                subject.transaction().enlistResource(resource);
                answers.to("limit of transaction", () -> subject.timed().getTimeout());
                answers.to("left", () -> Math.round(subject.timed().getRemainingTimeoutMills() / 10_000.0));
                var transaction = subject.timed();
                answers.to("commit", subject::commit);
                answers.to("left after", transaction::getRemainingTimeoutMills);
                answers.note(resource);
            }
        }
    },
    TIME_OUT_THEN_COMMIT {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            timeOut(subject, answers);
            subject.askEverything(answers);
            answers.to("commit", subject::commit);
            subject.askEverything(answers);
            answers.to("begin", subject::begin);
            answers.to("commit", subject::commit);
        }
    },
    TIME_OUT_THEN_ROLLBACK {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            timeOut(subject, answers);
            answers.to("rollback", subject::rollback);
            subject.askEverything(answers);
        }
    },
    TIME_OUT_THEN_USE {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            timeOut(subject, answers);
            answers.to("enlist", () -> subject.transaction().enlistResource(new ScriptedResource()));
            answers.to("listen", () -> answers.listen(subject.transaction(), "too late"));
            answers.to("rollback only", subject::setRollbackOnly);
            answers.to("begin", subject::begin);
            Transaction suspended = subject.manager().suspend();
            subject.askEverything(answers);
            answers.to("resume", () -> subject.manager().resume(suspended));
            answers.to("commit by itself", suspended::commit);
            answers.to("rollback by itself", suspended::rollback);
            answers.to("commit", subject::commit);
            subject.askEverything(answers);
        }
    },
    TIME_OUT_WHILE_ROLLBACK_ONLY {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            subject.limit(1);
            subject.begin();
            subject.setRollbackOnly();
            Transaction transaction = subject.transaction();
            answers.to("timed out", () -> awaitStatus(transaction, Status.STATUS_ROLLEDBACK));
            answers.to("commit", subject::commit);
            subject.limit(0);
        }
    },
    TIME_OUT_WHILE_SUSPENDED {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            subject.limit(1);
            subject.begin();
            CountDownLatch completed = answers.listen(subject.transaction(), "synchronization");
            Transaction suspended = subject.manager().suspend();
            answers.to("timed out", () -> completed.await(30, TimeUnit.SECONDS));
            subject.askEverything(answers);
            answers.to("status", suspended::getStatus);
            answers.to("resume", () -> subject.manager().resume(suspended));
            subject.askEverything(answers);
            answers.to("commit", subject::commit);
            subject.limit(0);
        }
    },
    TIME_OUT_BEFORE_COMPLETION {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            subject.limit(1);
            subject.begin();
            ScriptedResource resource = new ScriptedResource();
            Transaction transaction = subject.transaction();
            transaction.enlistResource(resource);
            CompletableFuture<Integer> completed = new CompletableFuture<>();
            transaction.registerSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {
                    answers.to("timed out", () -> awaitStatus(transaction, Status.STATUS_ROLLEDBACK));
                }

                @Override
                public void afterCompletion(int status) {
                    completed.complete(status); // on the reaper's thread, while this one goes on
                }
            });
            answers.to("commit", subject::commit);
            answers.to("completed", () -> completed.get(30, TimeUnit.SECONDS));
            subject.askEverything(answers);
            answers.note(resource);
            subject.limit(0);
        }
    },
    TIME_OUT_WHERE_A_RESOURCE_FAILS_TO_ROLL_BACK {
        @Override
        void run(Subject subject, Answers answers) throws Exception {
            subject.limit(1);
            subject.begin();
            ScriptedResource resource = new ScriptedResource("rollback", XAException.XA_HEURCOM);
            Transaction transaction = subject.transaction();
            transaction.enlistResource(resource);
            answers.to("rolled back", () -> {
                while (!resource.calls().contains("rollback")) {
                    Thread.onSpinWait();
                }
            });
            answers.to("status", () -> awaitEnd(transaction));
            answers.to("commit", subject::commit);
            subject.askEverything(answers);
            answers.note(resource);
            subject.limit(0);
        }
    };

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    abstract void run(Subject subject, Answers answers) throws Exception;

    /** Begins with a limit of one second, and lets it pass. */
    private static void timeOut(Subject subject, Answers answers) throws Exception {
        subject.limit(1);
        subject.begin();
        ScriptedResource resource = new ScriptedResource();
        ScriptedResource second = new ScriptedResource();
        subject.transaction().enlistResource(resource);
        subject.transaction().enlistResource(second);
        CountDownLatch completed = answers.listen(subject.transaction(), "synchronization");
        answers.to("timed out", () -> completed.await(30, TimeUnit.SECONDS));
        answers.note(resource);
        answers.note(second);
        answers.to("left", () -> subject.timed().getRemainingTimeoutMills() <= 0);
        subject.limit(0);
    }

    private static boolean awaitStatus(Transaction transaction, int status) throws Exception {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (transaction.getStatus() != status && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        return transaction.getStatus() == status;
    }

    private static int awaitEnd(Transaction transaction) throws Exception {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while ((transaction.getStatus() == Status.STATUS_ACTIVE
                        || transaction.getStatus() == Status.STATUS_ROLLING_BACK)
                && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        return transaction.getStatus();
    }

    /** A transaction manager, and a user transaction that may begin and end in its place. */
    record Subject(TransactionManager manager, UserTransaction user, boolean byUser) {
        void begin() throws Exception {
            if (byUser) {
                user.begin();
            } else {
                manager.begin();
            }
        }

        void commit() throws Exception {
            if (byUser) {
                user.commit();
            } else {
                manager.commit();
            }
        }

        void rollback() throws Exception {
            if (byUser) {
                user.rollback();
            } else {
                manager.rollback();
            }
        }

        void setRollbackOnly() throws Exception {
            if (byUser) {
                user.setRollbackOnly();
            } else {
                manager.setRollbackOnly();
            }
        }

        void limit(int seconds) throws Exception {
            if (byUser) {
                user.setTransactionTimeout(seconds);
            } else {
                manager.setTransactionTimeout(seconds);
            }
        }

        Transaction transaction() throws Exception {
            return manager.getTransaction();
        }

        com.arjuna.ats.jta.transaction.Transaction timed() throws Exception {
            return (com.arjuna.ats.jta.transaction.Transaction) manager.getTransaction();
        }

        void askEverything(Answers answers) {
            answers.to("status", manager::getStatus);
            answers.to("status of user transaction", user::getStatus);
            answers.to("has a transaction", () -> manager.getTransaction() != null);
            answers.to(
                    "status of transaction",
                    () -> manager.getTransaction() == null
                            ? "none"
                            : manager.getTransaction().getStatus());
        }
    }

    /** What was answered, in order, without what differs from one transaction to the next. */
    static final class Answers {
        private static final Pattern UID =
                Pattern.compile("-?[0-9a-f]+:-?[0-9a-f]+:-?[0-9a-f]+:-?[0-9a-f]+:-?[0-9a-f]+");

        private final List<String> answers = new CopyOnWriteArrayList<>();

        List<String> list() {
            return answers;
        }

        void note(String answer) {
            answers.add(UID.matcher(answer).replaceAll("UID"));
        }

        void note(ScriptedResource resource) {
            note("resource: " + resource.calls());
        }

        void to(String question, Callable<?> asked) {
            Object answer;
            try {
                answer = asked.call();
            } catch (Exception thrown) { // an answer like any other
                answer = thrown + ", cause " + thrown.getCause();
            }
            note(question + ": " + answer);
        }

        void to(String question, Asked asked) {
            to(question, () -> {
                asked.run();
                return "done";
            });
        }

        CountDownLatch listen(Transaction transaction, String name) throws Exception {
            CountDownLatch completed = new CountDownLatch(1);
            Synchronization noted = synchronization(name);
            transaction.registerSynchronization(new Synchronization() {
                @Override
                public void beforeCompletion() {
                    noted.beforeCompletion();
                }

                @Override
                public void afterCompletion(int status) {
                    noted.afterCompletion(status);
                    completed.countDown();
                }
            });
            return completed;
        }

        Synchronization synchronization(String name) {
            return new Synchronization() {
                @Override
                public void beforeCompletion() {
                    note(name + " before");
                }

                @Override
                public void afterCompletion(int status) {
                    note(name + " after " + status);
                }
            };
        }

        /** Something that answers nothing. */
        interface Asked {
            void run() throws Exception;
        }
    }

    /** Of another transaction manager. */
    private static final class ForeignTransaction implements Transaction {
        @Override
        public void commit() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void rollback() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean delistResource(javax.transaction.xa.XAResource resource, int flag) {
            return false;
        }

        @Override
        public boolean enlistResource(javax.transaction.xa.XAResource resource) {
            return false;
        }

        @Override
        public int getStatus() {
            return Status.STATUS_ACTIVE;
        }

        @Override
        public void registerSynchronization(Synchronization synchronization) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setRollbackOnly() {
            throw new UnsupportedOperationException();
        }

        @Override
        public String toString() {
            return "a stranger";
        }
    }
}
