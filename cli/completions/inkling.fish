# Completion of inkling for fish.
function __inkling_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l answer (inkling complete fish -- $typed[2..-1] "$current" 2>/dev/null)
    if test (count $answer) -gt 1
        string join \n -- $answer[1..-2]
        return
    end
    # Of `--name=value` only the value is a path.
    set -l name (string match -r -- '^--[^=]+=' "$current")
    set -l value (string replace -- "$name" '' "$current")
    switch "$answer"
        case :files
            string join \n -- "$name"(__fish_complete_path "$value")
        case :directories
            string join \n -- "$name"(__fish_complete_directories "$value")
    end
end
complete -c inkling -f -k -a '(__inkling_complete)'
