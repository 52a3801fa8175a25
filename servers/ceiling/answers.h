// Everything that this server can say, made before the first request comes.
#ifndef ANSWERS_H
#define ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

// An answer's bytes as they go over the wire, for a connection that is closed after it or for one that stays.
struct answer {
    const char *bytes;
    size_t head; // a HEAD request gets only these
    size_t length;
};

struct page {
    const char *path;
    size_t path_length;
    struct answer close, keep;
    // The body of a large file is not in its answers but in `bodies`, a file in memory: sendfile copies nothing.
    size_t offset, large;
};

extern struct page bad_request, not_found, not_allowed;
extern int bodies;

// Reads all files below the folder and makes the answers; ends the program where that fails. `constants` are answers
// that lie in no file, a line for each: its path, a space and its text; NULL without any.
void make_answers(const char *folder, const char *constants);

// The file of that path, or NULL.
const struct page *find_page(const char *path, size_t length);

// Writes the head of an answer, with what stands for its last header lines; returns its length.
size_t write_head(char *to, size_t size, const char *status, const char *type, bool keep, size_t body);

// Says why in one line and ends the program.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
