package io.tallystick.spring.boot.it;

import io.tallystick.narayana.night.Night;
import java.nio.file.Path;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The bank, which has a bad night. */
@SpringBootConfiguration
@Import({BankApplication.class, NightApplication.NightController.class})
public class NightApplication {
    static final String RESOURCES = "resources";

    /** Runs it in a process of its own. */
    public static void main(String[] arguments) {
        SpringApplication.run(NightApplication.class, arguments);
    }

    /** What a test asks the application over HTTP. */
    @RestController
    static class NightController {
        private final Path resources;

        NightController(@Value("${bank.directory}") Path directory) {
            this.resources = directory.resolve(RESOURCES);
        }

        @PostMapping("/night")
        String night() throws Exception {
            return String.join("\n", Night.fall(resources));
        }

        @PostMapping("/night/imported")
        void commitImported() throws Exception {
            Night.commitImported(resources);
        }
    }
}
