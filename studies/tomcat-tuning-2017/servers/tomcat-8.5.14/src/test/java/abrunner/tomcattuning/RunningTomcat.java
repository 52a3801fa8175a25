package abrunner.tomcattuning;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The program in a process of its own, as it runs in a container. */
final class RunningTomcat implements AutoCloseable {
    static final Path HOME = Path.of("target/lib/apache-tomcat-8.5.14").toAbsolutePath();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final int port;
    private final Path folder;

    /** Starts it; the folder is its folder for temporary files. */
    RunningTomcat(Path folder, Map<String, String> environment) throws IOException {
        this(folder, freePort(), environment);
    }

    RunningTomcat(Path folder, int port, Map<String, String> environment) throws IOException {
        this.folder = folder;
        this.port = port;
        // Of the JDK that is to be tried, else of that which runs the tests.
        String java = System.getProperty("server.java", Path.of(System.getProperty("java.home"), "bin/java").toString());
        String classPath = String.join(File.pathSeparator, Path.of("target/classes").toAbsolutePath().toString(),
                HOME.resolve("bin/bootstrap.jar").toString(), HOME.resolve("bin/tomcat-juli.jar").toString());
        ProcessBuilder builder = new ProcessBuilder(java, "-Djava.io.tmpdir=" + folder, "-cp", classPath,
                "abrunner.tomcattuning.Main");
        builder.environment().clear();
        builder.environment().put("ADDRESS", "127.0.0.1");
        builder.environment().put("PORT", Integer.toString(port));
        builder.environment().putAll(environment);
        builder.redirectOutput(folder.resolve("out").toFile()).redirectError(folder.resolve("err").toFile());
        process = builder.start();
    }

    /** Below those that the kernel gives to clients, one of which could get it before the server starts. */
    private static int freePort() throws IOException {
        while (true) {
            try (ServerSocket socket = new ServerSocket(ThreadLocalRandom.current().nextInt(20_000, 32_768))) {
                return socket.getLocalPort();
            } catch (BindException taken) {
                // Another one, then.
            }
        }
    }

    /** Waits until it has said that it is ready, its settings and its first counts. */
    RunningTomcat awaitReady() throws IOException, InterruptedException {
        awaitOutput(lines -> lines.size() >= 3 && lines.get(0).equals("ready on port " + port));
        return this;
    }

    /** Waits until its output is as wanted, and returns it. */
    List<String> awaitOutput(Predicate<List<String>> wanted) throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (process.isAlive() && System.nanoTime() - start < PATIENCE.toNanos()) {
            List<String> lines = output();
            if (wanted.test(lines)) {
                return lines;
            }
            Thread.sleep(20);
        }
        throw new AssertionError("output: " + output() + "\nerrors:\n" + errors());
    }

    void awaitLastLine(String line) throws IOException, InterruptedException {
        awaitOutput(lines -> !lines.isEmpty() && lines.get(lines.size() - 1).equals(line));
    }

    List<String> output() throws IOException {
        return Files.readAllLines(folder.resolve("out"));
    }

    String errors() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    int port() {
        return port;
    }

    /** What CATALINA_BASE is: the only folder among its temporary files that it made for itself. */
    List<Path> bases() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("tomcat-")).toList();
        }
    }

    HttpResponse<byte[]> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(PATIENCE);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()
                .send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
        socket.setSoTimeout((int) PATIENCE.toMillis());
        return socket;
    }

    static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Reads one answer in chunks, and returns its head. */
    static String readAnswer(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        String head = readUntil(in, "\r\n\r\n");
        int size;
        do {
            size = Integer.parseInt(readUntil(in, "\r\n").trim(), 16);
            in.readNBytes(size);
            readUntil(in, "\r\n");
        } while (size > 0);
        return head;
    }

    private static String readUntil(InputStream in, String end) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.length() < end.length() || !read.substring(read.length() - end.length()).equals(end)) {
            int octet = in.read();
            if (octet < 0) {
                throw new IOException("closed after " + read);
            }
            read.append((char) octet);
        }
        return read.toString();
    }

    /** The local ports that the process listens on, by its open files and the kernel's table of sockets. */
    List<Integer> listeningPorts() throws IOException {
        List<String> sockets = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
            for (Path file : files.toList()) {
                if (Files.isSymbolicLink(file)) {
                    sockets.add(Files.readSymbolicLink(file).toString());
                }
            }
        }
        List<Integer> ports = new ArrayList<>();
        for (String table : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "net", table))) {
                // Number, local address, remote address, state (0A: it listens), …, inode as the tenth.
                String[] fields = line.trim().split(" +");
                if (fields[3].equals("0A") && sockets.contains("socket:[" + fields[9] + "]")) {
                    ports.add(Integer.parseInt(fields[1].substring(fields[1].lastIndexOf(':') + 1), 16));
                }
            }
        }
        return ports;
    }

    /** Waits until it has ended by itself, and returns its exit code. */
    int awaitEnd() throws InterruptedException {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("it does not end");
        }
        return process.exitValue();
    }

    /** Stops it as a container is stopped, and returns how long that takes. */
    Duration stop() throws InterruptedException {
        long start = System.nanoTime();
        process.destroy();
        awaitEnd();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
