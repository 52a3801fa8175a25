#define _GNU_SOURCE
#include "answers.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LARGE = 16 * 1024,   // from here on a body is worth a call of its own
    MAX_TOTAL = 1 << 30, // a folder with more than this was not meant
    MAX_FOLDERS_OPEN = 16,
};

struct page bad_request, not_found, not_allowed;
int bodies;

static struct page *pages;
static size_t page_count, total, bodies_length;
static size_t folder_length; // nftw has no place for what its callback needs

_Noreturn void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("ceiling: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(2);
}

static void *allocate(size_t size) {
    void *memory = malloc(size);
    if (!memory) fail("out of memory");
    return memory;
}

size_t write_head(char *to, size_t size, const char *status, const char *type, bool keep, size_t body) {
    int length = snprintf(to, size, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: %s\r\n\r\n",
                          status, type, body, keep ? "keep-alive" : "close");
    return (size_t)length;
}

// Head and body in one piece, so that one call sends both; only the head of what is large.
static struct answer make_answer(const char *status, const char *type, bool keep, const char *body, size_t length) {
    char head[256];
    size_t head_length = write_head(head, sizeof head, status, type, keep, length);
    if (length >= LARGE) length = 0;
    char *bytes = allocate(head_length + length);
    memcpy(bytes, head, head_length);
    memcpy(bytes + head_length, body, length);
    return (struct answer){bytes, head_length, head_length + length};
}

static void add_body(struct page *page, const char *body, size_t length) {
    page->offset = bodies_length;
    page->large = length;
    bodies_length += length;
    for (size_t done = 0; done < length;) {
        ssize_t count = write(bodies, body + done, length - done);
        if (count < 0) fail("cannot keep files in memory: %s", strerror(errno));
        done += (size_t)count;
    }
}

static struct page make_page(const char *path, const char *status, const char *type, const char *body, size_t length) {
    struct page page = {.path = path,
                        .path_length = path ? strlen(path) : 0,
                        .close = make_answer(status, type, false, body, length),
                        .keep = make_answer(status, type, true, body, length)};
    if (length >= LARGE) add_body(&page, body, length);
    return page;
}

static struct page make_error(const char *status) {
    char body[64];
    int length = snprintf(body, sizeof body, "%.*s\n", (int)strcspn(status, "\r"), status);
    return make_page(NULL, status, "text/plain", body, (size_t)length);
}

static char *read_file(const char *name, size_t length) {
    char *bytes = allocate(length + 1); // one more, as malloc may answer NULL to 0
    int file = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) fail("cannot read %s: %s", name, strerror(errno));
    for (size_t done = 0; done < length;) {
        ssize_t count = read(file, bytes + done, length - done);
        if (count < 0) fail("cannot read %s: %s", name, strerror(errno));
        if (count == 0) fail("%s became shorter while it was read", name);
        done += (size_t)count;
    }
    close(file);
    return bytes;
}

static const char *type_of(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".html") == 0 ? "text/html" : "application/octet-stream";
}

static void add_page(const char *path, const char *type, const char *body, size_t length) {
    pages = realloc(pages, (page_count + 1) * sizeof *pages);
    char *kept = strdup(path);
    if (!pages || !kept) fail("out of memory");
    pages[page_count++] = make_page(kept, "200 OK", type, body, length);
}

// nftw calls this for everything below the folder. Links are not followed: what they name may lie outside.
static int add_file(const char *name, const struct stat *facts, int kind, struct FTW *place) {
    (void)place;
    if (kind == FTW_DNR || kind == FTW_NS) fail("cannot read %s", name);
    if (kind != FTW_F || !S_ISREG(facts->st_mode)) return 0;
    size_t length = (size_t)facts->st_size;
    if (length > MAX_TOTAL - total) fail("DOCROOT has more than %d bytes", MAX_TOTAL);
    total += length;
    char *body = read_file(name, length);
    add_page(name + folder_length, type_of(name), body, length);
    free(body);
    return 0;
}

static void add_constants(const char *text) {
    char *lines = strdup(text);
    if (!lines) fail("out of memory");
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
        char *body = strchr(line, ' ');
        if (line[0] != '/' || !body) fail("CONSTANTS: a line is a path, a space and a text, not '%s'", line);
        *body++ = '\0';
        add_page(line, "text/plain", body, strlen(body));
    }
    free(lines);
}

// As strcmp orders them; a path that was asked for may hold any byte.
static int compare(const char *left, size_t left_length, const char *right, size_t right_length) {
    int order = memcmp(left, right, left_length < right_length ? left_length : right_length);
    return order ? order : (left_length > right_length) - (left_length < right_length);
}

static int by_path(const void *left, const void *right) {
    const struct page *a = left, *b = right;
    return compare(a->path, a->path_length, b->path, b->path_length);
}

void make_answers(const char *folder, const char *constants) {
    bad_request = make_error("400 Bad Request");
    not_found = make_error("404 Not Found");
    not_allowed = make_error("405 Method Not Allowed\r\nAllow: GET, HEAD");
    if ((bodies = memfd_create("bodies", MFD_CLOEXEC)) < 0) fail("memfd_create: %s", strerror(errno));
    char *real = realpath(folder, NULL);
    struct stat facts;
    if (!real || stat(real, &facts) != 0 || !S_ISDIR(facts.st_mode))
        fail("DOCROOT is not a readable folder: '%s'", folder);
    folder_length = strcmp(real, "/") == 0 ? 0 : strlen(real);
    if (nftw(real, add_file, MAX_FOLDERS_OPEN, FTW_PHYS) != 0) fail("cannot read %s: %s", folder, strerror(errno));
    if (constants) add_constants(constants);
    if (page_count) qsort(pages, page_count, sizeof *pages, by_path);
    free(real);
}

const struct page *find_page(const char *path, size_t length) {
    size_t low = 0, high = page_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare(path, length, pages[middle].path, pages[middle].path_length);
        if (order == 0) return &pages[middle];
        if (order > 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}
