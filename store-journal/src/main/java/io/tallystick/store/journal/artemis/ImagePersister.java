package io.tallystick.store.journal.artemis;

import io.tallystick.store.journal.engine.Append;
import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.core.persistence.CoreMessageObjectPools;
import org.apache.activemq.artemis.core.persistence.Persister;

/** Hands the bytes of an append to the Artemis journal. */
final class ImagePersister implements Persister<Append> {
    @Override
    public byte getID() {
        return ArtemisFormat.IMAGE_TYPE;
    }

    @Override
    public int getEncodeSize(Append append) {
        return append.recordLength();
    }

    @Override
    public void encode(ActiveMQBuffer buffer, Append append) {
        buffer.writeBytes(append.record());
    }

    @Override
    public Append decode(ActiveMQBuffer buffer, Append append, CoreMessageObjectPools pools) {
        throw new UnsupportedOperationException("images are decoded by RecordDecoder");
    }
}
