package io.tallystick.durability.stage;

import java.util.List;

/** One row of the table of {@link PairwiseStage}. */
record CombinedConditions(
        Size size,
        Room room,
        End end,
        Gap gap,
        Node node,
        Cache cache,
        Age age,
        Opening opening,
        Block block,
        Segments segments,
        StateLimit stateLimit,
        LongestState longestState,
        Way way) {
    /** The size of journal files in the second life. */
    enum Size {
        SAME,
        LARGER,
        SMALLER
    }

    /** The room on the disk. */
    enum Room {
        AMPLE,
        /** The first life fills the disk; the second has room again. */
        FULL_IN_FIRST_LIFE,
        /** There is no room when the second life begins. */
        FULL_AT_OPENING,
        /** The first life uses up a quota, which still holds when the second begins. */
        QUOTA_USED_UP
    }

    /** The end of the first life. */
    enum End {
        CLOSED,
        CRASHED,
        KILLED
    }

    /** The write that is in flight when the first life ends. */
    enum Gap {
        NONE,
        /** One that began before others that are acknowledged, where the store has several writes in flight. */
        A_WRITE_IN_FLIGHT
    }

    /** The node that the store belongs to. */
    enum Node {
        NONE,
        SAME,
        /** Another node tries to open the store first, and is refused. */
        ANOTHER_TRIES_FIRST,
        /** The first life has none. */
        FROM_THE_SECOND_LIFE_ON,
        /** The second life names none. */
        NOT_NAMED_AGAIN
    }

    /** The page cache of the system, for a store that writes past it and is killed. */
    enum Cache {
        AGREES,
        /** It does not know of a write that was acknowledged. */
        MISSES_A_WRITE
    }

    /** The first life of the store. */
    enum Age {
        YOUNG,
        /** States have come and gone, so that a log has given its files another life. */
        TURNED_OVER
    }

    /** The opening of the second life. */
    enum Opening {
        /** Nothing happens to it. */
        WHOLE,
        /** It was tried before, and crashed on the way. */
        AFTER_ONE_THAT_CRASHED,
        /** It was tried before, and killed on the way. */
        AFTER_ONE_THAT_WAS_KILLED
    }

    /** The block size of the journal in the second life. */
    enum Block {
        SAME,
        FINER,
        COARSER
    }

    /** The segments that an opening makes, in the second life. */
    enum Segments {
        SAME,
        MORE,
        FEWER
    }

    /** The longest state that the store accepts in the second life. */
    enum StateLimit {
        SAME,
        HIGHER,
        /** Below the longest state that is there. */
        LOWER
    }

    /** The longest state that the first life leaves. */
    enum LongestState {
        USUAL,
        /** The longest one that the segments of the second life hold. */
        AT_THE_BOUND,
        /** A byte more, where the first life may store it: the second life is refused until its segments are larger. */
        BEYOND_THE_BOUND
    }

    /** The way to the disk in the second life, of a journal. */
    enum Way {
        SAME,
        OTHER
    }

    /** The number of values of each column. */
    static List<Integer> sizes() {
        return List.of(
                Size.values().length,
                Room.values().length,
                End.values().length,
                Gap.values().length,
                Node.values().length,
                Cache.values().length,
                Age.values().length,
                Opening.values().length,
                Block.values().length,
                Segments.values().length,
                StateLimit.values().length,
                LongestState.values().length,
                Way.values().length);
    }

    static CombinedConditions of(List<Integer> numbers) {
        return new CombinedConditions(
                Size.values()[numbers.get(0)],
                Room.values()[numbers.get(1)],
                End.values()[numbers.get(2)],
                Gap.values()[numbers.get(3)],
                Node.values()[numbers.get(4)],
                Cache.values()[numbers.get(5)],
                Age.values()[numbers.get(6)],
                Opening.values()[numbers.get(7)],
                Block.values()[numbers.get(8)],
                Segments.values()[numbers.get(9)],
                StateLimit.values()[numbers.get(10)],
                LongestState.values()[numbers.get(11)],
                Way.values()[numbers.get(12)]);
    }
}
