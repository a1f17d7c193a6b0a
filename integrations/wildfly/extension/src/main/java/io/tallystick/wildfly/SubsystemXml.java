package io.tallystick.wildfly;

import java.util.List;
import javax.xml.stream.XMLStreamException;
import org.jboss.as.controller.AttributeDefinition;
import org.jboss.as.controller.PathAddress;
import org.jboss.as.controller.operations.common.Util;
import org.jboss.as.controller.parsing.ParseUtils;
import org.jboss.as.controller.persistence.SubsystemMarshallingContext;
import org.jboss.dmr.ModelNode;
import org.jboss.dmr.Property;
import org.jboss.staxmapper.XMLElementReader;
import org.jboss.staxmapper.XMLElementWriter;
import org.jboss.staxmapper.XMLExtendedStreamReader;
import org.jboss.staxmapper.XMLExtendedStreamWriter;

/**
 * The subsystem in {@code standalone.xml}:
 *
 * <pre>{@code
 * <subsystem xmlns="urn:tallystick:1.0" directory="tallystick" node-id="shop-1">
 *     <option name="tallystick.on-unknown-outcome" value="halt"/>
 * </subsystem>
 * }</pre>
 */
final class SubsystemXml implements XMLElementReader<List<ModelNode>>, XMLElementWriter<SubsystemMarshallingContext> {
    static final String NAMESPACE = "urn:tallystick:1.0";

    private static final String OPTION = "option";
    private static final String NAME = "name";
    private static final String VALUE = "value";

    @Override
    public void readElement(XMLExtendedStreamReader reader, List<ModelNode> operations) throws XMLStreamException {
        ModelNode add = Util.createAddOperation(PathAddress.pathAddress(SubsystemDefinition.PATH));
        for (int i = 0; i < reader.getAttributeCount(); i++) {
            attributeOf(reader, i)
                    .getParser()
                    .parseAndSetParameter(attributeOf(reader, i), reader.getAttributeValue(i), add, reader);
        }
        ModelNode options = new ModelNode();
        while (reader.hasNext() && reader.nextTag() != XMLExtendedStreamReader.END_ELEMENT) {
            if (!reader.getLocalName().equals(OPTION)) {
                throw ParseUtils.unexpectedElement(reader);
            }
            String[] pair = ParseUtils.requireAttributes(reader, NAME, VALUE);
            ParseUtils.requireNoContent(reader);
            options.get(pair[0]).set(ParseUtils.parsePossibleExpression(pair[1]));
        }
        if (options.isDefined()) {
            add.get(SubsystemDefinition.OPTIONS.getName()).set(options);
        }
        operations.add(add);
    }

    @Override
    public void writeContent(XMLExtendedStreamWriter writer, SubsystemMarshallingContext context)
            throws XMLStreamException {
        ModelNode model = context.getModelNode();
        context.startSubsystemElement(NAMESPACE, false);
        for (AttributeDefinition attribute : SubsystemDefinition.XML_ATTRIBUTES) {
            attribute.getMarshaller().marshallAsAttribute(attribute, model, false, writer);
        }
        ModelNode options = model.get(SubsystemDefinition.OPTIONS.getName());
        if (options.isDefined()) {
            for (Property option : options.asPropertyList()) {
                writer.writeEmptyElement(OPTION);
                writer.writeAttribute(NAME, option.getName());
                writer.writeAttribute(VALUE, option.getValue().asString());
            }
        }
        writer.writeEndElement();
    }

    private static AttributeDefinition attributeOf(XMLExtendedStreamReader reader, int index)
            throws XMLStreamException {
        return SubsystemDefinition.XML_ATTRIBUTES.stream()
                .filter(attribute -> attribute.getXmlName().equals(reader.getAttributeLocalName(index)))
                .findFirst()
                .orElseThrow(() -> ParseUtils.unexpectedAttribute(reader, index));
    }
}
