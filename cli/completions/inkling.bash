# Completion of inkling for bash.
_inkling() {
    local line fallback=none
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :*) fallback=${line#:} ;;
            *) COMPREPLY+=("$line") ;;
        esac
    done < <(inkling complete bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if (( ${#COMPREPLY[@]} == 0 )) && type compopt >/dev/null 2>&1; then
        case $fallback in
            files) compopt -o default ;;
            directories) compopt -o dirnames ;;
        esac
    fi
}
complete -F _inkling inkling
