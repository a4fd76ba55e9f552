/* Picks at random, in any game. C99 and its standard library.

   No JSON library: a line is scanned from left to right, as `arena docs protocol` allows. It has no spaces between
   values, `type` is first, and all that is needed stands before `options`, so most of a long line is never looked at. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *line;
static uint64_t state;

static void *grown(void *block, size_t bytes)
{
    if ((block = realloc(block, bytes)) == NULL)
        abort();
    return block;
}

/* Reads a line of any length into `line`; 0 at the end of input. */
static int read_line(void)
{
    static size_t room;
    size_t length = 0;
    for (;;) {
        if (room - length < 2)
            line = grown(line, room = room ? 2 * room : 4096);
        if (fgets(line + length, (int)(room - length), stdin) == NULL)
            return 0;
        length += strlen(line + length);
        if (length > 0 && line[length - 1] == '\n')
            return 1;
    }
}

/* Points behind the JSON value or key that begins at `p`. */
static const char *skip(const char *p)
{
    int depth = 0;
    for (; *p != '\0'; p++) {
        if (*p == '"') {
            for (p++; *p != '"'; p++)
                if (*p == '\0' || (*p == '\\' && *++p == '\0'))
                    return p;
            if (depth == 0)
                return p + 1;
        } else if (*p == '{' || *p == '[') {
            depth++;
        } else if (*p == '}' || *p == ']') {
            if (depth <= 1)
                return p + depth;
            depth--;
        } else if (*p == ',' && depth == 0) {
            return p;
        }
    }
    return p;
}

/* Points to the value of a field of the message in `line`, or to an empty text. */
static const char *value(const char *field)
{
    const char *p = line;
    size_t length = strlen(field);
    while (*p == '{' || *p == ',') {
        const char *key = p + 1, *colon = skip(key);
        if (*colon != ':')
            break;
        p = skip(colon + 1);
        if ((size_t)(colon - key) == length + 2 && strncmp(key + 1, field, length) == 0)
            return colon + 1;
    }
    return "";
}

static uint64_t number(const char *field) { return strtoull(value(field), NULL, 10); }

/* A number from 0 to n - 1 (xorshift64*; what would favour the low ones is drawn again). */
static uint64_t below(uint64_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, word;
    do {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        word = state * 2685821657736338717u;
    } while (word >= limit);
    return word % n;
}

static void choose(void)
{
    static uint64_t *order;
    const char *id = value("id");
    uint64_t least = number("least"), count = number("count"), i, j;
    uint64_t size = least + below(number("most") - least + 1);
    order = grown(order, (count + 1) * sizeof *order);
    for (i = 0; i < count; i++) order[i] = i;
    printf("{\"type\":\"choose\",\"id\":%.*s,\"picks\":[", (int)(skip(id) - id), id);
    for (i = 0; i < size && i < count; i++) {
        j = i + below(count - i);
        printf(i ? ",%llu" : "%llu", (unsigned long long)order[j]);
        order[j] = order[i];
    }
    puts("]}");
}

int main(void)
{
    for (; read_line(); fflush(stdout))
        if (strncmp(value("type"), "\"hello\"", 7) == 0) {
            state = 2 * number("seed") + 1; /* zero is the one state that never changes */
            puts("{\"type\":\"ready\",\"name\":\"random-c\"}");
        } else if (strncmp(value("type"), "\"decide\"", 8) == 0) {
            choose();
        }
    return EXIT_SUCCESS;
}
