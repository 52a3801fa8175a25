package abrunner.tomcattuning;

import java.lang.management.ManagementFactory;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** What Tomcat's MBeans tell of its one connector, asked in this process: no port is opened for them. */
final class ConnectorBeans {
    private static final String PROCESSOR_NAME = "HttpRequest";

    private final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    private final ObjectName processors = name("Catalina:type=RequestProcessor,*");
    private final ObjectName pools = name("Catalina:type=ThreadPool,name=*");
    private final ObjectName protocols = name("Catalina:type=ProtocolHandler,*");
    private final ObjectName server = name("Catalina:type=Server");
    private long created;

    /** Whether Tomcat has not stopped yet. */
    boolean exists() {
        return beans.isRegistered(server);
    }

    /** Whether the connector answers. */
    boolean runs() {
        try {
            return (Boolean) beans.getAttribute(only(pools), "running");
        } catch (JMException gone) {
            return false;
        }
    }

    /** The settings that are in force. */
    String settings() throws JMException {
        ObjectName pool = only(pools);
        ObjectName protocol = only(protocols);
        return "connector:"
                + " acceptCount " + beans.getAttribute(pool, "backlog")
                + ", maxConnections " + beans.getAttribute(pool, "maxConnections")
                + ", maxThreads " + beans.getAttribute(pool, "maxThreads")
                + ", minSpareThreads " + beans.getAttribute(pool, "minSpareThreads")
                + ", processorCache " + beans.getAttribute(protocol, "processorCache")
                + ", compression " + beans.getAttribute(protocol, "compression")
                + ", maxKeepAliveRequests " + beans.getAttribute(protocol, "maxKeepAliveRequests");
    }

    /**
     * How many request processors there are, how many were ever created, and how many threads the pool has. Tomcat numbers
     * the processors, so the highest number seen tells how many there were: at least, as the newest may be gone already.
     */
    String counts() throws JMException {
        Set<ObjectName> present = beans.queryNames(processors, null);
        for (ObjectName processor : present) {
            String number = processor.getKeyProperty("name").substring(PROCESSOR_NAME.length());
            created = Math.max(created, Long.parseLong(number));
        }
        return "processors " + present.size() + ", created " + created
                + ", threads " + beans.getAttribute(only(pools), "currentThreadCount");
    }

    private ObjectName only(ObjectName pattern) throws JMException {
        Set<ObjectName> names = beans.queryNames(pattern, null);
        if (names.size() != 1) {
            throw new JMException(names.size() + " MBeans are " + pattern);
        }
        return names.iterator().next();
    }

    private static ObjectName name(String name) {
        try {
            return new ObjectName(name);
        } catch (JMException broken) {
            throw new IllegalArgumentException(broken);
        }
    }
}
