package abrunner.grizzly4;

/** Where heads are echoed: at the transport, or by a handler behind Grizzly's HTTP codec. */
enum Echo {
    RAW, HTTP
}
