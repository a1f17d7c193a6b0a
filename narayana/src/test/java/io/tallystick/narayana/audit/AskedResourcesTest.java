package io.tallystick.narayana.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.narayana.GivenResources;
import io.tallystick.narayana.doubt.BranchXid;
import io.tallystick.narayana.doubt.WrittenRecord;
import io.tallystick.narayana.logs.record.BranchId;
import io.tallystick.narayana.recover.NamedResource;
import io.tallystick.narayana.recover.Resources.Source;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Resources that answer, refuse, lie, or hang. */
@Timeout(60)
class AskedResourcesTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    private final BranchId branch = new WrittenRecord(1, "a").branch("x");

    /** The answer to each flag. */
    private interface Scan {
        Xid[] recover(int flag) throws Exception;
    }

    @Test
    void aBranchHasTheNameOfItsResource() {
        XAResource named = new NamedResource(resource(flag -> new Xid[] {new BranchXid(branch)}), "java:/accounts");
        assertThat(looked(source(named)).branches()).isEqualTo(Map.of(branch, "java:/accounts"));
    }

    @Test
    void aResourceThatListsAtTheEndOfAScanIsHeard() {
        XAResource late =
                resource(flag -> flag == XAResource.TMENDRSCAN ? new Xid[] {new BranchXid(branch), null} : null);
        assertThat(looked(source(late)).branches()).containsOnlyKeys(branch);
    }

    @Test
    void anErrorOfOneIsToldAndTheOthersAreHeard() {
        XAResource broken = resource(flag -> {
            throw new XAException(XAException.XAER_RMFAIL);
        });
        AskedResources.Look look = looked(new Source("Broken", () -> List.of(broken)), source(resource(flag ->
                new Xid[] {new BranchXid(branch)})));

        assertThat(look.branches()).containsOnlyKeys(branch);
        assertThat(look.problems()).containsOnlyKeys("helper 1 (Broken)");
        assertThat(look.problems().get("helper 1 (Broken)")).contains("XAER_RMFAIL");
    }

    /** Some helpers swallow an outage, and give an empty list or null. */
    @Test
    void aHelperThatGivesNoResourceHasNotAnswered() {
        assertThat(looked(new Source("Empty", List::of)).problems().get("helper 1 (Empty)"))
                .contains("it gave no resource");
    }

    @Test
    void aHelperThatThrowsAnythingIsToldByItsName() {
        AskedResources.Look look = looked(new Source("Mad", () -> {
            throw new LinkageError("no driver\u001b");
        }));
        assertThat(look.problems().get("helper 1 (Mad)")).contains("no driver?");
    }

    @Test
    void aResourceThatHangsIsBoundedAndNotAskedAgain() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(2);
        XAResource hanging = resource(flag -> {
            asked.countDown();
            released.await();
            return null;
        });
        AskedResources resources = new AskedResources(
                List.of(new Source("Hanging", () -> List.of(hanging)), source(resource(flag -> null))),
                System::nanoTime);
        try {
            assertThat(resources.look(Duration.ofMillis(20)).problems().get("helper 1 (Hanging)"))
                    .isEqualTo("it gave no answer in time");
            assertThat(resources.look(LONG).problems()).isEmpty();
            assertThat(asked.getCount()).isEqualTo(1);
        } finally {
            released.countDown();
        }
    }

    /** Helpers of containers give all resources of a server at once. */
    @Test
    void aResourceThatHangsDoesNotHideThoseBehindItInItsHelper() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(2);
        XAResource hanging = resource(flag -> {
            asked.countDown();
            released.await();
            return null;
        });
        XAResource sound = resource(flag -> new Xid[] {new BranchXid(branch)});
        AskedResources resources =
                new AskedResources(List.of(new Source("Two", () -> List.of(hanging, sound))), System::nanoTime);
        try {
            AskedResources.Look first = resources.look(Duration.ofSeconds(2));
            assertThat(first.branches()).containsOnlyKeys(branch);
            assertThat(first.problems()).isEqualTo(Map.of("helper 1 (Two) resource 1", "it gave no answer in time"));
            AskedResources.Look second = resources.look(LONG);
            assertThat(second.branches()).containsOnlyKeys(branch);
            assertThat(second.problems()).isEmpty();
            assertThat(asked.getCount()).isEqualTo(1);
        } finally {
            released.countDown();
        }
    }

    @Test
    void aResourceThatFailsDoesNotHideTheOthersOfItsHelper() {
        XAResource broken = resource(flag -> {
            throw new XAException(XAException.XAER_RMFAIL);
        });
        XAResource sound = resource(flag -> new Xid[] {new BranchXid(branch)});
        AskedResources.Look look =
                looked(new Source("Three", () -> List.of(sound, new NamedResource(broken, "java:/accounts"), sound)));
        assertThat(look.branches()).containsOnlyKeys(branch);
        assertThat(look.problems()).containsOnlyKeys("helper 1 (Three) resource 2 java:/accounts");
    }

    private static AskedResources.Look looked(Source... sources) {
        return new AskedResources(List.of(sources), System::nanoTime).look(LONG);
    }

    private static Source source(XAResource resource) {
        return new Source("Given", () -> List.of(new GivenResources(List.of(resource)).getXAResources()));
    }

    private static XAResource resource(Scan scan) {
        return (XAResource) Proxy.newProxyInstance(
                AskedResourcesTest.class.getClassLoader(),
                new Class<?>[] {XAResource.class},
                (proxy, method, arguments) ->
                        method.getName().equals("recover") ? scan.recover((Integer) arguments[0]) : null);
    }
}
