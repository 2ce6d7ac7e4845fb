# bash completion for mem, printed by `mem completion bash`.
# Use: eval "$(mem completion bash)", or put it where bash-completion looks for it.

# What may follow a command: its options, those that take a value with the kind of it, the kind of its arguments.
_mem_shape() {
    options='' values='' argument=''
    case $1 in
        save) options='--type -t --scope --path -p --ref --supersedes --key -k --session --confidence --propose --force --at' values='--type=types -t=types --scope=scopes --path=files -p=files --ref=ids --supersedes=ids --key=keys -k=keys --session= --confidence= --at=' ;;
        confirm) options='--at --session' values='--at= --session=' argument='ids' ;;
        supersede) options='--by --undo --session' values='--by=ids --session=' argument='ids' ;;
        delete) options='--session' values='--session=' argument='ids' ;;
        search) options='--limit -n --type -t --scope --path -p --state --min-confidence --all -a --explain --at --session' values='--limit= -n= --type=types -t=types --scope=scopes --path=files -p=files --state=states --min-confidence= --at= --session=' ;;
        list) options='--limit -n --type -t --scope --path -p --state --min-confidence --all -a --stale --unverified --keys --at --session' values='--limit= -n= --type=types -t=types --scope=scopes --path=files -p=files --state=states --min-confidence= --at= --session=' ;;
        query) options='--limit -n --table --session --at' values='--limit= -n= --session= --at=' ;;
        render) options='--budget -b --window --reserve --prompt --path -p --format -f --encoding --rule --into --explain --session --at' values='--budget= -b= --window= --reserve= --prompt= --path=files -p=files --format=|memory|markdown|json -f=|memory|markdown|json --encoding= --into=files --session= --at=' ;;
        show) options='--graph --format -f --at --session' values='--format=|tree|dot|mermaid -f=|tree|dot|mermaid --at= --session=' argument='ids' ;;
        why) options='--at --session' values='--at= --session=' argument='ids' ;;
        diff) options='--full --at --session' values='--at= --session=' argument='ids' ;;
        history) options='--at --session' values='--at= --session=' argument='ids' ;;
        sweep) options='--dry-run --at --since --check --all-stores --every --cron --scope --from --format -f' values='--at= --since= --every= --cron= --scope=scopes --from=files --format=|text|github -f=|text|github' ;;
        audit) options='--since --check --fix --yes -y --all -a --format -f' values='--since= --format=|text|github -f=|text|github' argument='files' ;;
        'hooks install') options='--pre-push --pre-commit' ;;
        'hooks uninstall') : ;;
        'hooks status') : ;;
        pending) options='--limit -n' values='--limit= -n=' ;;
        approve) options='--all -a --source' values='--source=' argument='ids' ;;
        reject) argument='ids' ;;
        init) options='--yes -y --hooks --here' ;;
        seed) options='--yes -y --dry-run' ;;
        export) options='--format -f --state --scope' values='--format=|jsonl|markdown -f=|jsonl|markdown --state=states --scope=scopes' ;;
        import) options='--propose --at' values='--at=' argument='files' ;;
        stats) : ;;
        config) options='--user --unset' argument='settings' ;;
        completion) argument='|bash|zsh|fish' ;;
        *) return 1 ;;
    esac
}

_mem() {
    local words=() folder=() word prev cur kind verb='' text='' options values argument i
    # bash takes words apart at ':' and '='; keys hold colons, so put them together again
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]} > 1)) && [[ $word == [:=]* || ${words[${#words[@]} - 1]} == *[:=] ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
    done
    cur=${words[${#words[@]} - 1]}
    prev=${words[${#words[@]} - 2]}
    for ((i = 1; i < ${#words[@]} - 1; i++)); do
        word=${words[i]}
        case $word in
            --) text=yes ;;
            -C) folder+=(-C "${words[++i]}") ;;
            --author) ((++i)) ;;
            -*) ;;
            *) if [[ -z $verb ]]; then verb=$word; elif _mem_is_group "$verb"; then verb+=" $word"; fi ;;
        esac
    done
    if [[ $cur == --*=* ]]; then
        prev=${cur%%=*} cur=${cur#*=}
    fi
    COMPREPLY=()
    kind=$(_mem_kind)
    case $kind in
        '') ;;
        files) compopt -o filenames 2>/dev/null; _mem_add "$(compgen -f -- "$cur")" ;;
        folders) compopt -o filenames 2>/dev/null; _mem_add "$(compgen -d -- "$cur")" ;;
        '|'*) _mem_add "$(compgen -W "${kind//|/ }" -- "$cur")" ;;
        *) _mem_add "$(mem _complete "$kind" "$cur" "${folder[@]}" 2>/dev/null)" ;;
    esac
}

# The kind of what is wanted now; '|a|b' are the candidates themselves.
_mem_kind() {
    local known
    if [[ -z $text ]]; then
        case $prev in
            -C) echo 'folders'; return ;;
            --author) echo ''; return ;;
        esac
    fi
    if [[ -z $verb ]]; then
        if [[ $cur == -* ]]; then echo '|-C|--json|--jsonl|--no-color|--raw|-q|--quiet|-v|--verbose|--author|--version|-h|--help'; else echo '|save|confirm|supersede|delete|search|list|query|render|show|why|diff|history|sweep|audit|hooks|pending|approve|reject|init|seed|export|import|stats|config|completion'; fi
        return
    fi
    case $verb in
        hooks) echo '|install|uninstall|status'; return ;;
    esac
    _mem_shape "$verb" || return
    if [[ -z $text ]]; then
        for known in $values; do
            if [[ ${known%%=*} == "$prev" ]]; then
                echo "${known#*=}"
                return
            fi
        done
        if [[ $cur == -* ]]; then
            echo "|${options// /|}|-C|--json|--jsonl|--no-color|--raw|-q|--quiet|-v|--verbose|--author|--version|-h|--help"
            return
        fi
    fi
    echo "$argument"
}

_mem_is_group() {
    case $1 in
        hooks) return 0 ;;
    esac
    return 1
}

# Adds candidates, one a line, without the part before the last colon that bash holds for another word.
_mem_add() {
    local candidate before=''
    if [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]]; then
        before=${cur%"${cur##*:}"}
    fi
    while IFS= read -r candidate; do
        if [[ -n $candidate ]]; then
            candidate=${candidate#"$before"}
            case $kind in ids | keys) printf -v candidate '%q' "$candidate" ;; esac
            COMPREPLY+=("$candidate")
        fi
    done <<<"$1"
}

complete -F _mem mem
