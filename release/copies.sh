# Copies for scripts that build elsewhere; they source it.

# copy_sources DIRECTORY: what git would commit, of the project in which the script runs.
copy_sources() {
  mkdir -p "$1"
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [ ! -e "$file" ] || printf '%s\0' "$file"
  done | tar --create --null --files-from - | tar --extract --directory "$1"
}

# copy_repository DIRECTORY: Maven's own store without any Tallystick, so that what others have published is not fetched again.
copy_repository() {
  local from=${MAVEN_LOCAL_REPOSITORY:-$HOME/.m2/repository}
  mkdir -p "$1"
  [ ! -d "$from" ] || (cd "$from" && tar --create --exclude=./io/tallystick .) | tar --extract --directory "$1"
}
