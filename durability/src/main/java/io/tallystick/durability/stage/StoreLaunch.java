package io.tallystick.durability.stage;

import io.tallystick.durability.planted.PlantedSubject;
import io.tallystick.durability.subject.Subject;
import io.tallystick.durability.subject.SubjectProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Starts stores in processes, with the bug that is planted in the subject, if there is one. */
class StoreLaunch implements TorturedStore.Launch {
    private final Optional<Path> plantedClasses;

    /** @param scratch gets the classes with the bug */
    StoreLaunch(Subject subject, Path scratch) throws IOException {
        if (subject instanceof PlantedSubject planted) {
            plantedClasses = Optional.of(scratch.resolve("planted"));
            planted.classes().writeTo(plantedClasses.get());
        } else {
            plantedClasses = Optional.empty();
        }
    }

    @Override
    public ProcessBuilder command(Subject subject, Path directory) {
        ProcessBuilder builder = SubjectProcess.command(subject, directory);
        List<String> command = builder.command();
        int classPath = command.indexOf("-cp") + 1;
        plantedClasses.ifPresent(
                classes -> command.set(classPath, classes + File.pathSeparator + command.get(classPath)));
        return builder;
    }
}
