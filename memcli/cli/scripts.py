"""The texts of the completion scripts. bash and zsh share one table of what may follow a command; fish has lines."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.cli.complete import Option, Shape

Described = Sequence[tuple[str, str]]

BASH = r"""# bash completion for mem, printed by `mem completion bash`.
# Use: eval "$(mem completion bash)", or put it where bash-completion looks for it.

# What may follow a command: its options, those that take a value with the kind of it, the kind of its arguments.
_mem_shape() {
    options='' values='' argument=''
    case $1 in
@SHAPES@
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
@GLOBAL_VALUES@
        esac
    fi
    if [[ -z $verb ]]; then
        if [[ $cur == -* ]]; then echo '@GLOBALS@'; else echo '@COMMANDS@'; fi
        return
    fi
    case $verb in
@GROUPS@
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
            echo "|${options// /|}@GLOBALS@"
            return
        fi
    fi
    echo "$argument"
}

_mem_is_group() {
    case $1 in
        @GROUP_NAMES@) return 0 ;;
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
"""

ZSH = r"""#compdef mem
# zsh completion for mem, printed by `mem completion zsh`.
# Use: put it as _mem into a folder of $fpath, or after compinit: eval "$(mem completion zsh)"

# What may follow a command: its options, those that take a value with the kind of it, the kind of its arguments.
_mem_shape() {
    options='' values='' argument=''
    case $1 in
@SHAPES@
        *) return 1 ;;
    esac
}

_mem() {
    local -a folder described
    local cur=$words[CURRENT] prev=$words[CURRENT-1] verb='' text='' options values argument known word
    local -i i
    for ((i = 2; i < CURRENT; i++)); do
        word=$words[i]
        case $word in
            --) text=yes ;;
            -C) folder+=(-C ${(Q)words[++i]}) ;;
            --author) ((++i)) ;;
            -*) ;;
            *) if [[ -z $verb ]]; then verb=$word; elif _mem_is_group $verb; then verb+=" $word"; fi ;;
        esac
    done
    if [[ $cur == --*=* ]]; then
        prev=${cur%%=*}
        compset -P '*='
    fi
    if [[ -z $text ]]; then
        case $prev in
@GLOBAL_VALUES@
        esac
    fi
    if [[ -z $verb ]]; then
        if [[ $cur == -* ]]; then _mem_add '@GLOBALS@'; return; fi
        described=(
@DESCRIBED@
        )
        _describe 'command' described
        return
    fi
    case $verb in
@GROUPS@
    esac
    _mem_shape $verb || return 1
    if [[ -z $text ]]; then
        for known in ${=values}; do
            if [[ ${known%%=*} == $prev ]]; then _mem_add ${known#*=}; return; fi
        done
        if [[ $cur == -* ]]; then _mem_add "|${options// /|}@GLOBALS@"; return; fi
    fi
    _mem_add $argument
}

_mem_is_group() {
    case $1 in
        @GROUP_NAMES@) return 0 ;;
    esac
    return 1
}

# Adds the candidates of a kind; '|a|b' are the candidates themselves.
_mem_add() {
    case $1 in
        '') return 1 ;;
        files) _files ;;
        folders) _files -/ ;;
        '|'*) compadd -- ${(s:|:)1} ;;
        *) compadd -- ${(f)"$(mem _complete $1 "${(Q)PREFIX}" $folder 2>/dev/null)"} ;;
    esac
}

if [[ $funcstack[1] == _mem ]]; then _mem "$@"; else compdef _mem mem; fi
"""

FISH = r"""# fish completion for mem, printed by `mem completion fish`.
# Use: mem completion fish > ~/.config/fish/completions/mem.fish

function __mem_words --description 'the command and verb of the line, without options'
    set -l words (commandline -opc)[2..-1]
    set -l skip 0
    for word in $words
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case -C --author
                set skip 1
            case '-*'
            case '*'
                echo $word
        end
    end
end

function __mem_bare --description 'no command yet'
    test (count (__mem_words)) = 0
end

function __mem_is --description 'the line is about this command'
    set -l words (__mem_words)
    test (count $words) -ge (count $argv); and test "$words[1..$(count $argv)]" = "$argv"
end

function __mem_group --description 'this group stands there and its verb does not yet'
    set -l words (__mem_words)
    test (count $words) = 1; and test "$words[1]" = $argv[1]
end

function __mem_ask --description 'candidates of a kind'
    set -l folder
    set -l words (commandline -opc)
    for i in (seq 2 (count $words))
        if test "$words[$i]" = -C
            set -l next (math $i + 1)
            set -a folder -C $words[$next]
        end
    end
    mem _complete $argv[1] (commandline -ct) $folder 2>/dev/null
end

complete -c mem -f
"""


def fill(
    template: str,
    shapes: Iterable["Shape"],
    switches: Iterable["Option"],
    described: Described,
    groups: Mapping[str, list[str]],
) -> str:
    """The bash or zsh script: the template with the table in it."""
    bash = template is BASH
    say = "echo {}; return" if bash else "_mem_add {}; return"
    parts = {
        "SHAPES": "\n".join(_case(shape) for shape in shapes),
        "GROUPS": "\n".join(
            f"        {name}) {say.format(_quoted('|' + '|'.join(all)))} ;;" for name, all in groups.items()
        ),
        "GROUP_NAMES": " | ".join(groups),
        "GLOBALS": "".join(f"|{spelling}" for option in switches for spelling in option.spellings),
        "GLOBAL_VALUES": "\n".join(
            f"            {' | '.join(option.spellings)}) {say.format(_quoted(option.value))} ;;"
            for option in switches
            if option.value is not None
        ),
        "COMMANDS": "".join(f"|{name}" for name, _ in described),
        "DESCRIBED": "\n".join(f"            {_quoted(f'{name}:{help}')}" for name, help in described),
    }
    for name, text in parts.items():
        template = template.replace(f"@{name}@", text)
    return template


def _case(shape: "Shape") -> str:
    """A row of `_mem_shape`."""
    spellings = " ".join(spelling for option in shape.options for spelling in option.spellings)
    values = " ".join(
        f"{spelling}={'|' + option.value if '|' in option.value else option.value}"
        for option in shape.options
        if option.value is not None
        for spelling in option.spellings
    )
    argument = "|" + shape.argument if "|" in shape.argument else shape.argument
    sets = [
        f"{name}={_quoted(text)}"
        for name, text in (("options", spellings), ("values", values), ("argument", argument))
        if text
    ]
    return f"        {_quoted(shape.name) if ' ' in shape.name else shape.name}) {' '.join(sets) or ':'} ;;"


def fish(
    shapes: Iterable["Shape"], switches: Iterable["Option"], described: Described, groups: Mapping[str, list[str]]
) -> str:
    """The fish script."""
    lines = [FISH.rstrip("\n")]
    lines += [f"complete -c mem -n __mem_bare -a {name} -d {_quoted(help)}" for name, help in described]
    lines += [_fish_option("", option) for option in switches]
    for name, words in groups.items():
        lines += [f"complete -c mem -n '__mem_group {name}' -a {word}" for word in words]
    for shape in shapes:
        condition = f"-n '__mem_is {shape.name}' "
        lines += [_fish_option(condition, option) for option in shape.options]
        if shape.argument:
            lines.append(f"complete -c mem {condition}{_fish_value(shape.argument)}")
    return "\n".join(lines) + "\n"


def _fish_option(condition: str, option: "Option") -> str:
    spellings = " ".join(f"-l {s[2:]}" if s.startswith("--") else f"-s {s[1:]}" for s in option.spellings)
    value = "" if option.value is None else " -r" if not option.value else f" -r {_fish_value(option.value)}"
    return f"complete -c mem {condition}{spellings}{value} -d {_quoted(option.help)}"


def _fish_value(kind: str) -> str:
    """The candidates of a kind: fish completes files itself when it may (-F)."""
    if kind in ("files", "folders"):
        return "-F"
    return f"-a {_quoted(kind.replace('|', ' '))}" if "|" in kind else f"-a '(__mem_ask {kind})'"


def _quoted(text: str) -> str:
    """A word for all three shells, in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"
