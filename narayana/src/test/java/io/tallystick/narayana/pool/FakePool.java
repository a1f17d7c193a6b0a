package io.tallystick.narayana.pool;

import io.tallystick.store.spi.NodePool;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A pool whose members a test names. */
final class FakePool implements NodePool {
    final CopyOnWriteArrayList<String> claimed = new CopyOnWriteArrayList<>();
    final List<String> finished = new CopyOnWriteArrayList<>();
    private volatile List<Member> members;

    FakePool(Member... members) {
        this.members = List.of(members);
    }

    /** A member that has had no owner for an hour. */
    static Member ownerless(String node, State state, boolean isFinished) {
        return new Member(node, state, 7, Optional.of(Duration.ofHours(1)), isFinished, "pid=1");
    }

    @Override
    public Look look() {
        return new Look(members, Optional.empty());
    }

    @Override
    public boolean reserve(String node) {
        return true;
    }

    @Override
    public boolean claimRecovery(Member member, Duration pause) {
        return claimed.addIfAbsent(member.node());
    }

    @Override
    public void noteFinished(Member recovered) {
        finished.add(recovered.node());
        members = members.stream()
                .map(each -> each.node().equals(recovered.node())
                        ? ownerless(each.node(), NodePool.State.CLEAN, true)
                        : each)
                .toList();
    }

    @Override
    public boolean isWithinBound(String node) {
        return true;
    }
}
