#!/bin/sh
# Say at once, and all together, what this machine lacks. Usage: preflight.sh PYTHON [WHEELS]
python=$1
wheels=$2
missing=0

lacks() {
    printf 'KernelArc cannot be installed yet: %s\n' "$1" >&2
    missing=1
}

if ! command -v "$python" >/dev/null 2>&1; then
    lacks "no '$python' was found. Install Python 3.11 or newer, or name one: make PYTHON=python3.12 ..."
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    lacks "'$python' is $("$python" --version 2>&1); 3.11 or newer is needed. Name another: make PYTHON=python3.12 ..."
elif ! "$python" -c 'import venv, ensurepip' >/dev/null 2>&1; then
    lacks "'$python' has no venv module. On Debian and Ubuntu: apt install python3-venv"
elif "$python" -c 'import os, sys; sys.exit(os.path.realpath(sys.prefix) != os.path.realpath(".venv"))'; then
    lacks "'$python' is the one inside .venv, which would be replaced. Run 'deactivate' first."
fi

found=
for compiler in "$CXX" c++ g++ clang++; do
    if [ -n "$compiler" ] && command -v "$compiler" >/dev/null 2>&1; then found=$compiler; fi
done
if [ -z "$found" ]; then
    lacks "no C++ compiler was found (c++, g++ or clang++). On Debian and Ubuntu: apt install g++"
fi

if [ -n "$wheels" ] && ! ls "$wheels"/*.whl >/dev/null 2>&1; then
    lacks "'$wheels' holds no wheels. CONTRIBUTING.md says how to fill such a folder."
fi

exit $missing
