package io.tallystick.store.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizeTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "4096, 4096",
        "4096b, 4096",
        "64k, 65536",
        "64K, 65536",
        "64kb, 65536",
        "64KiB, 65536",
        "64kib, 65536",
        "1m, 1048576",
        "1MiB, 1048576",
        "1 MiB, 1048576",
        "2g, 2147483648",
        "2GiB, 2147483648",
        "1t, 1099511627776",
        "8388607t, 9223370937343148032"
    })
    void sizesAreReadWithTheirUnits(String text, long bytes) {
        assertThat(SizeText.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "b",
                "k",
                "KiB",
                "ib",
                "64ib",
                "1.5m",
                "1,5m",
                "-1",
                "-1k",
                "m1",
                "64kk",
                "64 k b",
                "64q",
                "0x10",
                "ten",
                "8388608t",
                "9223372036854775808",
                "1e3",
                "\u0663k\u0663"
            })
    void whatIsNoSizeIsRefused(String text) {
        assertThatThrownBy(() -> SizeText.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("not a size such as 64MiB");
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1000, 1000", "1024, 1KiB", "1536, 1536", "65536, 64KiB", "1048576, 1MiB", "1073741824, 1GiB"})
    void sizesAreWrittenInTheLargestUnitThatIsExact(long bytes, String text) {
        assertThat(SizeText.format(bytes)).isEqualTo(text);
        assertThat(SizeText.parse(text)).isEqualTo(bytes);
    }
}
