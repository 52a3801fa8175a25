package abrunner.waiting.actors.undertow13;

import abrunner.harness.Launcher;
import abrunner.waiting.FirstRequest;
import abrunner.waiting.undertow13.UndertowServer;
import co.paralleluniverse.comsat.webactors.undertow.AutoWebActorHandler;

/** Undertow 1.3 with an actor for each request. */
public final class ActorUndertowMain {
    private ActorUndertowMain() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        Launcher.launch(FirstRequest.after(settings -> new UndertowServer(settings, new AutoWebActorHandler())));
    }
}
