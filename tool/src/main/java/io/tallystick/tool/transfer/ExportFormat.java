package io.tallystick.tool.transfer;

/** Names in an export: JSON objects, one a line. docs/format/export-v1.md is the authority. */
final class ExportFormat {
    static final int VERSION = 1;

    /** Header: the version. */
    static final String EXPORT = "tallystick-export";
    /** Header: the name of the store and its format. */
    static final String KIND = "kind";
    /** Header: the store's unique id. */
    static final String STORE = "store";

    /** Record: the type name. */
    static final String TYPE = "type";
    /** Record: the id, hexadecimal digits. */
    static final String ID = "id";
    /** Record: the committed value, Base64; left out if there is none. */
    static final String COMMITTED = "committed";
    /** Record: the shadow value, Base64; left out if there is none. */
    static final String SHADOW = "shadow";
    /** Record: true for a hidden key, otherwise left out. */
    static final String HIDDEN = "hidden";

    /** Closing line: the number of records. */
    static final String RECORDS = "records";
    /** Closing line: CRC32C of all lines before it with their line feeds, eight hexadecimal digits. */
    static final String CHECKSUM = "crc32c";

    private ExportFormat() {}
}
