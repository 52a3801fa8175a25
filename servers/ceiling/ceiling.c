// The reference that tells what the machine does: one thread, epoll, answers prepared.
//
// It does what HTTP asks of a server of a few static files, and nothing else: no log, no Date, no time limits. Four
// calls serve a request with a connection of its own (accept, recv, send, close), two a request on a connection that
// stays (recv, send), and epoll is asked only about connections that have nothing to say at once.
#define _GNU_SOURCE
#include "answers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    MAX_HEAD = 16 * 1024, // a longer one ends the connection
    EVENTS = 512,         // taken from epoll at a time
    ACCEPTS = 64,         // accepted at a time, so that a flood of new connections does not starve the others
};

struct connection {
    int socket;
    uint32_t watched;      // what epoll waits for; 0 while it does not know the socket
    bool answering, keep;  // is `out` the answer to the head in front of `in`; does the connection stay after it?
    size_t head;           // length of that head
    size_t filled;         // bytes in `in`
    size_t searched;       // of which these hold no end of a head
    struct iovec out[2];   // what is still to be sent from memory
    off_t offset;          // and after it, from `bodies`
    size_t large;
    struct connection *next_free;
    char echo[160];        // the head of an echo's answer; its body is the request's head itself
    char in[MAX_HEAD];
};

struct request {
    const char *path;
    size_t path_length;
    bool head_only, keep;
    const struct page *error; // what to answer if the request is none
};

static int epoll, listener;
static bool accepting;
static struct connection *free_connections;

// --- requests

static bool starts_with(const char *text, const char *end, const char *prefix) {
    size_t length = strlen(prefix);
    return (size_t)(end - text) >= length && strncasecmp(text, prefix, length) == 0;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Is the word one of those of a list such as `close, TE`?
static bool lists(const char *list, const char *end, const char *word) {
    size_t length = strlen(word);
    while (list < end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        const char *stop = comma ? comma : end;
        const char *last = stop;
        while (list < last && is_space(*list)) list++;
        while (list < last && is_space(last[-1])) last--;
        if ((size_t)(last - list) == length && strncasecmp(list, word, length) == 0) return true;
        list = stop + 1;
    }
    return false;
}

// What the header lines make of the connection; `keep` comes in as what the version says.
static bool stays(const char *line, const char *end, bool keep) {
    bool never = false;
    while (line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line)); // always there: the last line has one
        if (starts_with(line, stop, "connection:")) {
            never |= lists(line + 11, stop, "close");
            keep |= lists(line + 11, stop, "keep-alive");
        } else if (starts_with(line, stop, "content-length:") || starts_with(line, stop, "transfer-encoding:")) {
            never = true; // a body may follow; it is not read, and must not be taken for the next request
        }
        line = stop + 1;
    }
    return keep && !never;
}

// Of `http://host/path?query` and `/path?query` the path.
static void set_path(struct request *request, const char *target, const char *end) {
    if (starts_with(target, end, "http://")) {
        const char *slash = memchr(target + 7, '/', (size_t)(end - target) - 7);
        target = slash ? slash : end;
    }
    const char *query = memchr(target, '?', (size_t)(end - target));
    request->path = target;
    request->path_length = (size_t)((query ? query : end) - target);
}

static struct request understand(const char *head, size_t length) {
    const char *end = head + length - 2; // without the empty line
    const char *line_end = memchr(head, '\r', length);
    const char *space = memchr(head, ' ', (size_t)(line_end - head));
    struct request request = {.error = &bad_request};
    if (!space || line_end - space < (ptrdiff_t)sizeof " / HTTP/1.x" - 1 || line_end[1] != '\n') return request;
    const char *version = line_end - strlen("HTTP/1.x");
    if (version[-1] != ' ' || memcmp(version, "HTTP/1.", 7) != 0 || (version[7] != '0' && version[7] != '1')) return request;
    set_path(&request, space + 1, version - 1);
    request.head_only = starts_with(head, space + 1, "HEAD ");
    if (!request.head_only && !starts_with(head, space + 1, "GET ")) {
        request.error = &not_allowed;
        return request;
    }
    request.error = NULL;
    request.keep = stays(line_end + 2, end, version[7] == '1');
    return request;
}

// --- answers

static bool is_echo(const struct request *request) {
    return request->path_length == 5 && memcmp(request->path, "/echo", 5) == 0;
}

static void answer(struct connection *connection) {
    struct request request = understand(connection->in, connection->head);
    connection->answering = true;
    connection->keep = request.keep;
    if (!request.error && is_echo(&request)) {
        size_t length = write_head(connection->echo, sizeof connection->echo, "200 OK", "text/plain", request.keep,
                                   connection->head);
        connection->out[0] = (struct iovec){connection->echo, length};
        connection->out[1] = (struct iovec){connection->in, request.head_only ? 0 : connection->head};
        return;
    }
    const struct page *page = request.error ? request.error : find_page(request.path, request.path_length);
    if (!page) page = &not_found;
    const struct answer *chosen = request.keep ? &page->keep : &page->close;
    connection->out[0] = (struct iovec){(char *)chosen->bytes, request.head_only ? chosen->head : chosen->length};
    connection->out[1] = (struct iovec){NULL, 0};
    connection->offset = (off_t)page->offset;
    connection->large = request.head_only ? 0 : page->large;
}

// Answers the request in front of `in` if its head is there in full.
static bool answer_next(struct connection *connection) {
    size_t from = connection->searched < 3 ? 0 : connection->searched - 3;
    char *end = memmem(connection->in + from, connection->filled - from, "\r\n\r\n", 4);
    connection->searched = connection->filled;
    if (!end) return false;
    connection->head = (size_t)(end - connection->in) + 4;
    answer(connection);
    return true;
}

// Makes room for the next request, of which the beginning may be there.
static void forget_request(struct connection *connection) {
    connection->filled -= connection->head;
    memmove(connection->in, connection->in + connection->head, connection->filled);
    connection->searched = 0;
    connection->answering = false;
}

// --- connections

static struct connection *new_connection(int socket) {
    struct connection *connection = free_connections;
    if (connection) free_connections = connection->next_free;
    else if (!(connection = malloc(sizeof *connection))) return NULL;
    memset(connection, 0, offsetof(struct connection, echo));
    connection->socket = socket;
    return connection;
}

static void set_accepting(bool wanted) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll_ctl(epoll, wanted ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, listener, &event) != 0)
        fail("epoll_ctl: %s", strerror(errno));
    accepting = wanted;
}

static void drop(struct connection *connection) {
    close(connection->socket);
    connection->next_free = free_connections;
    free_connections = connection;
    if (!accepting) set_accepting(true); // there is a file descriptor again
}

static bool watch(struct connection *connection, uint32_t events) {
    if (connection->watched == events) return true;
    struct epoll_event event = {.events = events, .data.ptr = connection};
    int operation = connection->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    connection->watched = events;
    return epoll_ctl(epoll, operation, connection->socket, &event) == 0;
}

static bool would_block(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

static size_t unsent(const struct connection *connection) {
    return connection->out[0].iov_len + connection->out[1].iov_len + connection->large;
}

// Sends what it can; false when the connection is broken.
static bool send_out(struct connection *connection) {
    struct iovec *out = connection->out;
    while (out[0].iov_len + out[1].iov_len) {
        struct msghdr message = {.msg_iov = out, .msg_iovlen = out[1].iov_len ? 2 : 1};
        ssize_t sent = sendmsg(connection->socket, &message, connection->large ? MSG_MORE : 0);
        if (sent < 0) return would_block();
        for (int i = 0; i < 2; i++) {
            size_t part = (size_t)sent < out[i].iov_len ? (size_t)sent : out[i].iov_len;
            out[i].iov_base = (char *)out[i].iov_base + part;
            out[i].iov_len -= part;
            sent -= (ssize_t)part;
        }
    }
    while (connection->large) {
        ssize_t sent = sendfile(connection->socket, bodies, &connection->offset, connection->large);
        if (sent < 0) return would_block();
        connection->large -= (size_t)sent;
    }
    return true;
}

enum next { OVER, INPUT, OUTPUT };

// Does for a connection what can be done now, and says what to wait for. It is read from once, so that none can
// keep the others waiting: if there is more, epoll says so again.
static enum next advance(struct connection *connection) {
    for (bool may_read = true;;) {
        if (connection->answering) {
            if (!send_out(connection)) return OVER;
            if (unsent(connection)) return OUTPUT;
            if (!connection->keep) return OVER;
            forget_request(connection);
        }
        if (connection->filled && answer_next(connection)) continue;
        size_t room = MAX_HEAD - connection->filled;
        if (room == 0) return OVER;
        if (!may_read) return INPUT;
        ssize_t count = recv(connection->socket, connection->in + connection->filled, room, 0);
        if (count == 0 || (count < 0 && !would_block())) return OVER;
        if (count > 0) connection->filled += (size_t)count;
        may_read = false;
    }
}

static void serve(struct connection *connection) {
    enum next next = advance(connection);
    if (next == OVER || !watch(connection, next == INPUT ? EPOLLIN : EPOLLOUT)) drop(connection);
}

static void accept_some(void) {
    for (int i = 0; i < ACCEPTS; i++) {
        int socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0) {
            // Out of file descriptors: the rest wait in the backlog until one is free.
            if (errno == EMFILE) set_accepting(false);
            return;
        }
        struct connection *connection = new_connection(socket);
        if (connection) serve(connection); // its request is often there by now
        else close(socket);
    }
}

// --- start

static int number(const char *name, int standard, int most) {
    const char *text = getenv(name);
    if (!text || !*text) return standard;
    size_t digits = strspn(text, "0123456789");
    if (text[digits] || digits > 7 || *text == '0' || atoi(text) > most)
        fail("%s must be a whole number from 1 to %d, not '%s'", name, most, text);
    return atoi(text);
}

static void listen_on(int port, int backlog) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    const char *host = getenv("ADDRESS");
    int on = 1;
    if (host && inet_pton(AF_INET, host, &address.sin_addr) != 1) fail("ADDRESS must be an IPv4 address, not '%s'", host);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        // Accepted sockets take it from this one.
        setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
        bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, backlog) != 0)
        fail("cannot listen on port %d: %s", port, strerror(errno));
}

// As many connections as this process may have.
static void raise_open_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

// A handler of its own, since the first process of a container ignores the signal otherwise.
static void stop(int signal) {
    (void)signal;
    _exit(0);
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "--version") == 0) {
        puts("ceiling 1, built by cc " __VERSION__);
        return 0;
    }
    if (count > 1) fail("takes no arguments but --version; its settings are ADDRESS, PORT, DOCROOT, BACKLOG and CONSTANTS");
    signal(SIGTERM, stop);
    signal(SIGINT, stop);
    signal(SIGPIPE, SIG_IGN); // who hangs up while it is sent to is dropped
    raise_open_files();
    int port = number("PORT", 8080, 65535), backlog = number("BACKLOG", 10000, 1000000);
    const char *folder = getenv("DOCROOT");
    make_answers(folder && *folder ? folder : "/srv/www", getenv("CONSTANTS"));
    listen_on(port, backlog);
    if ((epoll = epoll_create1(EPOLL_CLOEXEC)) < 0) fail("epoll_create1: %s", strerror(errno));
    set_accepting(true);
    printf("ready on port %d\n", port);
    fflush(stdout);

    struct epoll_event events[EVENTS];
    for (;;) {
        int ready = epoll_wait(epoll, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            if (connection) serve(connection);
            else accept_some();
        }
    }
}
