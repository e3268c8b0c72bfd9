#!/usr/bin/env bash
#
# Layout and static analysis: C by clang-format, the compiler and cppcheck,
# scripts by shellcheck, Perl and Python by their own parsers, pages by
# check_pages.py, includes by check_includes.py, names by check_names.py,
# META.json by check_meta.py.
# Every check runs; the exit status is that of all.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=test/sources.sh
. test/sources.sh

PG_CONFIG=${PG_CONFIG:-pg_config}
status=0

check()
{
	local name=$1
	shift
	if "$@"; then
		echo "lint: $name: clean"
	else
		echo "lint: $name: FAILED" >&2
		status=1
	fi
}

# Warnings as errors, nothing written. More than the build's own: shadowing, formats, strings.
compile()
{
	local file failed=0

	for file in "${C_FILES[@]}"; do
		[[ $file == src/*.c ]] || continue
		gcc -fsyntax-only -O2 -Werror -Wall -Wextra -Wshadow=compatible-local -Wformat=2 -Wvla -Wwrite-strings \
			-Wno-unused-parameter -Wno-format-nonliteral -Isrc -isystem "$("$PG_CONFIG" --includedir-server)" -D_GNU_SOURCE \
			-DNEARDUP_VERSION='""' \
			"$file" || failed=1
	done
	return "$failed"
}

# PostgreSQL's headers are not read: its macros are told instead. Suppressed:
# what depends on what they hide, and choices of style that are PostgreSQL's.
analyse()
{
	cppcheck --quiet --error-exitcode=1 --std=c11 --language=c --inline-suppr --force -j "$(nproc)" \
		--enable=warning,performance,portability -Isrc \
		--suppress=missingInclude --suppress=missingIncludeSystem --suppress=unknownMacro --suppress=internalAstError \
		--suppress=preprocessorErrorDirective --suppress=toomanyconfigs --suppress=normalCheckLevelMaxBranches \
		'-DPG_MODULE_MAGIC=' '-DPG_FUNCTION_INFO_V1(name)=' '-DPG_FUNCTION_ARGS=FunctionCallInfo fcinfo' \
		'-DFLEXIBLE_ARRAY_MEMBER=' '-Dlikely(x)=(x)' '-Dunlikely(x)=(x)' '-Dpg_attribute_always_inline=inline' \
		'-Dpg_noinline=' '-DAssert(x)=((void)0)' '-DStaticAssertDecl(x,y)=' '-DStaticAssertStmt(x,y)=' \
		'-DPG_TRY()=' '-DPG_CATCH()=' '-DPG_FINALLY()=' '-DPG_END_TRY()=' \
		"${C_FILES[@]}"
}

parse_perl()
{
	local file failed=0 messages

	for file in test/perl/*.pm test/t/*/*.pl test/release/*.pl test/queue.pl test/fuzz/*.p[lm]; do
		messages=$(perl -w -I "$(dirname "$("$PG_CONFIG" --pgxs)")/../test/perl" -I test/perl -I test/fuzz -c "$file" 2>&1) ||
			{ echo "$messages" >&2; failed=1; }
	done
	return "$failed"
}

parse_python()
{
	python3 - test/*.py test/bench/*.py test/bench/parts/*.py <<-'PYTHON'
		import ast, sys
		for name in sys.argv[1:]:
		    ast.parse(open(name, encoding="utf-8").read(), name)
	PYTHON
}

pages()
{
	local files

	mapfile -t files < <(find . -name '*.md' -not -path './results/*' -printf '%P\n' | LC_ALL=C sort)
	python3 test/check_pages.py "${files[@]}"
}

scripts()
{
	local file failed=0 files=(.ci/run test/*.sh test/fuzz/*.sh test/packages/*.sh debian/image-server debian/tests/installcheck)

	for file in "${files[@]}"; do bash -n "$file" || failed=1; done
	shellcheck -x --severity=warning "${files[@]}" || failed=1
	return "$failed"
}

# An install script is read in the encoding of the database, which may have no other characters.
ascii()
{
	! LC_ALL=C grep -rnP --include='*--*.sql' '[^\x00-\x7F]' sql && ! LC_ALL=C grep -rnP --include='*.sql' '[^\x00-\x7F]' src
}

# What an editor leaves behind; expected outputs are psql's own.
whitespace()
{
	! git grep -nIE '[[:blank:]]+$' -- . ':!expected' ':!test/isolation/expected' ':!*.diff'
}

# What make writes and git keeps is what make writes now.
generated()
{
	local files

	mapfile -t files < <(git ls-files '*.control' "sql/neardup*--$(sed -n '/"version":/{s/.*: "\(.*\)".*/\1/p;q;}' META.json).sql" | grep -v -e '--.*--')
	make -s -B --no-print-directory PG_CONFIG="$PG_CONFIG" "${files[@]}" >/dev/null && git diff --exit-code --stat HEAD -- "${files[@]}"
}

bash test/deps.sh lint
check "layout (clang-format)" clang-format --dry-run --Werror "${C_FILES[@]}"
check "compiler warnings" compile
check "cppcheck" analyse
check "includes" python3 test/check_includes.py
check "names" python3 test/check_names.py
check "shell scripts" scripts
check "Perl" parse_perl
check "Python" parse_python
check "Markdown" pages
check "characters of install scripts" ascii
check "META.json" python3 test/check_meta.py META.json
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
	check "trailing blanks" whitespace
	check "generated files" generated
else
	echo "lint: trailing blanks, generated files: skipped, since this is no git clone"
fi
exit "$status"
