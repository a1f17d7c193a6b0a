package org.example.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process ends between the commits of two databases, and the next one finishes the transaction. */
class BankTest {
    @TempDir
    Path directory;

    @Test
    void aTransactionIsRecovered() throws Exception {
        run(137, "halt");
        String printed = run(0);
        assertTrue(printed.contains("orders=1 stock=1"), printed);
        assertTrue(printed.contains("TALLY0001 store opened: journal"), printed);
    }

    private String run(int status, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", System.getProperty("java.class.path"), Bank.class.getName()));
        command.addAll(List.of(arguments));
        File output = directory.resolve("output").toFile();
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        boolean hasEnded = process.waitFor(180, TimeUnit.SECONDS);
        process.destroyForcibly();
        String printed = Files.readString(output.toPath());
        assertTrue(hasEnded, printed);
        assertEquals(status, process.exitValue(), printed);
        return printed;
    }
}
