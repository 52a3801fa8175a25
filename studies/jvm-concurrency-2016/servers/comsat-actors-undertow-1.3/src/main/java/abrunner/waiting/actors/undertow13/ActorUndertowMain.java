package abrunner.waiting.actors.undertow13;

import abrunner.waiting.Launcher;
import abrunner.waiting.undertow13.UndertowServer;
import co.paralleluniverse.comsat.webactors.undertow.AutoWebActorHandler;

/** Undertow 1.3 with an actor for each request. */
public final class ActorUndertowMain {
    private static final int PUBLISHED_THREADS = 100;

    private ActorUndertowMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(settings -> new UndertowServer(settings, PUBLISHED_THREADS, new AutoWebActorHandler()));
    }
}
