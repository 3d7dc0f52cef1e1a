#!/bin/sh
# Installs Inkling for the current user. Downloads the newest release for this machine and verifies its checksum. Verifies
# its signature, too, if minisign is installed. Starts the program once, and moves it to ~/.local/bin. Needs no root.
#
#   INKLING_INSTALL_DIR   the folder to install to, instead of ~/.local/bin
#   INKLING_RELEASE_URL   the address of the releases, instead of the built-in address
set -eu

# The build of a release fills in these two lines.
built_in=''
public_key=''

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# Defines download() and sha256_of() with the programs that this machine has.
find_tools() {
  if has curl; then
    download() {
      curl --fail --silent --show-error --location --proto "$protocol" --proto-redir '=https' \
        --retry 2 --connect-timeout 30 --speed-limit 1 --speed-time 60 --output "$2" "$1"
    }
  elif has wget; then
    download() { wget -q -t 3 -T 60 -O "$2" "$1"; }
  else
    fail "needs curl or wget"
  fi
  if has sha256sum; then
    sha256_of() { sha256sum <"$1" | cut -d ' ' -f 1; }
  elif has shasum; then
    sha256_of() { shasum -a 256 <"$1" | cut -d ' ' -f 1; }
  else
    fail "needs sha256sum or shasum: without a checksum nothing is installed"
  fi
}

# Sets `target` to the name of this machine in releases.
find_target() {
  system=$(uname -s)
  machine=$(uname -m)
  case $system in
    Darwin)
      # Under Rosetta, uname prints x86_64 on an arm64 machine.
      [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" != 1 ] || machine=arm64
      rest=apple-darwin
      ;;
    Linux)
      case $(ldd --version 2>&1 || true) in
        *musl*) fail "there is no release for Linux with musl, only with glibc" ;;
      esac
      rest=unknown-linux-gnu
      ;;
    *) fail "there is no release for $system that this script can install; try the npm package" ;;
  esac
  case $machine in
    x86_64 | amd64) target=x86_64-$rest ;;
    aarch64 | arm64) target=aarch64-$rest ;;
    *) fail "there is no release for $system on $machine" ;;
  esac
}

# Sets `address` to the address of the releases, with a slash at its end. Only https and this machine are allowed, so that
# nobody can change a program on the way.
find_address() {
  address=${INKLING_RELEASE_URL:-$built_in}
  case $address in
    '') fail "set INKLING_RELEASE_URL to the https address of the releases" ;;
    *@*) fail "the address of the releases must not contain a user name or a password" ;;
    https://*) protocol='=https' ;;
    http://localhost[:/]* | http://127.0.0.1[:/]*) protocol='=http' ;;
    *) fail "not an https address: $address" ;;
  esac
  address=${address%/}/
}

# Downloads the file with the name $1 from the address of the releases to the file $2.
fetch() {
  download "$address$1" "$2" || fail "cannot fetch $address$1"
}

# Reads latest.json: {"version": "…", "files": {"<target>": {"name": "…", "sha256": "…"}}}
read_manifest() {
  manifest=$(tr -d ' \t\r\n' <"$1")
  version=$(printf '%s' "$manifest" | sed -n 's/.*"version":"\([0-9A-Za-z.+-]*\)".*/\1/p')
  entry=$(printf '%s' "$manifest" | sed -n "s/.*\"$target\":{\([^{}]*\)}.*/\1/p")
  [ -n "$version" ] || fail "${address}latest.json names no version"
  [ -n "$entry" ] || fail "Inkling $version is not available for this machine ($target)"
  name=$(printf '%s' "$entry" | sed -n 's/.*"name":"\([0-9A-Za-z][0-9A-Za-z._+-]*\)".*/\1/p')
  sha256=$(printf '%s' "$entry" | sed -n 's/.*"sha256":"\([0-9a-f]\{64\}\)".*/\1/p')
  [ -n "$name" ] || fail "${address}latest.json names no file for $target"
  [ -n "$sha256" ] || fail "${address}latest.json has no checksum for $name"
}

# Verifies the signature of the program. The signed comment contains the version and the name of the file, so that a server
# cannot offer an old release as a new one.
verify_signature() {
  if [ -z "$public_key" ]; then
    printf 'Compared only the checksum: this release is not signed\n'
  elif ! has minisign; then
    printf 'Compared only the checksum: minisign, which verifies signatures, is not installed\n'
  else
    fetch "$name.minisig" "$work/inkling.minisig"
    comment=$(minisign -V -Q -P "$public_key" -m "$work/inkling" -x "$work/inkling.minisig" 2>&1) ||
      fail "the signature of $name is wrong, so it is not installed: $comment"
    [ "$comment" = "version:$version file:$name" ] ||
      fail "the signature of $name is for another file, so it is not installed: $comment"
    printf 'Verified the checksum and the signature\n'
  fi
}

# Creates the folder. `made` remembers the folders that did not exist before. If the installation fails, clean_up removes
# them again.
make_folder() {
  made='' above=$folder
  while [ ! -d "$above" ]; do
    made=${above##*/}${made:+/$made}
    above=$(dirname "$above")
  done
  mkdir -p "$folder" 2>/dev/null || fail "cannot create the folder $folder; set INKLING_INSTALL_DIR to another folder"
  work=$(mktemp -d "$folder/.inkling-install.XXXXXX" 2>/dev/null) ||
    fail "cannot write to $folder; set INKLING_INSTALL_DIR to another folder"
}

work='' made='' installed=''
clean_up() {
  [ -z "$work" ] || rm -rf "$work"
  # rmdir removes only empty folders.
  [ -n "$installed" ] || [ -z "$made" ] || (cd "$above" && rmdir -p "$made") 2>/dev/null || true
}

say_how_to_start() {
  case :$PATH: in
    *:"$folder":*) found=$(command -v inkling || true) ;;
    *)
      printf '%s is not on your PATH. Put it there, for good in the file that your shell reads\n' "$folder"
      case $folder in
        # In a pasted command, these characters would have a special meaning.
        *[\"\'\$\`\\:]*) return ;;
      esac
      printf '\n'
      case ${SHELL:-} in
        */fish) printf "  fish_add_path '%s'\n\n" "$folder" ;;
        *) printf "  export PATH=\"%s:\$PATH\"\n\n" "$folder" ;;
      esac
      return
      ;;
  esac
  [ "$found" = "$folder/inkling" ] ||
    printf 'Another inkling comes first on your PATH: %s\n' "$found"
  printf 'inkling setup makes the first configuration.\n'
}

main() {
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  folder=${INKLING_INSTALL_DIR:-}
  if [ -z "$folder" ]; then
    [ -n "${HOME:-}" ] || fail "HOME is not set: set HOME, or set INKLING_INSTALL_DIR to the folder to install to"
    folder=$HOME/.local/bin
  fi
  case $folder in
    /*) folder=${folder%/} ;;
    *) folder=$PWD/${folder%/} ;;
  esac
  find_tools
  find_target
  find_address
  [ ! -d "$folder/inkling" ] || fail "$folder/inkling is a folder"
  make_folder

  fetch latest.json "$work/latest.json"
  read_manifest "$work/latest.json"
  printf 'Fetching Inkling %s for %s\n' "$version" "$target"
  fetch "$name" "$work/inkling"
  found=$(sha256_of "$work/inkling")
  [ "$found" = "$sha256" ] || fail "the checksum of $name is wrong, so it is not installed
  latest.json says $sha256
  the download has $found"

  verify_signature

  chmod 755 "$work/inkling"
  answer=$("$work/inkling" --version 2>&1 </dev/null) || fail "$name does not start here: $answer"
  [ "$answer" = "$version" ] || fail "$name is not version $version: it says $answer"
  mv -f "$work/inkling" "$folder/inkling"
  installed=yes
  printf 'Inkling %s is installed: %s\n' "$version" "$folder/inkling"
  say_how_to_start
}

# The call is the last line, so that a script that was downloaded incompletely does nothing.
main
