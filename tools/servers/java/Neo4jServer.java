import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.graphdb.GraphDatabaseService;

/** Neo4j Community as one process: the home folder and a neo4j.conf as arguments, the password in the environment. */
public final class Neo4jServer {
    public static void main(String[] args) {
        DatabaseManagementService dbms = new DatabaseManagementServiceBuilder(Path.of(args[0]))
                .loadPropertiesFromFile(Path.of(args[1]))
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(dbms::shutdown));
        try {
            setPassword(dbms.database(GraphDatabaseSettings.SYSTEM_DATABASE_NAME), System.getenv("NEO4J_PASSWORD"));
        } catch (RuntimeException e) {
            e.printStackTrace();
            System.exit(1);
        }
        System.out.println("Neo4j is ready.");
    }

    /** By way of another one: on a restart the password is set already, and Neo4j refuses to set the same again. */
    private static void setPassword(GraphDatabaseService system, String password) {
        for (String next : List.of(UUID.randomUUID().toString(), password)) {
            system.executeTransactionally(
                    "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED", Map.of("password", next));
        }
    }
}
