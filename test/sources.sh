# The C files that make lint and make format look at; sourced in the project's root.
# shellcheck shell=bash disable=SC2034
mapfile -t C_FILES < <(find src test -name '*.[ch]' | LC_ALL=C sort)
