#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct line { const char *name; int price; };

static int price_of(const struct line *line)
{
	return line->price;
}

static int compare(const void *a, const void *b)
{
	return price_of(*(const struct line *const *)a) - price_of(*(const struct line *const *)b);
}

int main(int argc, char **argv)
{
	struct line tea = { "tea", 3 };
	const struct line *lines[2] = { &tea, NULL };
	if (argc > 1 && strcmp(argv[1], "assert") == 0)
		assert(tea.price == 4 && "price is wrong");
	qsort(lines, 2, sizeof *lines, compare);
	return 0;
}
