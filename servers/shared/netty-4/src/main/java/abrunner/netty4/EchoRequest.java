package abrunner.netty4;

/** A request for its own head. */
final class EchoRequest {
    private final byte[] head;
    private final boolean keepsAlive;

    EchoRequest(byte[] head, boolean keepsAlive) {
        this.head = head;
        this.keepsAlive = keepsAlive;
    }

    byte[] head() {
        return head;
    }

    boolean keepsAlive() {
        return keepsAlive;
    }
}
