/* A bot: C99 and its standard library. Write `choose`; the rest may stay as it is. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t below(size_t n);

/* Pick between `least` and `most` different ones of `count` options, by index, into `picks`; say how many. Here: any.

   `question` is the whole line: options, then what you see, then what happened; strstr(question, "\"step\":\"sale\"")
   finds a field. `arena rules GAME` tells what there is. Look at things with fprintf(stderr, ...). */
static size_t choose(const char *question, size_t least, size_t most, size_t count, size_t *picks)
{
    size_t size = least + below(most - least + 1);
    (void)question;
    for (size_t i = 0; i < count; i++)
        picks[i] = i;
    for (size_t i = 0; i < size; i++) {
        size_t j = i + below(count - i), pick = picks[j];
        picks[j] = picks[i];
        picks[i] = pick;
    }
    return size;
}

static uint64_t dice;

/* A number from 0 to n - 1 (splitmix64). */
static size_t below(size_t n)
{
    uint64_t z = dice += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % n;
}

/* The number behind a key such as "\"least\":". The first of a line is the message's own, as
   `arena docs protocol` promises. */
static uint64_t number(const char *line, const char *key)
{
    const char *found = strstr(line, key);
    return found == NULL ? 0 : strtoull(found + strlen(key), NULL, 10);
}

int main(void)
{
    size_t room = 1 << 16, length = 0;
    char *line = malloc(room);
    while (line != NULL && fgets(line + length, (int)(room - length), stdin) != NULL) {
        length += strlen(line + length);
        if (line[length - 1] != '\n') { /* a line may be of any length */
            line = realloc(line, room *= 2);
            continue;
        }
        length = 0;
        if (strncmp(line, "{\"type\":\"hello\",", 16) == 0) {
            dice = number(line, "\"seed\":"); /* a match begins: its seed lets equal questions get equal answers */
            puts("{\"type\":\"ready\"}");
        } else if (strncmp(line, "{\"type\":\"decide\",", 17) == 0) {
            const char *id = strstr(line, "\"id\":\"") + 6;
            size_t count = number(line, "\"count\":"), *picks = calloc(count + 1, sizeof *picks);
            size_t size = choose(line, number(line, "\"least\":"), number(line, "\"most\":"), count, picks);
            /* a `note` beside `picks`, any JSON of 1 KiB, is shown by `arena replay` */
            printf("{\"type\":\"choose\",\"id\":\"%.*s\",\"picks\":[", (int)strcspn(id, "\""), id);
            for (size_t i = 0; i < size; i++)
                printf(i ? ",%zu" : "%zu", picks[i]);
            puts("]}");
            free(picks);
        }
        fflush(stdout);
    }
    return 0;
}
