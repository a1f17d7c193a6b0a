package io.tallystick.durability.surroundings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The world around one life of a store.
 *
 * @param language locale of the process
 * @param system language and character set of the environment
 * @param encoding the default charset
 * @param umask mode bits that new files do not get
 * @param owner user and group of the process
 * @param workingDirectory the directory in which the process starts
 * @param descriptors the files that the process may still open
 * @param heap the largest heap
 * @param directMemory the memory outside the heap
 * @param time the clocks of the process
 * @param room the room on the disk
 */
record Surroundings(
        Language language,
        SystemLanguage system,
        Encoding encoding,
        Umask umask,
        Owner owner,
        WorkingDirectory workingDirectory,
        Descriptors descriptors,
        Heap heap,
        DirectMemory directMemory,
        Time time,
        Room room) {
    /** The system property with the locale of all lives. */
    static final String LOCALE = "tallystick.testkit.locale";
    /** The system property with the variable that decides the encoding of names in all lives. */
    static final String SYSTEM = "tallystick.testkit.system";

    private static final int PERMISSIONS = 0777;
    private static final int EXECUTE = 0111;

    /** The default locale. All but the last three write numbers with digits of their own. */
    enum Language implements Drawn {
        FA_IR("fa", "IR", ""),
        AR_EG("ar", "EG", ""),
        BN_BD("bn", "BD", ""),
        NE_NP("ne", "NP", ""),
        MR_IN("mr", "IN", ""),
        MY_MM("my", "MM", ""),
        TH_TH("th", "TH", "u-nu-thai"),
        HI_IN("hi", "IN", "u-nu-deva"),
        TR_TR("tr", "TR", ""),
        DE_DE("de", "DE", ""),
        ROOT("", "", "");

        private final String code;
        private final String country;
        private final String extensions;

        Language(String code, String country, String extensions) {
            this.code = code;
            this.country = country;
            this.extensions = extensions;
        }

        List<String> options() {
            return List.of("-Duser.language=" + code, "-Duser.country=" + country, "-Duser.extensions=" + extensions);
        }

        @Override
        public String label() {
            return this == ROOT ? "root" : code + "-" + country + (extensions.isEmpty() ? "" : "-" + extensions);
        }

        @Override
        public int weight() {
            return 1;
        }
    }

    /** The variables that decide the encoding of file names. */
    enum SystemLanguage implements Drawn {
        LC_ALL_C("LC_ALL", "C"),
        LC_ALL_UTF_8("LC_ALL", "C.UTF-8"),
        LANG_C("LANG", "C"),
        LANG_UTF_8("LANG", "C.UTF-8");

        private final String variable;
        private final String value;

        SystemLanguage(String variable, String value) {
            this.variable = variable;
            this.value = value;
        }

        void putInto(Map<String, String> variables) {
            variables.keySet().removeIf(name -> name.startsWith("LC_") || name.startsWith("LANG"));
            variables.put(variable, value);
        }

        @Override
        public String label() {
            return variable + ":" + value;
        }

        @Override
        public int weight() {
            return 1;
        }
    }

    /** The charset of code that names none. */
    enum Encoding implements Drawn {
        DEFAULT("default", 2),
        UTF_8("UTF-8", 1),
        US_ASCII("US-ASCII", 1),
        ISO_8859_1("ISO-8859-1", 1),
        UTF_16("UTF-16", 1);

        private final String charset;
        private final int weight;

        Encoding(String charset, int weight) {
            this.charset = charset;
            this.weight = weight;
        }

        List<String> options() {
            return this == DEFAULT ? List.of() : List.of("-Dfile.encoding=" + charset);
        }

        @Override
        public String label() {
            return charset;
        }

        @Override
        public int weight() {
            return weight;
        }
    }

    /** The mode bits that new files do not get. */
    enum Umask implements Drawn {
        NOTHING("000"),
        GROUP_WRITE("022"),
        OTHERS("027"),
        ALL_BUT_OWNER("077"),
        EVERYTHING("0777");

        private final String octal;

        Umask(String octal) {
            this.octal = octal;
        }

        @Override
        public String label() {
            return octal;
        }

        @Override
        public int weight() {
            return 1;
        }
    }

    /** User and group of the process. Before each life, the directory is handed over to them. */
    enum Owner implements Drawn {
        /** The user of the run. */
        SAME("same", 3, 0, 0, 0),
        /** Another user, who owns the directory. */
        OTHER_USER("other-user", 1, Machine.OTHER_ID, Machine.OTHER_ID, 0700),
        /** Another user, whose group may write in the directory. */
        GROUP("group-of-the-directory", 1, 0, Machine.GROUP_ID, 0070);

        private final String label;
        private final int weight;
        private final int user;
        private final int group;
        private final int mode;

        Owner(String label, int weight, int user, int group, int mode) {
            this.label = label;
            this.weight = weight;
            this.user = user;
            this.group = group;
            this.mode = mode;
        }

        /** Makes a file or directory of root one that a process of this user can read and write. */
        void take(Path path) throws IOException {
            Files.setAttribute(path, "unix:uid", user, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", group, LinkOption.NOFOLLOW_LINKS);
            int before = (int) Files.getAttribute(path, "unix:mode") & PERMISSIONS;
            int wanted = Files.isDirectory(path) ? mode : mode & ~EXECUTE;
            if ((before | wanted) != before) {
                Files.setAttribute(path, "unix:mode", before | wanted);
            }
        }

        @Override
        public String label() {
            return label;
        }

        @Override
        public int weight() {
            return weight;
        }
    }

    /** Where the process starts. */
    enum WorkingDirectory implements Drawn {
        ELSEWHERE("elsewhere"),
        ROOT("root"),
        /** The configured directory is relative to it. */
        RELATIVE("relative"),
        /** It is gone before the store is opened. */
        REMOVED("removed");

        private final String label;

        WorkingDirectory(String label) {
            this.label = label;
        }

        @Override
        public String label() {
            return label;
        }

        @Override
        public int weight() {
            return 1;
        }
    }

    /** The number of files that the process may still open when it opens the store. */
    enum Descriptors implements Drawn {
        MANY("many", 8, -1),
        SOME("16-left", 1, 16),
        FEW("5-left", 1, 5);

        private final String label;
        private final int weight;
        private final int left;

        Descriptors(String label, int weight, int left) {
            this.label = label;
            this.weight = weight;
            this.left = left;
        }

        /** The number, or -1 for no limit. */
        int left() {
            return left;
        }

        @Override
        public String label() {
            return label;
        }

        @Override
        public int weight() {
            return weight;
        }
    }

    /** The largest heap. */
    enum Heap implements Drawn {
        AMPLE("128m", 8),
        SMALL("32m", 1),
        TINY("16m", 1);

        private final String size;
        private final int weight;

        Heap(String size, int weight) {
            this.size = size;
            this.weight = weight;
        }

        @Override
        public String label() {
            return size;
        }

        @Override
        public int weight() {
            return weight;
        }
    }

    /** Memory outside the heap. */
    enum DirectMemory implements Drawn {
        DEFAULT("default", 8),
        SMALL("8m", 1),
        TINY("512k", 1);

        private final String size;
        private final int weight;

        DirectMemory(String size, int weight) {
            this.size = size;
            this.weight = weight;
        }

        List<String> options() {
            return this == DEFAULT ? List.of() : List.of("-XX:MaxDirectMemorySize=" + size);
        }

        @Override
        public String label() {
            return size;
        }

        @Override
        public int weight() {
            return weight;
        }
    }

    /** The clocks of the process. The clock of the machine is left alone. */
    enum Time implements Drawn {
        SOUND("sound", 10, ""),
        /** The monotonic clock leaps forward by up to an hour. */
        LEAPS("leaps", 3, ""),
        /** The wall clock was set back since the last life. */
        BACK("ten-years-back", 1, "-10y"),
        /** The wall clock was set forward, beyond 2038. */
        AHEAD("twenty-years-ahead", 1, "+20y");

        private final String label;
        private final int weight;
        private final String offset;

        Time(String label, int weight, String offset) {
            this.label = label;
            this.weight = weight;
            this.offset = offset;
        }

        /** The offset of the wall clock, or nothing. */
        String offset() {
            return offset;
        }

        @Override
        public String label() {
            return label;
        }

        @Override
        public int weight() {
            return weight;
        }
    }

    /** The room on the disk. */
    enum Room implements Drawn {
        AMPLE("ample", 4),
        /** The disk of the process refuses new room after so many bytes. */
        REFUSED("refused", 1),
        /** A small file system has so much room left. A store elsewhere has ample room then. */
        VOLUME("full-volume", 2);

        private final String label;
        private final int weight;

        Room(String label, int weight) {
            this.label = label;
            this.weight = weight;
        }

        @Override
        public String label() {
            return label;
        }

        @Override
        public int weight() {
            return weight;
        }
    }

    static Surroundings draw(Random random) {
        return new Surroundings(
                Drawn.from(Language.values(), random),
                Drawn.from(SystemLanguage.values(), random),
                Drawn.from(Encoding.values(), random),
                Drawn.from(Umask.values(), random),
                Drawn.from(Owner.values(), random),
                Drawn.from(WorkingDirectory.values(), random),
                Drawn.from(Descriptors.values(), random),
                Drawn.from(Heap.values(), random),
                Drawn.from(DirectMemory.values(), random),
                Drawn.from(Time.values(), random),
                Drawn.from(Room.values(), random));
    }

    /** The same, as far as this machine can make it, with the locale that the run has for all lives. */
    Surroundings on(Machine machine, boolean isOnVolume) {
        return new Surroundings(
                chosen(LOCALE, Language.values(), language),
                chosen(SYSTEM, SystemLanguage.values(), system),
                encoding,
                umask == Umask.EVERYTHING && !machine.canChangeUser() ? Umask.ALL_BUT_OWNER : umask,
                machine.canChangeUser() ? owner : Owner.SAME,
                workingDirectory,
                descriptors,
                heap,
                directMemory,
                time.offset().isEmpty() || machine.canFakeTime() ? time : Time.LEAPS,
                room == Room.VOLUME && !isOnVolume ? Room.AMPLE : room);
    }

    /** The value that a system property names; otherwise what was drawn. */
    private static <V extends Drawn> V chosen(String property, V[] values, V drawn) {
        String label = System.getProperty(property);
        if (label == null) {
            return drawn;
        }
        for (V value : values) {
            if (value.label().equals(label)) {
                return value;
            }
        }
        throw new IllegalArgumentException(property + "=" + label + " is not one of "
                + Arrays.stream(values).map(Drawn::label).toList());
    }

    /** The same with ample memory, descriptors and room, for a user who may do everything that the store needs. */
    Surroundings withoutLimits() {
        return new Surroundings(
                language,
                system,
                encoding,
                mayLackAccess() ? Umask.ALL_BUT_OWNER : umask,
                owner,
                workingDirectory,
                Descriptors.MANY,
                Heap.AMPLE,
                DirectMemory.DEFAULT,
                time,
                Room.AMPLE);
    }

    /** The same on a small file system that is full. */
    Surroundings onFullVolume() {
        return new Surroundings(
                language,
                system,
                encoding,
                umask,
                owner,
                workingDirectory,
                descriptors,
                heap,
                directMemory,
                time,
                Room.VOLUME);
    }

    /** Whether memory or descriptors may run out. The store may fail then, and must lose nothing. */
    boolean isScarce() {
        return descriptors != Descriptors.MANY || heap != Heap.AMPLE || directMemory != DirectMemory.DEFAULT;
    }

    /** Whether the room may run out. */
    boolean mayBeFull() {
        return room != Room.AMPLE;
    }

    /** Whether a directory that the store makes is closed to the user of the process. */
    boolean mayLackAccess() {
        return owner != Owner.SAME && umask == Umask.EVERYTHING;
    }

    /** The labels of all values by the name of their dimension. */
    Map<String, String> labels() {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("locale", language.label());
        labels.put("system", system.label());
        labels.put("encoding", encoding.label());
        labels.put("umask", umask.label());
        labels.put("user", owner.label());
        labels.put("cwd", workingDirectory.label());
        labels.put("descriptors", descriptors.label());
        labels.put("heap", heap.label());
        labels.put("direct-memory", directMemory.label());
        labels.put("clock", time.label());
        labels.put("room", room.label());
        return labels;
    }
}
