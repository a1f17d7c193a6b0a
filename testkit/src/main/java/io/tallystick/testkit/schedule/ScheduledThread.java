package io.tallystick.testkit.schedule;

/** Takes the place of {@link Thread} where the code under test extends it. */
public abstract class ScheduledThread extends Thread {
    /** A thread of this name, not started. */
    protected ScheduledThread(String name) {
        super(name);
    }

    /** What the thread does. */
    protected abstract void body();

    @Override
    public void start() {
        Schedule.active().adopt(this);
        super.start();
        Schedule.point();
    }

    @Override
    public final void run() {
        Schedule.active().perform(this::body);
    }

    /** In the place of {@link #join()}; never interrupted, but the code under test expects it. */
    public final void joinScheduled() throws InterruptedException {
        Schedule.join(this);
    }

    /** In the place of {@link #isAlive()}. */
    public final boolean isAliveScheduled() {
        return Schedule.isAlive(this);
    }
}
