# The targets that need no installed server: deps, check, fuzz,
# check-versions, check-i386, check-arm64, check-s390x, check-packages, demo,
# bench, lint, format. Each but those of an architecture is a script of this
# folder; its head says what it does and which variables it takes. Variables
# given on make's command line reach the script through the environment:
#
#   make check ALL=1                     also the tests of a release
#   make check REGRESS=tokenset          one regression test
#   make check PROVE_TESTS=test/t/index/*   TAP tests by file
#   make check SUITES="kernel regress"   some of the suites
#   make fuzz MINUTES=60 FUZZERS=inputs  random cases for longer
#   make demo KEEP=1                     a psql prompt on the demo's server
#   make demo PAGE=1                     a page for the browser
#   make bench BENCH="kernel call"       some parts of the measurements
#   make check PG_CONFIG=/usr/lib/postgresql/17/bin/pg_config
#   make check-versions PG_SOURCES=/src/postgresql   several versions of PostgreSQL

# What the standalone tests of test/kernel link: sources that need no server, since they begin with "c.h".
KERNEL_SOURCES ?= $(shell grep -rl --include=*.c '^.include "c\.h"' src | LC_ALL=C sort)

export PG_CONFIG KERNEL_SOURCES

deps check fuzz check-versions check-packages demo bench lint format:
	@bash test/$@.sh

# The tests of an architecture alone.
check-i386 check-arm64 check-s390x:
	@VERSIONS=15-$(@:check-%=%) bash test/check-versions.sh

.PHONY: deps check fuzz check-versions check-i386 check-arm64 check-s390x check-packages demo bench lint format
