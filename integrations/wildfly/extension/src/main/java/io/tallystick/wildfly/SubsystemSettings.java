package io.tallystick.wildfly;

import io.tallystick.store.StoreConfiguration;
import io.tallystick.store.StoreOption;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import org.jboss.as.controller.OperationContext;
import org.jboss.as.controller.OperationFailedException;
import org.jboss.as.controller.PropertiesAttributeDefinition;
import org.jboss.as.controller.SimpleAttributeDefinition;
import org.jboss.dmr.ModelNode;

/**
 * The settings of the subsystem, with expressions resolved. They go before {@code tallystick.*} system properties and
 * {@code TALLYSTICK_*} variables, which fill what the subsystem leaves.
 *
 * @param directory absolute, or relative to the path with the name {@code relativeTo}
 * @param relativeTo the name of a path of the server
 * @param store the kind of the store
 * @param nodeId the node that the store belongs to, if it is set
 * @param options further keys and their values
 */
record SubsystemSettings(
        String directory, String relativeTo, String store, Optional<String> nodeId, Map<String, String> options) {
    /** The stores whose jars lie in the module. */
    private static final List<String> STORES = List.of("journal", "file", "inmemory");

    private static final Map<StoreOption<String>, List<String>> IN_THE_MODULE = Map.of(
            StoreOption.JOURNAL_ENGINE, List.of("segmented", "artemis"),
            StoreOption.JOURNAL_IO, List.of("auto", "channel", "direct", "aio", "uring"));

    /** @throws OperationFailedException an expression cannot be resolved */
    static SubsystemSettings of(OperationContext context, ModelNode model) throws OperationFailedException {
        return new SubsystemSettings(
                text(SubsystemDefinition.DIRECTORY, context, model).orElseThrow(),
                text(SubsystemDefinition.RELATIVE_TO, context, model).orElseThrow(),
                text(SubsystemDefinition.STORE, context, model).orElseThrow(),
                text(SubsystemDefinition.NODE_ID, context, model),
                PropertiesAttributeDefinition.unwrapModel(
                        context, SubsystemDefinition.OPTIONS.resolveModelAttribute(context, model)));
    }

    /**
     * @throws OperationFailedException the store would refuse the settings, naming the key and the nearest valid one
     */
    static void check(OperationContext context, ModelNode model) throws OperationFailedException {
        try {
            of(context, model).appliedTo(StoreConfiguration.builder(), (relativeTo, directory) -> directory);
        } catch (IllegalArgumentException refused) {
            throw new OperationFailedException(refused.getMessage(), refused);
        }
    }

    /**
     * The same for a change by a person. A store that is not there is refused then; at a boot it is TALLY0708, which
     * leaves the management up.
     *
     * @throws OperationFailedException the store would refuse the settings, or is not in the module
     */
    static void checkChange(OperationContext context, ModelNode model) throws OperationFailedException {
        check(context, model);
        String store = of(context, model).store();
        if (STORES.stream().noneMatch(store::equalsIgnoreCase)) {
            throw new OperationFailedException(
                    "store='" + store + "' is not in this module; legal values are " + String.join(", ", STORES));
        }
        Map<String, String> options = of(context, model).options();
        for (Map.Entry<StoreOption<String>, List<String>> legal : IN_THE_MODULE.entrySet()) {
            String value = options.get(legal.getKey().key());
            if (value != null && legal.getValue().stream().noneMatch(value.trim()::equalsIgnoreCase)) {
                throw new OperationFailedException(legal.getKey().key() + "='" + value
                        + "' is not in this module; legal values are " + String.join(", ", legal.getValue()));
            }
        }
    }

    /**
     * The configuration of the store.
     *
     * @param paths from the name of a path and a directory relative to it to an absolute one
     * @throws IllegalArgumentException an unknown key or a bad value, naming the nearest valid one
     * @throws io.tallystick.store.StoreException a file that the environment names cannot be read
     */
    StoreConfiguration configuration(BinaryOperator<String> paths) {
        return appliedTo(StoreConfiguration.builder().withEnvironment(), paths);
    }

    private StoreConfiguration appliedTo(StoreConfiguration.Builder builder, BinaryOperator<String> paths) {
        options.forEach((key, value) -> {
            if (key.equals(StoreOption.DIRECTORY.key())
                    || key.equals(StoreOption.STORE.key())
                    || key.equals(StoreOption.NODE_ID.key())) {
                throw new IllegalArgumentException(key + " is no option here: write the attribute '"
                        + key.substring("tallystick.".length()) + "' of /subsystem=tallystick");
            }
            builder.set(key, value);
        });
        builder.store(store);
        builder.directory(pathOf(paths));
        nodeId.ifPresent(node -> builder.set(StoreOption.NODE_ID.key(), node));
        return builder.build();
    }

    private Path pathOf(BinaryOperator<String> paths) {
        try {
            return Path.of(directory).isAbsolute() ? Path.of(directory) : Path.of(paths.apply(relativeTo, directory));
        } catch (InvalidPathException bad) {
            throw new IllegalArgumentException("directory='" + directory + "' is not a path: " + bad.getReason(), bad);
        }
    }

    private static Optional<String> text(SimpleAttributeDefinition attribute, OperationContext context, ModelNode model)
            throws OperationFailedException {
        return Optional.ofNullable(
                attribute.resolveModelAttribute(context, model).asStringOrNull());
    }
}
