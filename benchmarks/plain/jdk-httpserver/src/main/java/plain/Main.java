package plain;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** After the description of the package com.sun.net.httpserver in the JDK's API documentation. */
public final class Main {
    public static void main(String[] arguments) throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(
                new InetSocketAddress(System.getenv("ADDRESS"), Integer.parseInt(System.getenv("PORT"))), 1000);
        server.createContext("/", exchange -> {
            byte[] content = Files.readAllBytes(Path.of(System.getenv("DOCROOT") + exchange.getRequestURI()));
            exchange.sendResponseHeaders(200, content.length);
            try (OutputStream body = exchange.getResponseBody()) {
                body.write(content);
            }
        });
        server.start();
    }
}
