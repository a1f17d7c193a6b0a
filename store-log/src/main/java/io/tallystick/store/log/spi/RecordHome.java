package io.tallystick.store.log.spi;

/** The place of records in an engine: a segment, or a file. Each engine has one class of it. */
public interface RecordHome {}
