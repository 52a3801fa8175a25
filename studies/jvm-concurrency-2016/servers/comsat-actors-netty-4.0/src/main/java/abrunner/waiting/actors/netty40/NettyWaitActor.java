package abrunner.waiting.actors.netty40;

import abrunner.waiting.actors.WaitActor;
import co.paralleluniverse.comsat.webactors.WebActor;

/** The one class on this class path that Comsat finds by its annotation. */
@WebActor(httpUrlPatterns = WaitActor.PATTERN)
public final class NettyWaitActor extends WaitActor {
    private static final long serialVersionUID = 1L;
}
