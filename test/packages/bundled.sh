#!/bin/bash
# Builds the library so that it needs neither xxHash nor utf8proc where it runs, and runs the tests whose values depend
# on them. Usage: bundled.sh TREE
set -e
archive=$(gcc -print-file-name=libutf8proc.a)
variables=(BUNDLED=yes)

if [ -e "$archive" ]; then
	variables+=("UTF8PROC=$(dirname "$archive")")
else
	echo 'skipped: utf8proc inside, since there is no libutf8proc.a here'
fi
make -s -C "$1" -j2 with_llvm=no "${variables[@]}"
needed=$(readelf -d "$1/neardup.so" | grep NEEDED)
echo "$needed"
if [[ $needed = *xxhash* ]] || { [ ${#variables[@]} -eq 2 ] && [[ $needed = *utf8proc* ]]; }; then
	echo 'the library needs what it has inside' >&2
	exit 1
fi
if nm -D --defined-only "$1/neardup.so" | grep -iE 'xxh|utf8proc'; then
	echo 'another library of the server could be given these' >&2
	exit 1
fi
make -s -C "$1" check "${variables[@]}" REGRESS="text letters tokens tokenset minhash simhash orderings linking cluster every_value"
