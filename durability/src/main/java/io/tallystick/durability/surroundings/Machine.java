package io.tallystick.durability.surroundings;

import io.tallystick.durability.system.LoopVolume;
import io.tallystick.durability.system.LoopVolume.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The dimensions that this machine can vary, and why it cannot vary others. */
final class Machine {
    /** User and group that are nobody's. */
    static final int OTHER_ID = 65_534;

    /** A group that has no member. */
    static final int GROUP_ID = 64_711;

    private static final List<Path> TIME_LIBRARIES = List.of(
            Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"),
            Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"));

    private final Optional<String> noOtherUser;
    private final Optional<Path> timeLibrary;
    private final Optional<String> noVolume;

    private Machine(Optional<String> noOtherUser, Optional<Path> timeLibrary, Optional<String> noVolume) {
        this.noOtherUser = noOtherUser;
        this.timeLibrary = timeLibrary;
        this.noVolume = noVolume;
    }

    static Machine look() {
        return new Machine(
                noOtherUser(),
                TIME_LIBRARIES.stream().filter(Files::isReadable).findFirst(),
                LoopVolume.unavailableBecause(Kind.EXT4));
    }

    private static Optional<String> noOtherUser() {
        List<String> command = new ArrayList<>(asOtherUser());
        command.add("true");
        try {
            LoopVolume.run(command);
            return Optional.empty();
        } catch (IOException refused) {
            return Optional.of("no process of another user, which needs root and setpriv: " + refused.getMessage());
        }
    }

    /** The beginning of a command that runs as the other user. */
    static List<String> asOtherUser() {
        return List.of("setpriv", "--reuid=" + OTHER_ID, "--regid=" + OTHER_ID, "--clear-groups");
    }

    boolean canChangeUser() {
        return noOtherUser.isEmpty();
    }

    boolean canFakeTime() {
        return timeLibrary.isPresent();
    }

    boolean hasVolume() {
        return noVolume.isEmpty();
    }

    Path timeLibrary() {
        return timeLibrary.orElseThrow();
    }

    /** What stays the same in all lives here, and why. */
    List<String> limitations() {
        List<String> limitations = new ArrayList<>();
        noOtherUser.ifPresent(reason -> limitations.add("user, group and umask 0777: " + reason));
        if (timeLibrary.isEmpty()) {
            limitations.add("wall clock: no libfaketime, which the Debian package faketime has");
        }
        noVolume.ifPresent(reason -> limitations.add("full file system: " + reason));
        return limitations;
    }
}
