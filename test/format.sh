#!/usr/bin/env bash
#
# Lays out the C files by .clang-format, in place.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=test/sources.sh
. test/sources.sh

bash test/deps.sh lint
clang-format -i "${C_FILES[@]}"
echo "format: ${#C_FILES[@]} files"
