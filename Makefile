# neardup: near-duplicate rows inside PostgreSQL.
#
# Plain PGXS (make, make install, make installcheck) works with any server
# whose pg_config is on the PATH or named by PG_CONFIG. The targets below
# need nothing but Debian: they install what is missing and use a private
# throwaway server.
#
#   make demo            find the near-duplicates of a real data set, printed
#   make check           the daily tests; with ALL=1 every test
#   make fuzz            random cases against every part, for longer
#   make check-versions  every test, on each version of PostgreSQL that can be had
#   make check-i386      some suites on 32 bits, in a chroot; check-arm64 and check-s390x by emulation
#   make check-packages  the archive, Debian's packages, the RPM and the image
#   make bench           measure on real sets, and write doc/bench
#   make lint            layout and static analysis
#   make format          lay out the C files
#   make deps            only install what is missing
#
# "make dist" writes the archive for PGXN.

OWN_TARGETS := deps check fuzz check-versions check-i386 check-arm64 check-s390x check-packages demo bench lint format
PG_CONFIG ?= pg_config

# The one place where the version stands; a test compares what else names it.
EXTVERSION := $(shell sed -n '/"version":/{s/.*: "\(.*\)".*/\1/p;q;}' META.json)

# The parts of the install script, beside the C that they declare, each after those whose objects it uses.
SQL_PARTS = $(addprefix src/,$(addsuffix .sql,\
	$(addprefix text/, normalize fingerprint) \
	$(addprefix tokenset/, type from_text from_elements from_bits selectivity algebra order similarity tokenset_query tokenset_ball gin) \
	index/index index/scope \
	$(addprefix tokenset/, prefix_tokens union_agg) counts/common_tokens tokenset/weights \
	fields/fields \
	$(addprefix strings/, strings) \
	$(addprefix simhash/, type simhash simhash_agg order distance ball spgist block_keys) \
	$(addprefix minhash/, type minhash similarity order lsh supershingles) \
	$(addprefix join/functions/, ppjoin topk_join knn_join match_join edit_join simhash_join lsh_join sketch_join estimate_join) \
	$(addprefix passages/, passage_tokens common_passages passage_join repeated_passages) \
	progress/progress \
	$(addprefix cluster/, clusters forest match_pairs near_duplicates pairs_quality) \
	$(addprefix link/, choose_threshold link_tables duplicate_records place_records find_records) \
	kinds/similarity_hint kinds/edit/edit_ops $(addprefix strings/, shared_tokens side_by_side)))

# Whether to build neardup_icu: where the server has ICU, and ICU's headers are installed, unless "make ICU=no" says otherwise.
ifndef ICU
ICU := $(shell grep -qs '^with_icu.*yes' "$$(dirname "$$($(PG_CONFIG) --pgxs 2>/dev/null)")/../Makefile.global" && \
	$(CC) -E -include unicode/utrans.h -x c /dev/null >/dev/null 2>&1 && echo yes || echo no)
endif

# The extensions that need neardup, its guests: each has a folder, and ends with what all of them check.
GUESTS = citus clean track trgm $(if $(filter yes,$(ICU)),icu)
citus_PARTS = $(addprefix src/citus/, postings.sql stages.sql join.sql sketches.sql clusters.sql near_duplicates.sql) src/guest.sql
clean_PARTS = src/guest_schema.sql $(addprefix src/clean/, references.sql named.sql turn.sql loops.sql retire.sql rules.sql pairs.sql log.sql write.sql merge.sql undo.sql search.sql insert_or_find.sql insert_or_find_rows.sql guard.sql decided.sql) src/guest.sql
track_PARTS = src/guest_schema.sql $(addprefix src/track/, tracked.sql track.sql) src/guest.sql
icu_PARTS = src/icu/to_latin.sql src/guest.sql
trgm_PARTS = $(addprefix src/kinds/trigrams/, trgm.sql trgm_ops.sql) src/guest.sql src/kinds/trigrams/preload.sql

ifneq ($(filter $(OWN_TARGETS),$(MAKECMDGOALS)),)

# These run before pg_config need exist, so PGXS stays out; they call make
# again for what it builds.
include test/targets.mk

else

MODULE_big = neardup
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c src/*/*/*/*.c)))
EXTENSION = neardup $(addprefix neardup_,$(GUESTS))
INSTALL_SCRIPTS = $(patsubst %,sql/%--$(EXTVERSION).sql,$(EXTENSION))
# Beside the install scripts, which git keeps and so "make clean" too, upgrade scripts and install scripts of earlier
# versions as they were published.
DATA = $(sort $(INSTALL_SCRIPTS) $(wildcard $(patsubst %,sql/%--*.sql,$(EXTENSION))))
# Assigned at once, so that an empty list counts as none in PGXS's ifdef.
DOCS := $(wildcard doc/*.md doc/examples/*.sql doc/examples/words/*.sql)
REGRESS := $(patsubst sql/%.sql,%,$(sort $(filter-out $(patsubst %,sql/%--%,$(EXTENSION) neardup_icu),$(wildcard sql/*.sql))))
REGRESS_OPTS = --encoding=UTF8 --load-extension=neardup
ISOLATION := $(patsubst test/isolation/specs/%.spec,%,$(sort $(wildcard test/isolation/specs/*.spec)))
ISOLATION_OPTS = --encoding=UTF8 --load-extension=neardup --inputdir=test/isolation
# "make installcheck TAP_TESTS=1" runs test/t too, without the tests of a release: it needs Perl's IPC::Run, and not to be root.
PROVE_TESTS = test/t/*/*.pl

# A double is rounded after each operation, so that values are the same on every platform. Where the processor can
# multiply and add in one step, as those of arm64, ppc64 and s390x can, compilers do so unless they are told not to, which
# rounds once for both. The x87 unit, which compilers for i386 take unless they are told otherwise, rounds twice; SSE2 is
# in each processor that Debian 13 supports there.
FLOAT_FLAGS = -ffp-contract=off$(if $(filter i%86,$(host_cpu)), -msse2 -mfpmath=sse)
PG_CPPFLAGS = -I"$(CURDIR)/src" -DNEARDUP_VERSION='"$(EXTVERSION)"' $(FLOAT_FLAGS)
# PGXS hands on options and attributes of the compiler that the server was built by, gcc in most packages, and clang
# does not know all of them.
CLANG_FLAGS = $(if $(findstring clang,$(CC)),-Wno-ignored-attributes -Wno-ignored-optimization-argument -Wno-unknown-warning-option)
PG_CFLAGS = -Wall -Wextra -Wno-unused-parameter -Wno-declaration-after-statement $(CLANG_FLAGS)
# With BUNDLED=yes the library has what it needs of xxHash inside, inlined from its header, and with UTF8PROC=DIR also
# utf8proc, from the archive DIR/libutf8proc.a, and does not need their shared libraries where it runs.
ifeq ($(BUNDLED),yes)
PG_CPPFLAGS += -DXXH_INLINE_ALL=
else
SHLIB_LINK += -lxxhash
endif
ifneq ($(UTF8PROC),)
PG_CPPFLAGS += -I"$(abspath $(UTF8PROC))"
SHLIB_LINK += "$(abspath $(UTF8PROC))/libutf8proc.a"
else
SHLIB_LINK += -lutf8proc
endif
SHLIB_LINK += -lm
# The library of the server, which is loaded already.
ifeq ($(ICU),yes)
SHLIB_LINK += $(ICU_LIBS)
else
OBJS := $(filter-out src/icu/%,$(OBJS))
endif
# For "make check SANITIZE=1": only a server with AddressSanitizer's runtime loads it. Undefined behaviour is a
# trap, which that runtime reports: the other one would report where nobody looks.
ifneq ($(SANITIZE),)
PG_CFLAGS += -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fsanitize-undefined-trap-on-error
# The JIT would run bitcode, which is not instrumented, in place of it.
override with_llvm = no
endif
# The library exports only what PostgreSQL looks up by name.
SHLIB_EXPORTS = exports.txt
EXTRA_CLEAN = .built_for exports.txt exports.list

PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq ($(PGXS),)
all install installcheck clean:
	@echo 'neardup: $(PG_CONFIG) was not found; install the server development files or run "make deps"' >&2
	@false
else
include $(PGXS)
all: $(INSTALL_SCRIPTS)
docmoduledir := neardup
# Servers from 16 on compile extensions with -fvisibility=hidden. Before that the export list hides what it does not
# name, but only from the linker: this lets the compiler, too, inline functions and call them directly. That of macOS
# always does.
ifeq ($(GCC)$(CFLAGS_SL_MODULE)$(filter darwin,$(PORTNAME)),yes)
PG_CFLAGS += -fno-semantic-interposition
endif
# A function of SQL has an information function, pg_finfo_NAME, which PG_FUNCTION_INFO_V1 defines. Apart from these
# there are the two functions that loading looks up, and the one that a parallel worker begins with.
exports.txt: $(OBJS)
	@{ printf '%s\n' Pg_magic_func _PG_init JoinWorkerMain; \
		nm $(OBJS) | sed -n 's/^.* T _*pg_finfo_\(.*\)/\1 pg_finfo_\1/p' | LC_ALL=C sort | tr ' ' '\n'; } >$@
$(OBJS) $(OBJS:.o=.bc): $(wildcard src/*.h src/*/*.h src/*/*/*.h src/*/*/*/*.h) .built_for
# The file that states the version.
src/neardup.o src/neardup.bc: META.json

# Any role can preload a library of this folder in its sessions, or have that done in the databases that it owns
# (doc/pg_trgm.md). The link is the same library: loaded twice, it is loaded once.
PLUGIN = $(DESTDIR)$(pkglibdir)/plugins/$(MODULE_big)$(DLSUFFIX)
install: install-plugin
install-plugin:
	$(MKDIR_P) '$(dir $(PLUGIN))'
	ln -sf ../$(MODULE_big)$(DLSUFFIX) '$(PLUGIN)'
uninstall: uninstall-plugin
uninstall-plugin:
	rm -f '$(PLUGIN)'
.PHONY: install-plugin uninstall-plugin

# What was built for one server, by one compiler, or without sanitizers, is built anew for another.
BUILT_FOR = $(VERSION) $(includedir_server) by $(CC)$(if $(SANITIZE), sanitized)$(if $(filter yes,$(ICU)), with ICU)$(if $(filter yes,$(BUNDLED)), bundled)$(if $(UTF8PROC), with $(UTF8PROC))
.built_for: FORCE
	@echo '$(BUILT_FOR)' | cmp -s - $@ || echo '$(BUILT_FOR)' >$@
.PHONY: FORCE syntax float-flags

# Compiles for the server that PG_CONFIG names, and writes nothing.
syntax:
	$(CC) $(CFLAGS) $(CPPFLAGS) -Werror -fsyntax-only $(OBJS:.o=.c)

# For what test/check.sh compiles by itself.
float-flags:
	@echo $(FLOAT_FLAGS)
endif

endif

ALL_PARTS = $(SQL_PARTS) $(foreach guest,$(GUESTS) icu,$($(guest)_PARTS))
ifneq ($(filter-out $(ALL_PARTS),$(wildcard src/*/*.sql src/*/*/*.sql src/*/*/*/*.sql)),)
$(error no install script has $(filter-out $(ALL_PARTS),$(wildcard src/*/*.sql src/*/*/*.sql src/*/*/*/*.sql)))
endif

# Of the extension's name and its parts.
define install_script
	@echo 'writing $@'
	@{ printf '%s\n' '\echo Use "CREATE EXTENSION $(1)" to load this file. \quit'; \
		for part in $(2); do echo; cat $$part || exit; done; } | sed 's/@EXTVERSION@/$(EXTVERSION)/; s/@GUEST@/$(1)/' >$@
endef

sql/neardup--$(EXTVERSION).sql: $(SQL_PARTS) Makefile
	$(call install_script,neardup,$(SQL_PARTS))

.SECONDEXPANSION:
$(GUESTS:%=sql/neardup_%--$(EXTVERSION).sql): sql/neardup_%--$(EXTVERSION).sql: $$($$*_PARTS) Makefile META.json
	$(call install_script,neardup_$*,$($*_PARTS))

neardup.control: neardup.control.in META.json
$(GUESTS:%=neardup_%.control): neardup_%.control: $$(wildcard src/*/neardup_$$*.control.in src/*/*/neardup_$$*.control.in) META.json
neardup.control $(GUESTS:%=neardup_%.control):
	sed 's/@EXTVERSION@/$(EXTVERSION)/' $< >$@

dist: sql/neardup--$(EXTVERSION).sql neardup.control
	@git diff --quiet HEAD || { echo 'neardup: commit first; the archive is made of HEAD' >&2; false; }
	git archive --format=zip --output=neardup-$(EXTVERSION).zip --prefix=neardup-$(EXTVERSION)/ HEAD
.PHONY: dist
