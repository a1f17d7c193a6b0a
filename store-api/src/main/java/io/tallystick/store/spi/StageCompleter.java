package io.tallystick.store.spi;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Completes the stages of asynchronous writes, on threads on which nothing of the store depends.
 *
 * <p>A stage that completes runs its dependent actions on the completing thread. These may do anything: wait for room
 * in the store, write, close the store, or wait for another stage. So the thread that knows the outcome only queues the
 * stage here. That is one compare-and-set for a whole batch and never waits.
 *
 * <h2>Threads</h2>
 *
 * A <b>loop</b> takes one stage after the other and completes it, until none is queued. There is one loop as a rule. It
 * runs on a thread of this class, or as one task of the executor that was given. Threads are started when they are
 * needed and end after {@value #KEEP_IDLE_SECONDS} s without work.
 *
 * <p>The <b>watcher</b> is a thread that never runs foreign code. Every {@value #TICK_MILLIS} ms it looks for stages
 * that are queued behind a loop that still completes the same stage. Then it adds loops, twice as many each time. Where
 * the queue does not become empty between two looks it adds one, up to one a processor. So a dependent action that
 * blocks delays the stages behind it for some milliseconds, and as many may block as the process can have threads.
 *
 * <h2>The follower</h2>
 *
 * A loop of a thread of this class that has completed all stages may write: see {@link Follower}. It is a caller like
 * any other then. It holds no stage, and other threads that settle stages have another loop run. Asynchronous callers
 * need not wake a writer while a loop {@linkplain #isAttentive is attentive}. They queue before they ask. The loop
 * looks at the queue after it has said that it is attentive no longer. So one of the two sees the other. Where a
 * dependent action blocks, the watcher has a writer woken.
 *
 * <h2>The executor</h2>
 *
 * Where an executor was given, its {@code execute} is called on threads of this class, so it may block, or run the task
 * at once. If it throws, that thread completes the stages itself. While a task waits in the executor no other one is
 * submitted: an executor whose threads are all blocked delays the queued stages. After {@link #close} the executor is
 * not used any more.
 */
public final class StageCompleter implements AutoCloseable {
    /** How often stages that wait behind a blocked one are looked for, milliseconds. */
    public static final int TICK_MILLIS = 10;

    /** How long a thread without work is kept, seconds. */
    public static final int KEEP_IDLE_SECONDS = 10;

    /** How often a loop gives the processor away before it rests, which takes about as long as a durable write. */
    private static final int YIELDS_BEFORE_REST = 200;

    /**
     * How long a follower waits for the loop, nanoseconds; a dependent action that blocks is noticed by the watcher.
     */
    private static final long FOLLOWER_PATIENCE_NANOS = 200_000;

    private static final int MOST_BUSY_LOOPS = Math.max(2, Runtime.getRuntime().availableProcessors());
    /** How long closing waits for threads that have nothing left to do, milliseconds. */
    private static final int PATIENCE_WITH_THREADS_MILLIS = 1_000;

    private final String threadName;
    private final Executor executorOrNull;

    private final SettledStages settled = new SettledStages();
    private final StageWatcher watcher;
    private final EndingThreads ending = new EndingThreads(PATIENCE_WITH_THREADS_MILLIS);
    private volatile Follower followerOrNull;
    private final UninterruptedWait.Step awaitingLoops = this::awaitLoops; // made now: closing takes no memory
    private final Function<StoreThread.Making, OwnThread> ownThread = OwnThread::new; // made now too

    private final Object lock = new Object();
    // All guarded by the lock; the volatile ones are also read without it.
    private volatile int loops; // running, submitted to the executor, or wanted
    private int submitted; // tasks that the executor has not begun
    private int submitting; // threads of this class that are in the executor's hands
    private int wanted;
    private int idle; // threads of this class that look for a wanted loop now, or will do so first of all
    private int threads;
    private int threadsEver;
    private final RunningLoops running = new RunningLoops(); // has room for each thread and each task
    private volatile boolean closed;
    private int patienceMillis = PATIENCE_WITH_THREADS_MILLIS; // what closing has left of it
    private long timesEmpty;

    /**
     * Writes what asynchronous callers have queued, on the thread of a loop that has completed all stages.
     *
     * <p>A dependent action often begins the next write. A loop that has run many actions writes their appends as one
     * batch. So it wakes no writer, and no writer wakes it.
     */
    public interface Follower {
        /** Whether something is queued that could be written now. */
        boolean isWanted();

        /** Writes one batch, if one is wanted; on the thread of a loop, which has no stage in hand. */
        void writeBatch();

        /** Has another thread write the queued appends. Does not wait; called with any locks. */
        void rouseWriter();
    }

    /** The outcome of a write. */
    @FunctionalInterface
    public interface Outcome {
        /** Why it failed; null if it succeeded. Asked once, on the thread that completes the stage. */
        Throwable failure();
    }

    /** The stage of one asynchronous write. */
    public static final class Stage extends CompletableFuture<Void> {
        private Outcome outcome;
        Stage next; // of those that are settled

        private Stage() {}

        /**
         * Sets the outcome of the write, and links this stage to one that was settled before, or null. Returns this
         * stage.
         */
        public Stage settled(Outcome what, Stage before) {
            outcome = what;
            next = before;
            return this;
        }

        private void finish() {
            Throwable failure;
            try {
                failure = outcome.failure();
            } catch (Throwable noMemory) { // a stage must complete, if only with this error
                failure = noMemory;
            }
            while (!isDone()) {
                try {
                    if (failure == null) {
                        complete(null);
                    } else {
                        completeExceptionally(failure);
                    }
                } catch (
                        Throwable noMemory) { // for the result: there will be some; actions that throw do not come here
                    Thread.onSpinWait();
                }
            }
        }
    }

    /**
     * Completes stages on the executor, or on threads of its own.
     *
     * @param threadName the beginning of its threads' names; a number follows
     */
    public StageCompleter(String threadName, Optional<Executor> executor) {
        this.threadName = Objects.requireNonNull(threadName, "threadName");
        this.executorOrNull = executor.orElse(null);
        this.watcher = new StageWatcher(threadName + "-watcher", TICK_MILLIS, new Watched());
    }

    /** Has loops write when they have completed all stages. To be called before the first stage. */
    public void followedBy(Follower follower) {
        followerOrNull = follower;
    }

    /**
     * Whether a loop will look soon whether its follower is wanted. If so, an append that was queued before this call
     * needs no writer to be woken.
     */
    public boolean isAttentive() {
        return running.hasAttentive() && !closed;
    }

    /** Whether this thread is a loop whose follower writes: it looks whether one is wanted when that is done. */
    public boolean isFollowingHere() {
        return Thread.currentThread() instanceof OwnThread thread && thread.isFollowing(this);
    }

    /** A stage for a write that begins. The first one starts the watcher. */
    public Stage newStage() {
        if (!watcher.isStarted() && !closed) {
            startWatcher();
        }
        return new Stage();
    }

    /**
     * Completes stages soon, on another thread. Each was linked by {@link Stage#settled} to the one settled before it.
     * Never waits and throws nothing; any thread may call this, with any locks.
     *
     * @param newest the stage that was settled last
     * @param oldest the stage that was settled first; the same where there is one
     */
    public void complete(Stage newest, Stage oldest) {
        settled.push(newest, oldest);
        if ((loops == 0 || closed) && !isFollowingHere()) {
            synchronized (lock) {
                if (loops == 0 || closed && wanted == 0) {
                    want();
                }
            }
        }
        watcher.wake();
    }

    /**
     * Waits until every stage that was given to {@link #complete} is complete; its dependent actions may still run.
     * Called by a dependent action it does not wait for that one. Later stages are completed as well, on a thread of
     * their own.
     */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        watcher.end();
        UninterruptedWait.through(awaitingLoops);
        ending.await();
    }

    private void awaitLoops() throws InterruptedException {
        while (true) {
            Stage left = null;
            synchronized (lock) {
                boolean isDone = !settled.hasAny() && !running.isCompleting();
                if (isDone && (threads <= submitting + running.countActing() || patienceMillis-- <= 0)) {
                    return;
                }
                if (settled.hasAny() && !hasLoopCome()) {
                    left = settled.poll(); // no thread can be started
                } else {
                    lock.wait(1);
                }
            }
            if (left != null) {
                left.finish();
            }
        }
    }

    private void startWatcher() {
        synchronized (lock) {
            if (!watcher.isStarted() && !closed) {
                makeRoom();
                watcher.start();
                threads++;
            }
        }
    }

    // The methods from here on are called under the lock, if they do not say otherwise.

    /** Has one more loop run. */
    private void want() {
        wanted++;
        loops++;
        hasThreadCome();
    }

    /** Makes sure that a loop runs soon; false if no thread can be started for it. */
    private boolean hasLoopCome() {
        if (wanted == 0) {
            wanted++;
            loops++;
        }
        return hasThreadCome();
    }

    private boolean hasThreadCome() {
        if (idle >= wanted) {
            lock.notifyAll();
            return true;
        }
        try {
            makeRoom();
            Thread thread = StoreThread.made(ownThread);
            thread.start();
            threads++;
            idle++;
            return true;
        } catch (Throwable noThread) { // the watcher, or the thread that closes the store, tries again
            return false;
        }
    }

    /** Takes the memory for one more loop, so that a loop that begins or ends takes none. */
    private void makeRoom() {
        running.makeRoom(submitted + threads + 1);
        ending.makeRoom(threads + 1);
    }

    /** Runs a loop each time one is wanted. */
    private final class OwnThread extends StoreThread {
        private final Loop loop = new Loop(true);

        OwnThread(Making making) {
            super(making, threadName + "-" + ++threadsEver);
        }

        boolean isFollowing(StageCompleter completer) {
            return StageCompleter.this == completer && loop.isFollowing;
        }

        @Override
        public void run() {
            runThread(loop);
        }
    }

    private void runThread(Loop own) {
        try {
            while (awaitWanted()) {
                if (executorOrNull == null || closed) {
                    own.run();
                } else {
                    submit(own);
                }
                synchronized (lock) {
                    idle++;
                }
            }
        } finally {
            end();
        }
    }

    private void end() {
        synchronized (lock) {
            threads--;
            ending.add();
            lock.notifyAll();
        }
    }

    /** Takes a loop that is wanted, without the lock; false if this thread has waited long enough. */
    private boolean awaitWanted() {
        synchronized (lock) {
            long left = TimeUnit.SECONDS.toNanos(KEEP_IDLE_SECONDS);
            long begun = System.nanoTime();
            try {
                while (wanted == 0) {
                    long millis = TimeUnit.NANOSECONDS.toMillis(left - (System.nanoTime() - begun));
                    if (closed || millis <= 0) {
                        return false;
                    }
                    try {
                        lock.wait(millis);
                    } catch (InterruptedException leftBehind) { // by a dependent action
                    }
                }
                wanted--;
                return true;
            } finally {
                idle--;
            }
        }
    }

    private void submit(Loop own) {
        synchronized (lock) {
            submitted++;
            submitting++;
        }
        Loop task = null;
        try {
            synchronized (lock) {
                makeRoom();
            }
            task = new Loop(false);
            executorOrNull.execute(task);
        } catch (Throwable refused) {
            if (task == null || task.tryGiveUp()) {
                synchronized (lock) {
                    submitted--;
                }
                own.run();
            }
        } finally {
            synchronized (lock) {
                submitting--;
            }
        }
    }

    /**
     * Completes stages until there are none; once for a task of the executor, again and again for a thread of this
     * class.
     */
    private final class Loop extends RunningLoops.LoopState implements Runnable {
        private boolean isBegun;
        private boolean isFollowing; // of its own thread

        Loop(boolean isOwn) {
            super(isOwn);
        }

        /** The executor threw: false if it has run the task nevertheless. */
        boolean tryGiveUp() {
            synchronized (lock) {
                boolean given = !isBegun;
                isBegun = true;
                return given;
            }
        }

        @Override
        public void run() {
            synchronized (lock) {
                if (!isOwn) {
                    if (isBegun) {
                        return; // run twice, or after it was given up
                    }
                    isBegun = true;
                    submitted--;
                }
                running.add(this);
            }
            try {
                do {
                    completeAll();
                } while (hasMore());
            } finally {
                synchronized (lock) {
                    if (running.contains(this)) { // an error ended it: others must see that it runs no more
                        leave();
                    }
                }
            }
        }

        /** Completes stages until there are none; then this loop does not count as one any more. */
        private void completeAll() {
            Follower follower = isOwn ? followerOrNull : null;
            long begun = follower == null ? 0 : System.nanoTime();
            for (Stage stage = next(); stage != null; stage = next()) {
                stage.finish();
                long now = follower == null ? 0 : System.nanoTime();
                if (now - begun > FOLLOWER_PATIENCE_NANOS) {
                    rouseIfWanted(follower);
                    begun = now;
                }
            }
        }

        /**
         * Has the follower write while it is wanted and no stages come, and waits a little for either. They are often
         * on their way, and being woken would cost more than yielding meanwhile. Returns true when there are stages.
         */
        private boolean hasMore() {
            Follower follower = isOwn ? followerOrNull : null;
            boolean mayFollow = true;
            boolean isWanted = follower != null && follower.isWanted();
            while (true) {
                if (isWanted && !hasFollowed(follower)) {
                    mayFollow = false;
                    follower.rouseWriter();
                }
                enter();
                isWanted = false;
                for (int yields = YIELDS_BEFORE_REST;
                        yields > 0 && !isWanted && !settled.hasAny() && !closed;
                        yields--) {
                    Thread.yield();
                    isWanted = follower != null && follower.isWanted();
                }
                synchronized (lock) {
                    if (settled.hasAny()) {
                        return true;
                    }
                    leave();
                }
                isWanted = follower != null && follower.isWanted();
                if (!isWanted) {
                    return false;
                }
                if (!mayFollow) {
                    follower.rouseWriter();
                    return false;
                }
            }
        }

        /** False if the follower threw: a writer should write instead. The loop goes on, because stages may wait. */
        private boolean hasFollowed(Follower follower) {
            isFollowing = true;
            try {
                follower.writeBatch();
                return true;
            } catch (Throwable thrown) { // the callers that wait have got the error; this thread has no caller
                return false;
            } finally {
                isFollowing = false;
            }
        }

        private void enter() {
            synchronized (lock) {
                running.add(this);
                loops++;
                attend(true);
            }
        }

        private void leave() {
            attend(false);
            timesEmpty++;
            running.remove(this);
            loops--;
            // Settled stages are looked for once more, now that a settling thread can see that no loop runs.
            if (loops == 0 && settled.hasArrived()) {
                want();
            }
            if (closed) {
                lock.notifyAll();
            }
        }

        private void attend(boolean does) {
            if (isOwn && followerOrNull != null && running.attend(this, does) && does) {
                watcher.wake();
            }
        }

        private Stage next() {
            if (isOwn) {
                Thread.interrupted(); // an action may have left the flag set
            }
            synchronized (lock) {
                Stage stage = settled.poll();
                current = stage;
                attend(stage != null);
                if (stage == null) {
                    leave();
                } else if (closed && wanted == 0 && settled.hasAny()) {
                    want(); // the watcher has ended
                }
                return stage;
            }
        }
    }

    private static void rouseIfWanted(Follower follower) {
        if (follower != null && follower.isWanted()) {
            follower.rouseWriter();
        }
    }

    /** The looks of the watcher, without the lock. */
    private final class Watched implements StageWatcher.Watched {
        private long timesEmptyBefore = -1;

        @Override
        public boolean look() {
            boolean isBusy;
            synchronized (lock) {
                int stuck = running.findStuck();
                if (settled.hasAny()) {
                    addLoops(stuck, timesEmpty == timesEmptyBefore);
                }
                isBusy = loops > 0;
                timesEmptyBefore = timesEmpty;
            }
            rouseIfWanted(followerOrNull); // after findStuck: for appends from before a loop became inattentive
            return isBusy;
        }

        /** A loop that is attentive may have taken its stage before the watcher was seen to sleep. */
        @Override
        public boolean maySleep() {
            return !settled.hasArrived() && !running.hasAttentive();
        }

        @Override
        public void over() {
            rouseIfWanted(followerOrNull); // for appends from before closing, while a loop was attentive
            end();
        }
    }

    private void addLoops(int stuck, boolean wasNeverEmpty) {
        if (wanted > 0) {
            hasThreadCome(); // the threads are in the executor's hands, or one could not be started
        } else if (submitted == 0) {
            int busy = loops - stuck; // with those that a thread has taken and not begun
            int more = 0;
            if (busy == 0) {
                more = Math.max(1, stuck);
            } else if (wasNeverEmpty && busy < MOST_BUSY_LOOPS) {
                more = 1;
            }
            for (; more > 0; more--) {
                want();
            }
        }
    }
}
