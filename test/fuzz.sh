#!/usr/bin/env bash
#
# Runs the fuzzers of test/fuzz on a throwaway server: the suite "fuzz" of make check, for longer.
#
#	make fuzz                            each for ten minutes, one more at a time than there are processors
#	make fuzz MINUTES=60 JOBS=1          longer, one at a time
#	make fuzz FUZZERS="inputs functions" some of them
#	make fuzz SEED=7                     the cases of this seed; a random one is printed
#	make fuzz FUZZERS=inputs CASE=12345  one case, as a report names it
#
# Prints what each has tried, or its first difference as statements for psql, and fails then.
set -euo pipefail
export SUITES=fuzz MINUTES=${MINUTES:-10} SEED=${SEED:-$(od -An -N 3 -tu4 /dev/urandom | tr -d ' ')}
exec bash "$(dirname "$0")/check.sh"
