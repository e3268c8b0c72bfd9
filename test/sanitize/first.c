/*
 * Preloaded beside AddressSanitizer's runtime, which initializes itself at the first malloc, and asks for a
 * message of dlerror() then. Where that malloc is bindtextdomain()'s, which libraries of the server call while
 * they are loaded, the lock of the messages is already held, and is damaged. Linked with -z initfirst, this
 * file's malloc is the first.
 */
#include <stdlib.h>

static void *volatile chunk;

static void __attribute__((constructor)) initialize_sanitizer(void)
{
	chunk = malloc(1);
	free(chunk);
}
