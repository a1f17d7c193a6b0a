package io.tallystick.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Each link of a page to another one, and to a chapter, leads somewhere: pages are moved, and chapters are renamed. */
class LinksTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.*)$");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

    private final Project project = Project.here();

    @Test
    void everyLinkLeadsSomewhere() throws Exception {
        List<TextFile> pages = project.texts().stream()
                .filter(text -> text.path().endsWith(".md"))
                .toList();
        List<String> lost = new ArrayList<>();
        int links = 0;
        for (TextFile page : pages) {
            Matcher link = LINK.matcher(CODE.matcher(page.text()).replaceAll(""));
            while (link.find()) {
                links++;
                if (!ELSEWHERE.matcher(link.group(1)).matches() && !leadsSomewhere(page, link.group(1))) {
                    lost.add(page.path() + ": " + link.group(1));
                }
            }
        }
        assertThat(links).isGreaterThan(300);
        assertThat(lost).isEmpty();
    }

    @Test
    void aMissingPageAndAMissingChapterAreFound() throws Exception {
        TextFile page = new TextFile("docs/faq.md", "# One chapter\n");

        assertThat(leadsSomewhere(page, "README.md")).isTrue();
        assertThat(leadsSomewhere(page, "../README.md")).isTrue();
        assertThat(leadsSomewhere(page, "#one-chapter")).isTrue();
        assertThat(leadsSomewhere(page, "#another-chapter")).isFalse();
        assertThat(leadsSomewhere(page, "nowhere.md")).isFalse();
        assertThat(leadsSomewhere(page, "README.md#nowhere")).isFalse();
    }

    private boolean leadsSomewhere(TextFile page, String link) throws Exception {
        int sharp = link.indexOf('#');
        String path = sharp < 0 ? link : link.substring(0, sharp);
        Path target = path.isEmpty()
                ? null
                : project.root().resolve(page.path()).resolveSibling(path).normalize();
        if (target != null && !Files.exists(target)) {
            return false;
        }
        if (sharp < 0 || target != null && !path.endsWith(".md")) {
            return true;
        }
        String text = target == null ? page.text() : Files.readString(target);
        return HEADING.matcher(CODE.matcher(text).replaceAll("")).results().anyMatch(heading -> anchor(heading.group(1))
                .equals(link.substring(sharp + 1)));
    }

    /** The name that the hosts of such pages give a chapter. */
    private static String anchor(String heading) {
        return heading.strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                .replaceAll("[^\\w\\- ]", "")
                .replace(' ', '-');
    }
}
