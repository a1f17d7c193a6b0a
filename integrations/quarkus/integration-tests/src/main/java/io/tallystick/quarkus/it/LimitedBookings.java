package io.tallystick.quarkus.it;

import io.quarkus.narayana.jta.runtime.TransactionConfiguration;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.Transactional;
import jakarta.transaction.UserTransaction;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Bookings that take longer than their time limit. They end as soon as the reaper has begun to roll them back, so that
 * their end and the rollback race.
 */
@ApplicationScoped
public class LimitedBookings {
    private static final int LIMIT_SECONDS = 1;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Bookings bookings;
    private final UserTransaction user;
    private final TransactionManager transactions;

    /** @param bookings in two databases, @param user and @param transactions of the application */
    @Inject
    public LimitedBookings(Bookings bookings, UserTransaction user, TransactionManager transactions) {
        this.bookings = bookings;
        this.user = user;
        this.transactions = transactions;
    }

    /** Books, and returns after the limit. */
    @Transactional
    @TransactionConfiguration(timeout = LIMIT_SECONDS)
    public void returnTooLate(int id) throws Exception {
        bookSlowly(id);
    }

    /** Books, and fails after the limit. */
    @Transactional
    @TransactionConfiguration(timeout = LIMIT_SECONDS)
    public void failTooLate(int id) throws Exception {
        bookSlowly(id);
        throw new IllegalArgumentException("no such guest");
    }

    /** Books in a transaction that it begins itself, and commits after the limit. */
    public void commitTooLate(int id) throws Exception {
        user.setTransactionTimeout(LIMIT_SECONDS);
        user.begin();
        user.setTransactionTimeout(0); // the thread's next transaction has the default
        boolean isBooked = false;
        try {
            bookSlowly(id);
            isBooked = true;
        } finally {
            if (!isBooked) {
                user.rollback();
            }
        }
        user.commit();
    }

    private void bookSlowly(int id) throws Exception {
        bookings.book(id);
        long begun = System.nanoTime();
        while (transactions.getStatus() == Status.STATUS_ACTIVE && System.nanoTime() - begun < PATIENCE.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }
}
