import java.nio.file.Path;
import java.util.Map;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/** Neo4j Community as one process: the home folder and a neo4j.conf as arguments, the password in the environment. */
public final class Neo4jServer {
    public static void main(String[] args) {
        DatabaseManagementService dbms = new DatabaseManagementServiceBuilder(Path.of(args[0]))
                .loadPropertiesFromFile(Path.of(args[1]))
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(dbms::shutdown));
        dbms.database(GraphDatabaseSettings.SYSTEM_DATABASE_NAME).executeTransactionally(
                "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED",
                Map.of("password", System.getenv("NEO4J_PASSWORD")));
        System.out.println("Neo4j is ready.");
    }
}
