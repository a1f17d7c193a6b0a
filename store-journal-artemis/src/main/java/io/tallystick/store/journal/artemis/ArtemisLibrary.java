package io.tallystick.store.journal.artemis;

import io.tallystick.store.StateKey;
import io.tallystick.store.journal.JournalContext;
import io.tallystick.store.log.spi.RecordLog;
import io.tallystick.store.log.spi.Version;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Tells whether the Artemis library is on the class path. The library is a dependency of this artifact, but a build
 * may have excluded it, or a part of it. A build may also have it twice: Artemis has changed its group id, and its
 * packages have kept their names.
 */
final class ArtemisLibrary {
    private static final String ARTIFACT = "org.apache.artemis:artemis-journal";
    /** The oldest version of either group id that the tests have run on. */
    private static final String OLDEST = "2.33";

    /** One class of each jar of Artemis, the journal and its commons. Both group ids have them. */
    private static final List<String> NAMED = List.of(
            "org.apache.activemq.artemis.core.journal.impl.JournalImpl",
            "org.apache.activemq.artemis.api.core.ActiveMQBuffers");

    /**
     * One class of each jar that every opening needs: the journal, its commons, netty's buffers and utilities,
     * logging.
     */
    private static final List<String> NEEDED = List.of(
            NAMED.get(0),
            NAMED.get(1),
            "io.netty.buffer.ByteBuf",
            "io.netty.util.ReferenceCounted",
            "org.slf4j.Logger");

    private ArtemisLibrary() {}

    /**
     * Checks that the library is there, and has all that this engine calls.
     *
     * @throws IllegalArgumentException it is not, or has not; the message names the artifact, or the jars
     */
    static void require() {
        Optional<String> missing;
        try {
            for (String name : NEEDED) {
                Class.forName(name, true, ArtemisLibrary.class.getClassLoader());
            }
            missing = CalledMembers.firstMissing(ArtemisLibrary.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError absent) {
            throw unusable(absent.getMessage(), absent);
        }
        if (missing.isPresent()) {
            throw unusable(missing.get(), null);
        }
    }

    /**
     * As {@link ArtemisLog#open}.
     *
     * @throws IllegalArgumentException the library, or something that it needs, is missing from the class path, or does
     *     not fit
     */
    static RecordLog open(JournalContext context, ConcurrentHashMap<StateKey, Version> index) throws IOException {
        try {
            return ArtemisLog.open(context, index);
        } catch (LinkageError unfit) {
            throw unusable(unfit.getMessage(), unfit);
        }
    }

    private static IllegalArgumentException unusable(String missing, Throwable cause) {
        List<String> copies = copies();
        if (copies.size() > NAMED.size()) {
            return new IllegalArgumentException(
                    "tallystick.journal.engine=artemis cannot use the Artemis library: the class path has it more than"
                            + " once, in " + String.join(", ", copies) + ", and what Java takes of them lacks "
                            + missing
                            + "; org.apache.activemq:artemis-* is the former group id of org.apache.artemis:artemis-*:"
                            + " exclude the older one, or configure tallystick.journal.engine=segmented",
                    cause);
        }
        return new IllegalArgumentException(
                "tallystick.journal.engine=artemis needs the artifact " + ARTIFACT + ", " + OLDEST
                        + " or later, and its dependencies, but the class path lacks " + missing
                        + (copies.isEmpty() ? "" : " and has " + String.join(", ", copies))
                        + "; add the artifact, or configure tallystick.journal.engine=segmented",
                cause);
    }

    /** The jars that have the journal or its commons, in the order of the class path. */
    private static List<String> copies() {
        List<String> copies = new ArrayList<>();
        for (String name : NAMED) {
            String resource = name.replace('.', '/') + ".class";
            try {
                for (URL url :
                        Collections.list(ArtemisLibrary.class.getClassLoader().getResources(resource))) {
                    String text = url.toString();
                    copies.add(
                            text.substring(0, text.length() - resource.length()).replaceFirst("!?/$", ""));
                }
            } catch (IOException unreadable) {
                copies.add("a jar that cannot be read (" + unreadable.getMessage() + ")");
            }
        }
        return copies;
    }

    /**
     * The members of Artemis that this engine calls, and the classes of this engine that Artemis calls. Java links each
     * of them when it is first called. An Artemis that is too old would thus be noticed in the middle of commits, by
     * the housekeeper. So opening looks for all of them. A test compares the two lists with the compiled classes.
     */
    static final class CalledMembers {
        private static final String API = "org/apache/activemq/artemis/api/core/";
        private static final String IO = "org/apache/activemq/artemis/core/io/";
        private static final String JOURNAL = "org/apache/activemq/artemis/core/journal/";
        private static final String IMPL = JOURNAL + "impl/";
        private static final String EXECUTORS = "Lorg/apache/activemq/artemis/utils/ExecutorFactory;";
        private static final String PERSISTER = "Lorg/apache/activemq/artemis/core/persistence/Persister;";
        private static final String COMPLETION = "L" + JOURNAL + "IOCompletion;";
        private static final String STRING = "Ljava/lang/String;";
        private static final String OBJECT = "Ljava/lang/Object;";

        /** {@code OWNER.NAME:DESCRIPTOR}, as in the constant pool of a class; sorted. */
        static final List<String> NAMES = List.of(
                API + "ActiveMQBuffer.setIndex:(II)V",
                API + "ActiveMQBuffer.writeBytes:([B)V",
                API + "ActiveMQBuffer.writerIndex:()I",
                API + "ActiveMQBuffers.wrappedBuffer:(Ljava/nio/ByteBuffer;)L" + API + "ActiveMQBuffer;",
                IO + "IOCallback.done:()V",
                IO + "IOCriticalErrorListener.onIOException:(Ljava/lang/Throwable;" + STRING + STRING + ")V",
                JOURNAL + "EncodingSupport.encode:(L" + API + "ActiveMQBuffer;)V",
                JOURNAL + "RecordInfo.data:[B",
                JOURNAL + "RecordInfo.id:J",
                JOURNAL + "RecordInfo.userRecordType:B",
                IMPL + "JournalFile.getFileID:()J",
                IMPL + "JournalFile.setReclaimable:(Z)V",
                IMPL + "JournalFileImpl.<init>:(L" + IO + "SequentialFile;JI)V",
                IMPL + "JournalFilesRepository.addFreeFile:(L" + IMPL + "JournalFile;ZZ)V",
                IMPL + "JournalFilesRepository.getFreeFilesCount:()I",
                IMPL + "JournalFilesRepository.getOpenedFilesCount:()I",
                IMPL + "JournalFilesRepository.pushOpenedFile:()V",
                IMPL + "JournalImpl.<init>:(" + EXECUTORS + "IIIIIIL" + IO + "SequentialFileFactory;" + STRING + STRING
                        + "II)V",
                IMPL + "JournalImpl.appendAddEvent:(JB" + PERSISTER + OBJECT + "Z" + COMPLETION + ")V",
                IMPL + "JournalImpl.appendAddRecord:(JB" + PERSISTER + OBJECT + "Z" + COMPLETION + ")V",
                IMPL + "JournalImpl.checkReclaimStatus:()V",
                IMPL + "JournalImpl.getCurrentFile:()L" + IMPL + "JournalFile;",
                IMPL + "JournalImpl.getDataFiles:()[L" + IMPL + "JournalFile;",
                IMPL + "JournalImpl.getFilesRepository:()L" + IMPL + "JournalFilesRepository;",
                IMPL + "JournalImpl.getNumberOfRecords:()I",
                IMPL + "JournalImpl.load:(L" + JOURNAL + "LoaderCallback;)L" + JOURNAL + "JournalLoadInformation;",
                IMPL + "JournalImpl.setCriticalErrorListener:(L" + IO + "IOCriticalErrorListener;)L" + IMPL
                        + "JournalImpl;",
                IMPL + "JournalImpl.start:()V",
                IMPL + "JournalImpl.stop:()V",
                IMPL + "JournalImpl.tryAppendDeleteRecord:(JZL" + JOURNAL + "JournalUpdateCallback;" + COMPLETION
                        + ")V");

        /** Names of classes of this package. Artemis must ask no more of them than they have. */
        static final List<String> CALLED_BY_ARTEMIS = List.of(
                "ArtemisRecovery$Loader",
                "BatchWriter$HeaderPersister",
                "BatchWriter$ImagePersister",
                "DiskFileFactory",
                "DiskSequentialFile");

        private CalledMembers() {}

        /** The first member that the library of this loader lacks, or the first method that it wants and we lack. */
        static Optional<String> firstMissing(ClassLoader loader) {
            for (String member : NAMES) {
                if (!isThere(member, loader)) {
                    return Optional.of(member);
                }
            }
            for (String name : CALLED_BY_ARTEMIS) {
                Optional<Method> unknown = unknownMethod(CalledMembers.class.getPackageName() + "." + name, loader);
                if (unknown.isPresent()) {
                    return Optional.of("an engine with " + unknown.get());
                }
            }
            return Optional.empty();
        }

        private static Optional<Method> unknownMethod(String type, ClassLoader loader) {
            try {
                return Stream.of(Class.forName(type, false, loader).getMethods())
                        .filter(method -> Modifier.isAbstract(method.getModifiers()))
                        .findFirst();
            } catch (ClassNotFoundException lost) {
                throw new IllegalStateException("a class of this jar is missing", lost);
            }
        }

        private static boolean isThere(String member, ClassLoader loader) {
            int colon = member.indexOf(':');
            int dot = member.lastIndexOf('.', colon);
            String name = member.substring(dot + 1, colon);
            String descriptor = member.substring(colon + 1);
            try {
                Class<?> owner = Class.forName(member.substring(0, dot).replace('/', '.'), false, loader);
                if (descriptor.startsWith("(")) {
                    return hasMethod(owner, name, MethodType.fromMethodDescriptorString(descriptor, loader));
                }
                Class<?> type = MethodType.fromMethodDescriptorString("()" + descriptor, loader)
                        .returnType();
                MethodHandles.lookup().findGetter(owner, name, type);
                return true;
            } catch (ReflectiveOperationException | TypeNotPresentException missing) {
                return false;
            }
        }

        private static boolean hasMethod(Class<?> owner, String name, MethodType type)
                throws ReflectiveOperationException {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            if (name.equals("<init>")) {
                lookup.findConstructor(owner, type);
                return true;
            }
            try {
                lookup.findVirtual(owner, name, type);
            } catch (IllegalAccessException isStatic) {
                lookup.findStatic(owner, name, type);
            }
            return true;
        }
    }
}
