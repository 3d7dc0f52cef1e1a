#compdef inkling
# Completion of inkling for zsh.
_inkling() {
    local line value description fallback=none
    local -a candidates typed
    (( CURRENT > 2 )) && typed=("${(@Q)words[2,CURRENT-1]}")
    while IFS= read -r line; do
        if [[ $line == :* ]]; then
            fallback=${line#:}
        else
            value=${line%%$'\t'*}
            description=${line#*$'\t'}
            candidates+=("${value//:/\\:}${description:+:$description}")
        fi
    done < <(inkling complete zsh -- "${typed[@]}" "${(Q)PREFIX}" 2>/dev/null)
    if (( $#candidates )); then
        _describe -V inkling candidates
    elif [[ $fallback != none ]]; then
        # Of `--name=value` only the value is a path.
        compset -P '--*='
        if [[ $fallback == files ]]; then _files; else _files -/; fi
    fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _inkling "$@"
else
    compdef _inkling inkling
fi
