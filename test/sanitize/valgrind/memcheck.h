/*
 * PostgreSQL tells Valgrind which bytes of its memory contexts and buffers may be touched. This file, in the
 * place of Valgrind's own, has it tell AddressSanitizer, which then knows a chunk of palloc from its neighbour.
 *
 * A server built with -DUSE_VALGRIND, --enable-cassert and this directory in its include path runs as ever
 * without the sanitizer's runtime. AddressSanitizer knows no undefined bytes, and needs no pools: contexts mark
 * what is freed themselves, with assertions.
 */
#ifndef MEMCHECK_H
#define MEMCHECK_H

#include <stddef.h>

extern void __asan_poison_memory_region(void *start, size_t size) __attribute__((weak));
extern void __asan_unpoison_memory_region(void *start, size_t size) __attribute__((weak));

#define FORBID_BYTES(start, size)                                                                  \
	(__asan_poison_memory_region ? __asan_poison_memory_region((void *) (start), size) : (void) 0)
#define ALLOW_BYTES(start, size)                                                                   \
	(__asan_unpoison_memory_region ? __asan_unpoison_memory_region((void *) (start), size)         \
								   : (void) 0)

#define VALGRIND_MAKE_MEM_NOACCESS(start, size) FORBID_BYTES(start, size)
#define VALGRIND_MAKE_MEM_UNDEFINED(start, size) ALLOW_BYTES(start, size)
#define VALGRIND_MAKE_MEM_DEFINED(start, size) ALLOW_BYTES(start, size)
#define VALGRIND_CHECK_MEM_IS_DEFINED(start, size) ((void) 0)
#define VALGRIND_CREATE_MEMPOOL(pool, redzone, zeroed) ((void) 0)
#define VALGRIND_DESTROY_MEMPOOL(pool) ((void) 0)
#define VALGRIND_MEMPOOL_ALLOC(pool, start, size) ALLOW_BYTES(start, size)
#define VALGRIND_MEMPOOL_FREE(pool, start) ((void) 0)
#define VALGRIND_MEMPOOL_CHANGE(pool, old, start, size) ALLOW_BYTES(start, size)

#endif
