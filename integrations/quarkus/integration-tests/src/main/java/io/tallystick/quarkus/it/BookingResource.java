package io.tallystick.quarkus.it;

import com.arjuna.ats.arjuna.objectstore.StoreManager;
import io.smallrye.common.annotation.Blocking;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/** The bookings, for the test that drives this application. */
@Path("/")
@Blocking
@Produces(MediaType.TEXT_PLAIN)
public class BookingResource {
    private final Bookings bookings;

    /** @param bookings in two databases */
    @Inject
    public BookingResource(Bookings bookings) {
        this.bookings = bookings;
    }

    /** Books in both databases. */
    @POST
    @Path("book/{id}")
    public void book(@PathParam("id") int id) throws SQLException {
        bookings.book(id);
    }

    /** From now on each second commit in {@code payments} waits for ever. */
    @POST
    @Path("hold")
    public void hold() {
        HoldingDataSource.hold();
    }

    /** The bookings in {@code orders}, with a comma between two. */
    @GET
    @Path("orders")
    public String orders() throws SQLException {
        return text(bookings.inOrders());
    }

    /** The bookings in {@code payments}, with a comma between two. */
    @GET
    @Path("payments")
    public String payments() throws SQLException {
        return text(bookings.inPayments());
    }

    /** The class that Narayana's recovery reads its log from. */
    @GET
    @Path("store")
    public String store() {
        return StoreManager.getRecoveryStore().getClass().getName();
    }

    private static String text(List<Integer> ids) {
        return ids.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
