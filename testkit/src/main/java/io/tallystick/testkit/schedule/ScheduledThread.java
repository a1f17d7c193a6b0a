package io.tallystick.testkit.schedule;

/** Replaces {@link Thread} where the code under test creates one or extends it. */
public class ScheduledThread extends Thread {
    private final Runnable task;
    // Written before the thread is started.
    private Schedule schedule;

    /** A thread, not started. */
    public ScheduledThread() {
        this.task = null;
    }

    /** A thread of this name, not started. */
    public ScheduledThread(String name) {
        super(name);
        this.task = null;
    }

    /** A thread that runs the task, not started. */
    public ScheduledThread(Runnable task) {
        this.task = task;
    }

    /** A thread of this name that runs the task, not started. */
    public ScheduledThread(Runnable task, String name) {
        super(name);
        this.task = task;
    }

    /** A thread of this group and name that runs the task, not started. */
    public ScheduledThread(
            ThreadGroup group, Runnable task, String name, long stackBytes, boolean inheritsThreadLocals) {
        super(group, null, name, stackBytes, inheritsThreadLocals);
        this.task = task;
    }

    /** Runs the thread's code; replaces {@link #run}. */
    protected void body() {
        if (task != null) {
            task.run();
        }
    }

    @Override
    public void start() {
        schedule = Schedule.active();
        schedule.adopt(this);
        super.start();
        Schedule.point();
    }

    @Override
    public final void run() {
        schedule.perform(this::body);
    }
}
