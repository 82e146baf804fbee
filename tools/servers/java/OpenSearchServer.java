import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.opensearch.common.logging.LogConfigurator;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;

/**
 * One OpenSearch node: its home and config folders as arguments, then the classes of its modules and plugins.
 *
 * <p>OpenSearch's own launcher refuses to run as root and wants a class loader that Maven does not carry, so the
 * plugins are loaded from one class path, as OpenSearch's own test clusters do.
 */
public final class OpenSearchServer extends Node {
    private OpenSearchServer(Environment environment, Collection<Class<? extends Plugin>> plugins) {
        super(environment, plugins, true);
    }

    public static void main(String[] args) throws Exception {
        Settings home = Settings.builder().put("path.home", args[0]).build();
        Environment environment =
                InternalSettingsPreparer.prepareEnvironment(home, Map.of(), Path.of(args[1]), () -> "monitor");
        LogConfigurator.setNodeName("monitor");
        LogConfigurator.configure(environment);
        List<Class<? extends Plugin>> plugins = new ArrayList<>();
        for (int i = 2; i < args.length; i++) {
            plugins.add(Class.forName(args[i]).asSubclass(Plugin.class));
        }
        Node node = new OpenSearchServer(environment, plugins);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (Exception e) {
                e.printStackTrace();
            } finally {
                stopped.countDown();
            }
        }));
        node.start();
        stopped.await();
    }
}
