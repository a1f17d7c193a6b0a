package io.tallystick.spring.boot;

import io.tallystick.narayana.NarayanaStores;
import io.tallystick.narayana.settle.InDoubtSettling;
import java.security.Principal;
import java.util.Map;
import java.util.function.Function;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * {@code /actuator/tallystickSettle}: settles transactions in doubt. It is there only with {@code
 * tallystick.indoubt.settle=true}, and reachable only where the application exposes it. docs/in-doubt.md says who may
 * do what.
 *
 * <p>Each change needs a reason and a name. Where the request has a user, the user's name stands before it in the
 * trail. Status 400: an argument cannot be used. 409: it was refused, with the reason.
 */
@WebEndpoint(id = "tallystickSettle")
public final class TallystickSettleEndpoint {
    private static final int REFUSED = 409;

    private final NarayanaStores stores;

    TallystickSettleEndpoint(NarayanaStores stores) {
        this.stores = stores;
    }

    /** What is known of a transaction, and what {@link #forget} would do. Changes nothing. */
    @ReadOperation
    public WebEndpointResponse<Map<String, Object>> describe(@Selector String uid) {
        return answer(settling -> settling.describe(uid));
    }

    /** Lets recovery scan now, and says what has changed. */
    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> retry(SecurityContext caller, String reason, String who) {
        return answer(settling -> settling.retry(reason, nameOf(caller, who)));
    }

    /** Removes the record of a transaction that recovery does not end, and keeps it aside. */
    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> forget(
            SecurityContext caller, @Selector String uid, boolean branchesEnded, String reason, String who) {
        return answer(settling -> settling.forget(uid, branchesEnded, reason, nameOf(caller, who)));
    }

    private static String nameOf(SecurityContext caller, String who) {
        Principal user = caller.getPrincipal();
        // The name may be a distinguished one of LDAP, and the trail takes no '='.
        return user == null || who.isBlank() ? who : user.getName().replace('=', ':') + " (" + who + ')';
    }

    private WebEndpointResponse<Map<String, Object>> answer(Function<InDoubtSettling, String> action) {
        try {
            String done = stores.settling()
                    .map(action)
                    .orElseThrow(() -> new IllegalStateException("tallystick.indoubt.settle is not true"));
            return new WebEndpointResponse<>(Map.of("answer", done), WebEndpointResponse.STATUS_OK);
        } catch (IllegalArgumentException bad) {
            return new WebEndpointResponse<>(
                    Map.of("refused", bad.getMessage()), WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (IllegalStateException refused) {
            return new WebEndpointResponse<>(Map.of("refused", refused.getMessage()), REFUSED);
        }
    }
}
