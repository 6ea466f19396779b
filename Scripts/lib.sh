# What the scripts beside this file share. It is sourced, not run.
# shellcheck shell=bash

here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
root=$(dirname "$here")

# Prints a line for a person: standard output belongs to the program's data.
say() { printf '%s\n' "$*" >&2; }

die() {
  say "$@"
  exit 1
}

# Finds Swift, also where its installers put it without changing PATH.
require_swift() {
  local folder
  for folder in "${SWIFTLY_BIN_DIR:-}" "${HOME:-}/.local/share/swiftly/bin" /opt/swift/usr/bin; do
    if command -v swift >/dev/null; then return; fi
    if [[ -x $folder/swift ]]; then PATH=$folder:$PATH; fi
  done
  command -v swift >/dev/null || die \
    "Swift is missing; building offers needs 6.3 or newer." \
    "Get it from https://www.swift.org/install/linux/ and see that 'swift --version' works."
}

# Installs the Debian packages that the build needs and this machine has not got.
require_packages() {
  local missing=()
  [[ -e /usr/include/sqlite3.h ]] || missing+=(libsqlite3-dev)
  [[ -e /usr/include/zlib.h ]] || missing+=(zlib1g-dev)
  [[ -e /usr/include/expat.h ]] || missing+=(libexpat1-dev)
  compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null || missing+=(g++)
  command -v git >/dev/null || missing+=(git)
  install_packages "the headers of SQLite, zlib and expat, a C++ library, git" "${missing[@]}"
}

# The Python that drives the browser, once require_browser has made it. The driver comes from Debian;
# nothing looks for another one.
browser_python=(env SE_OFFLINE=true PYTHONDONTWRITEBYTECODE=1 "$root/.build/browser-venv/bin/python")

# Installs what a browser needs that is driven by a program.
require_browser() {
  local missing=()
  command -v chromium >/dev/null || missing+=(chromium)
  command -v chromedriver >/dev/null || missing+=(chromium-driver)
  [[ -e /usr/share/javascript/leaflet/leaflet.esm.min.js ]] || missing+=(libjs-leaflet)
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
  install_packages "Chromium and its driver, Leaflet, Python with venv" "${missing[@]}"
  if "${browser_python[@]}" -c 'import selenium, axe_playwright_python' 2>/dev/null; then return; fi
  say "Preparing a Python environment ..."
  local venv=$root/.build/browser-venv
  python3 -m venv "$venv"
  "$venv/bin/pip" -q install selenium==4.51.0
  # Only the script of axe in it is used, not the browsers that it depends on.
  "$venv/bin/pip" -q install --no-deps axe-playwright-python==0.1.8
}

# Installs Debian packages: install_packages WHAT-THEY-ARE PACKAGE...
install_packages() {
  local what=$1 apt=(apt-get)
  shift
  if (($# == 0)); then return; fi

  local advice="Install what is needed, as root: apt-get install $*"
  command -v apt-get >/dev/null || die "This machine lacks $* and has no apt-get." \
    "Install the same by your system's own means ($what)."
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "$advice"
    apt=(sudo apt-get)
  fi
  say "Installing $* ..."
  export DEBIAN_FRONTEND=noninteractive
  "${apt[@]}" install -y --no-install-recommends "$@" >&2 ||
    { "${apt[@]}" update >&2 &&
      "${apt[@]}" install -y --no-install-recommends "$@" >&2; } ||
    die "That did not work. $advice"
}

# How release programs are built. The tests run with Swift's checks that no two parts of the program
# change a variable at once; here they would cost a tenth of the time. Each function has a section of
# its own, so that the linker can leave it out or put it elsewhere. And the program gets at a generic
# type by calls, not by its name: the first look-up of one whose parameters must conform to something
# goes through all conformances that the program has, some ten thousand.
# shellcheck disable=SC2034
release=(-c release -Xswiftc -enforce-exclusivity=unchecked
  -Xswiftc -Xfrontend -Xswiftc -function-sections
  -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors)

# Carries the time at which the last good build began: the linker does not touch a program that
# comes out the same, and a file edited during a build is newer than this.
# shellcheck disable=SC2034
stamp=$root/.build/offers-release-stamp

# The libraries that become a part of the program, where the machine has them.
static=$root/.build/static-libraries
# The functions that short commands call, one a line.
startup=$root/Sources/OffersCLI/startup-functions.txt

# How the program is linked: one file, without Swift's own libraries beside it, and without the names
# that it would offer to libraries that it loads, which cost a fifth of the time of a short command.
# What a start needs stands together: scattered over the file, it costs another fifth.
# shellcheck disable=SC2034
linked=(--product offers --static-swift-stdlib --disable-local-rpath
  -Xlinker --no-export-dynamic -Xlinker "-L$static"
  -Xlinker "--symbol-ordering-file=$startup" -Xlinker --no-warn-symbol-ordering)

# Puts the program under a prefix, with what it says of itself: install_program PROGRAM PREFIX FILE...
install_program() {
  local program=$1 prefix=$2 file
  shift 2
  for file in "$@"; do
    install -d -m 755 "$(dirname "$prefix/$file")"
    case $file in
    bin/*) install -m 755 "$program" "$prefix/$file" ;;
    */man1/*) "$program" manual >"$prefix/$file" ;;
    */bash-completion/*) "$program" --generate-completion-script bash >"$prefix/$file" ;;
    */zsh/*) "$program" --generate-completion-script zsh >"$prefix/$file" ;;
    */fish/*) "$program" --generate-completion-script fish >"$prefix/$file" ;;
    esac
    if [[ $file != bin/* ]]; then chmod 644 "$prefix/$file"; fi
  done
}
