package io.tallystick.durability.stage;

import io.tallystick.durability.planted.PlantedSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Starts stores in processes, with the bug that is planted in the subject, if there is one. */
class StoreLaunch implements TorturedStore.Launch {
    private final Optional<Path> plantedClasses;

    /** @param scratch gets the classes with the bug */
    StoreLaunch(Subject subject, Path scratch) throws IOException {
        plantedClasses = PlantedSubject.classesOf(subject, scratch.resolve("planted"));
    }

    @Override
    public ProcessBuilder command(Subject subject, Path directory) {
        ProcessBuilder builder = SubjectProcess.command(subject, directory);
        plantedClasses.ifPresent(classes -> SubjectProcess.putFirst(classes, builder));
        return builder;
    }
}
