package io.tallystick.store.log.spi;

/** What holds records in an engine: a segment, or a file. Each engine has one class of it, and puts in no other. */
public interface RecordHome {}
