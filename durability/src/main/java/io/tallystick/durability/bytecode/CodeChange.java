package io.tallystick.durability.bytecode;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * One change of a method, from a text in a small vocabulary. {@code CALL} and {@code FIELD} are {@code Owner.name} with
 * the simple name of the owner; {@code NAME} is a name alone.
 *
 * <pre>
 * skip CALL                           the call does not take place; its result, if it has one, must not be used
 * skip CALL if parameter 1 NAME &lt; 4  only where NAME() of the first parameter is below 4; also = and &gt;
 * answer CALL null                    the call does not take place; its result is null, true, false or a number
 * replace CALL by NAME(DESCRIPTOR)TYPE
 *                                     another method of the same owner is called, with as many arguments or fewer
 * retry CALL                          after an IOException the call takes place once more
 * once CALL                   the call, which is void, does not take place any more after it has returned
 * before CALL call NAME NAME getters or fields, each of the previous result, from the call's last operand on
 * keep FIELD                          the assignment of the field does not take place
 * read NAME instead of FIELD          another field of the same owner is read
 * use 0 instead of 1024               another constant
 * say 'b' instead of 'a'              another text in the only constant that has the text a
 * pass false as argument 2 of CALL    another argument; also null, true or a number
 * jump never after X                  the first conditional jump after X is never taken; also always, otherwise
 *                                     (X: a CALL, a FIELD, subtraction, remainder or comparison)
 * return null                         the method returns at once; without a value where it is void
 * hang in CALL                        the thread waits for ever instead
 * </pre>
 *
 * <p>A step of {@code before} in brackets is a cast: {@code before RecordLog.write call first (PendingAppend) succeed}.
 * The place must be unique in the method. If it is not, the text ends with {@code at 1 of 2}, or {@code at all 2}.
 */
public final class CodeChange {
    private static final Pattern PLACES = Pattern.compile("(.*) at (all|\\d+ of) (\\d+)");
    private static final String NAME = "([\\w$]+\\.[\\w$<>]+)";

    private static final List<Word> WORDS = List.of(
            Word.ofCall("skip CALL", (edits, site, words) -> edits.skip(site)),
            Word.ofCall(
                    "skip CALL if parameter (\\d) (\\w+) ([<=>]) (\\d+)",
                    (edits, site, words) -> edits.skipIf(
                            site,
                            Integer.parseInt(words.group(2)),
                            words.group(3),
                            words.group(4),
                            Integer.parseInt(words.group(5)))),
            Word.ofCall("answer CALL (\\S+)", (edits, site, words) -> edits.answer(site, words.group(2))),
            Word.ofCall(
                    "replace CALL by (\\w+)(\\S+)",
                    (edits, site, words) -> edits.replace(site, words.group(2), words.group(3))),
            Word.ofCall("retry CALL", (edits, site, words) -> edits.retry(site)),
            Word.ofCall(
                    "before CALL call (.+)",
                    (edits, site, words) ->
                            edits.before(site, List.of(words.group(2).split(" ")))),
            Word.ofCall("once CALL", (edits, site, words) -> edits.callOnce(site)),
            Word.ofCall("hang in CALL", (edits, site, words) -> edits.hang(site)),
            new Word(
                    "keep FIELD",
                    (methods, words) -> CodeSite.writes(methods, words.group(1)),
                    (edits, site, words) -> edits.keep(site)),
            new Word(
                    "read (\\w+) instead of FIELD",
                    (methods, words) -> CodeSite.reads(methods, words.group(2)),
                    (edits, site, words) -> edits.read(site, words.group(1))),
            new Word(
                    "use (-?\\d+) instead of (-?\\d+)",
                    (methods, words) -> CodeSite.constants(methods, Long.parseLong(words.group(2))),
                    (edits, site, words) -> edits.constant(site, Long.parseLong(words.group(1)))),
            new Word(
                    "say '(.*)' instead of '(.+)'",
                    (methods, words) -> CodeSite.texts(methods, words.group(2)),
                    (edits, site, words) -> edits.say(site, words.group(2), words.group(1))),
            Word.ofCall(
                    "pass (\\S+) as argument (\\d) of CALL",
                    3,
                    (edits, site, words) -> edits.pass(site, words.group(1), Integer.parseInt(words.group(2)))),
            new Word(
                    "jump (never|always|otherwise) after (\\S+)",
                    (methods, words) -> CodeSite.jumpsAfter(methods, words.group(2)),
                    (edits, site, words) -> edits.jump(site, words.group(1))),
            new Word(
                    "return ?(\\S*)",
                    (methods, words) -> methods.stream()
                            .map(method -> new CodeSite(method, method.instructions.getFirst()))
                            .toList(),
                    (edits, site, words) -> edits.returnAtOnce(site, words.group(1))));

    private final String text;

    /**
     * @param text in the vocabulary; it is checked when it is applied
     */
    public CodeChange(String text) {
        this.text = text;
    }

    /** The text. */
    @Override
    public String toString() {
        return text;
    }

    /**
     * A class with the changes in it.
     *
     * @param source finds the class files that the changes name
     * @param method the name of the method; a descriptor after it excludes overloads, a {@code *} after it includes the
     *     bodies of lambdas
     * @throws IllegalArgumentException a change does not fit; the message names it
     */
    public static byte[] changed(ClassLoader source, byte[] original, String method, List<CodeChange> changes) {
        ClassFiles files = new ClassFiles(source);
        ClassNode node = new ClassNode();
        new ClassReader(original).accept(node, ClassReader.SKIP_FRAMES);
        List<MethodNode> methods =
                node.methods.stream().filter(each -> isNamed(each, method)).toList();
        if (methods.isEmpty()) {
            throw new IllegalArgumentException("there is no method " + method);
        }
        for (CodeChange change : changes) {
            change.applyTo(new CodeEdits(files, node), methods);
        }
        ClassWriter writer = files.writer(ClassWriter.COMPUTE_FRAMES);
        node.accept(writer);
        return writer.toByteArray();
    }

    private static boolean isNamed(MethodNode method, String name) {
        return name.endsWith("*")
                ? method.name.startsWith(name.substring(0, name.length() - 1))
                : name.equals(method.name) || name.equals(method.name + method.desc);
    }

    private void applyTo(CodeEdits edits, List<MethodNode> methods) {
        try {
            Matcher places = PLACES.matcher(text);
            if (places.matches()) {
                apply(places.group(1), places.group(2), Integer.parseInt(places.group(3)), edits, methods);
            } else {
                apply(text, "all", 1, edits, methods);
            }
        } catch (IllegalArgumentException unfit) {
            throw new IllegalArgumentException("'" + text + "' does not apply: " + unfit.getMessage(), unfit);
        }
    }

    private void apply(String change, String which, int count, CodeEdits edits, List<MethodNode> methods) {
        for (Word word : WORDS) {
            Matcher matcher = word.pattern.matcher(change);
            if (matcher.matches()) {
                List<CodeSite> sites = word.sites.find(methods, matcher);
                if (sites.size() != count) {
                    throw new IllegalArgumentException(
                            "it expects places=" + count + ", but there are places=" + sites.size());
                }
                List<CodeSite> chosen = which.equals("all") ? sites : List.of(sites.get(numberOf(which) - 1));
                chosen.forEach(site -> word.edit.apply(edits, site, matcher));
                return;
            }
        }
        throw new IllegalArgumentException("it is not in the vocabulary");
    }

    private static int numberOf(String which) {
        return Integer.parseInt(which.substring(0, which.indexOf(' ')));
    }

    private interface Sites {
        List<CodeSite> find(List<MethodNode> methods, Matcher words);
    }

    private interface Edit {
        void apply(CodeEdits edits, CodeSite site, Matcher words);
    }

    /** A word of the vocabulary: its pattern, its places in the code, and its effect there. */
    private record Word(Pattern pattern, Sites sites, Edit edit) {
        Word(String pattern, Sites sites, Edit edit) {
            this(Pattern.compile(pattern.replace("CALL", NAME).replace("FIELD", NAME)), sites, edit);
        }

        static Word ofCall(String pattern, Edit edit) {
            return ofCall(pattern, 1, edit);
        }

        static Word ofCall(String pattern, int group, Edit edit) {
            return new Word(pattern, (methods, words) -> CodeSite.calls(methods, words.group(group)), edit);
        }
    }
}
