package io.tallystick.quarkus.it;

import io.quarkus.virtual.threads.VirtualThreads;
import io.smallrye.common.annotation.Blocking;
import jakarta.inject.Inject;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionManager;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;

/**
 * Calls that exceed their time limit. The parts of an answer are the thread, how the late call ended, whether a
 * transaction was left on the thread, and how the next call on the same thread ended.
 */
@Path("/limit")
@Produces(MediaType.TEXT_PLAIN)
public class LimitResource {
    /** Between two parts of an answer. */
    public static final String SEPARATOR = "|";

    /** The part of what has ended well. */
    public static final String WELL = "well";

    private final LimitedBookings limited;
    private final Bookings bookings;
    private final TransactionManager transactions;
    private final ExecutorService virtualThreads;

    /** @param limited late bookings, @param bookings the next ones, @param transactions and threads to use */
    @Inject
    public LimitResource(
            LimitedBookings limited,
            Bookings bookings,
            TransactionManager transactions,
            @VirtualThreads ExecutorService virtualThreads) {
        this.limited = limited;
        this.bookings = bookings;
        this.transactions = transactions;
        this.virtualThreads = virtualThreads;
    }

    /** On a worker thread of Quarkus. */
    @POST
    @Path("platform/{how}/{late}/{next}")
    @Blocking
    public String onPlatformThread(
            @PathParam("how") String how, @PathParam("late") int late, @PathParam("next") int next) {
        return exceed(how, late, next);
    }

    /**
     * On a virtual thread where the JDK has them, and on a worker thread where not. Methods with {@code
     * RunOnVirtualThread} run in the same executor, but Quarkus refuses to build them for Java 17.
     */
    @POST
    @Path("virtual/{how}/{late}/{next}")
    public CompletionStage<String> onVirtualThread(
            @PathParam("how") String how, @PathParam("late") int late, @PathParam("next") int next) {
        return CompletableFuture.supplyAsync(() -> exceed(how, late, next), virtualThreads);
    }

    private String exceed(String how, int late, int next) {
        return String.join(
                SEPARATOR,
                Thread.currentThread().getName(),
                outcome(() -> callTooLong(how, late)),
                outcome(this::requireNoTransaction),
                outcome(() -> bookings.book(next)));
    }

    private void callTooLong(String how, int id) throws Exception {
        switch (how) {
            case "return" -> limited.returnTooLate(id);
            case "fail" -> limited.failTooLate(id);
            case "commit" -> limited.commitTooLate(id);
            default -> throw new IllegalArgumentException(how);
        }
    }

    private void requireNoTransaction() throws Exception {
        if (transactions.getStatus() != Status.STATUS_NO_TRANSACTION) {
            throw new IllegalStateException("the thread has " + transactions.getTransaction());
        }
    }

    private static String outcome(Call call) {
        try {
            call.run();
            return WELL;
        } catch (Exception failed) {
            StringWriter text = new StringWriter();
            failed.printStackTrace(new PrintWriter(text, true));
            return text.toString();
        }
    }

    private interface Call {
        void run() throws Exception;
    }
}
