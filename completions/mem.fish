# fish completion for mem, printed by `mem completion fish`.
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
complete -c mem -n __mem_bare -a save -d 'Remember a text, with the code that it is about.'
complete -c mem -n __mem_bare -a confirm -d 'Say that fragments hold for the code as it is now.'
complete -c mem -n __mem_bare -a supersede -d 'Replace fragments by another one, or undo that.'
complete -c mem -n __mem_bare -a delete -d 'Remove fragments for good.'
complete -c mem -n __mem_bare -a search -d 'Find fragments by words, identifiers and substrings, best first.'
complete -c mem -n __mem_bare -a list -d 'List fragments, newest first.'
complete -c mem -n __mem_bare -a query -d 'Ask with an expression: filter, map, join, union.'
complete -c mem -n __mem_bare -a render -d 'Print the memory block for a prompt, within a token budget.'
complete -c mem -n __mem_bare -a show -d 'Show a fragment and its stamp.'
complete -c mem -n __mem_bare -a why -d 'Explain a fragment'\''s confidence, anchor by anchor.'
complete -c mem -n __mem_bare -a diff -d 'Show how the code that fragments are about changed since.'
complete -c mem -n __mem_bare -a history -d 'Plot a fragment'\''s confidence over the commits since its stamp.'
complete -c mem -n __mem_bare -a sweep -d 'Recompute every confidence and report what fell and why.'
complete -c mem -n __mem_bare -a audit -d 'Report which lines of documents fell behind the code they name.'
complete -c mem -n __mem_bare -a hooks -d 'install, uninstall, status the hooks'
complete -c mem -n __mem_bare -a pending -d 'List the proposals that wait for approval.'
complete -c mem -n __mem_bare -a approve -d 'Accept proposals.'
complete -c mem -n __mem_bare -a reject -d 'Turn proposals down.'
complete -c mem -n __mem_bare -a init -d 'Make the store of this repository and offer its hooks.'
complete -c mem -n __mem_bare -a seed -d 'Begin with what README, agent files and manifests claim.'
complete -c mem -n __mem_bare -a export -d 'Write all fragments as JSON lines or Markdown.'
complete -c mem -n __mem_bare -a import -d 'Read fragments that export wrote.'
complete -c mem -n __mem_bare -a stats -d 'Count fragments by state, verdict, type and scope.'
complete -c mem -n __mem_bare -a config -d 'Show each setting and where its value comes from.'
complete -c mem -n __mem_bare -a completion -d 'Print the completion script of a shell.'
complete -c mem -s C -r -F -d 'act as if started in DIR'
complete -c mem -l json -d 'one JSON document'
complete -c mem -l jsonl -d 'one JSON object a line'
complete -c mem -l no-color -d 'no colours (as NO_COLOR does)'
complete -c mem -l raw -d 'angle brackets and line breaks as stored, in a pipe too'
complete -c mem -s q -l quiet -d 'no report of what was done, no notes'
complete -c mem -s v -l verbose -d 'say more'
complete -c mem -l author -r -d 'who asks'
complete -c mem -l version -d 'the version'
complete -c mem -s h -l help -d 'this help, or that of a command'
complete -c mem -n '__mem_group hooks' -a install
complete -c mem -n '__mem_group hooks' -a uninstall
complete -c mem -n '__mem_group hooks' -a status
complete -c mem -n '__mem_is save' -l type -s t -r -a '(__mem_ask types)' -d 'Its type; told from the key otherwise.'
complete -c mem -n '__mem_is save' -l scope -r -a '(__mem_ask scopes)' -d 'Where it holds.'
complete -c mem -n '__mem_is save' -l path -s p -r -F -d 'What it is about: P, P:10-40 or P#symbol (repeatable).'
complete -c mem -n '__mem_is save' -l ref -r -a '(__mem_ask ids)' -d 'What it is derived from (repeatable).'
complete -c mem -n '__mem_is save' -l supersedes -r -a '(__mem_ask ids)' -d 'What it replaces (repeatable).'
complete -c mem -n '__mem_is save' -l key -s k -r -a '(__mem_ask keys)' -d 'Its key.'
complete -c mem -n '__mem_is save' -l session -r -d 'The session that asks.'
complete -c mem -n '__mem_is save' -l confidence -r -d 'How sure it is, 0 to 1.'
complete -c mem -n '__mem_is save' -l propose -d 'Leave it for a person'\''s approval.'
complete -c mem -n '__mem_is save' -l force -d 'Confirm a text that its code speaks against.'
complete -c mem -n '__mem_is save' -l at -r -d 'Ask about that commit'\''s tree.'
complete -c mem -n '__mem_is confirm' -l at -r -d 'Ask about that commit'\''s tree.'
complete -c mem -n '__mem_is confirm' -l session -r -d 'The session that asks.'
complete -c mem -n '__mem_is confirm' -a '(__mem_ask ids)'
complete -c mem -n '__mem_is supersede' -l by -r -a '(__mem_ask ids)' -d 'The fragment that replaces them.'
complete -c mem -n '__mem_is supersede' -l undo -d 'Bring superseded fragments back.'
complete -c mem -n '__mem_is supersede' -l session -r -d 'The session that asks.'
complete -c mem -n '__mem_is supersede' -a '(__mem_ask ids)'
complete -c mem -n '__mem_is delete' -l session -r -d 'The session that asks.'
complete -c mem -n '__mem_is delete' -a '(__mem_ask ids)'
complete -c mem -n '__mem_is search' -l limit -s n -r -d 'At most N of them.'
complete -c mem -n '__mem_is search' -l type -s t -r -a '(__mem_ask types)' -d 'Only of this type (repeatable).'
complete -c mem -n '__mem_is search' -l scope -r -a '(__mem_ask scopes)' -d 'Only in this scope (repeatable).'
complete -c mem -n '__mem_is search' -l path -s p -r -F -d 'Prefer what is about it (repeatable).'
complete -c mem -n '__mem_is search' -l state -r -a '(__mem_ask states)' -d 'Only in this state (repeatable).'
complete -c mem -n '__mem_is search' -l min-confidence -r -d 'Only from this confidence on.'
complete -c mem -n '__mem_is search' -l all -s a -d 'Every state and confidence, other sessions'\'' too.'
complete -c mem -n '__mem_is search' -l explain -d 'Say how each score came about.'
complete -c mem -n '__mem_is search' -l at -r -d 'Ask about that commit'\''s tree.'
complete -c mem -n '__mem_is search' -l session -r -d 'The session that asks.'
complete -c mem -n '__mem_is list' -l limit -s n -r -d 'At most N of them.'
complete -c mem -n '__mem_is list' -l type -s t -r -a '(__mem_ask types)' -d 'Only of this type (repeatable).'
complete -c mem -n '__mem_is list' -l scope -r -a '(__mem_ask scopes)' -d 'Only in this scope (repeatable).'
complete -c mem -n '__mem_is list' -l path -s p -r -F -d 'Only about this path (repeatable).'
complete -c mem -n '__mem_is list' -l state -r -a '(__mem_ask states)' -d 'Only in this state (repeatable).'
complete -c mem -n '__mem_is list' -l min-confidence -r -d 'Only from this confidence on.'
complete -c mem -n '__mem_is list' -l all -s a -d 'Every state and confidence, other sessions'\'' too.'
complete -c mem -n '__mem_is list' -l stale -d 'Only those whose code changed or is gone.'
complete -c mem -n '__mem_is list' -l unverified -d 'Only those that can'\''t be compared.'
complete -c mem -n '__mem_is list' -l keys -d 'Key or id, type and confidence only.'
complete -c mem -n '__mem_is list' -l at -r -d 'Ask about that commit'\''s tree.'
complete -c mem -n '__mem_is list' -l session -r -d 'The session that asks.'
complete -c mem -n '__mem_is query' -l limit -s n -r -d 'At most N rows: 50, up to 500.'
complete -c mem -n '__mem_is query' -l table -d 'A table instead of a JSON object a line.'
complete -c mem -n '__mem_is query' -l session -r -d 'The session that asks.'
complete -c mem -n '__mem_is query' -l at -r -d 'Ask about that commit'\''s tree.'
complete -c mem -n '__mem_is render' -l budget -s b -r -d 'Tokens for all of the output.'
complete -c mem -n '__mem_is render' -l window -r -d 'Tokens of the model'\''s window instead.'
complete -c mem -n '__mem_is render' -l reserve -r -d 'Tokens of the window to leave free.'
complete -c mem -n '__mem_is render' -l prompt -r -d 'What it is for: what fits goes first; - is stdin.'
complete -c mem -n '__mem_is render' -l path -s p -r -F -d 'What is about this path goes first.'
complete -c mem -n '__mem_is render' -l format -s f -r -a 'memory markdown json' -d 'The form.'
complete -c mem -n '__mem_is render' -l encoding -r -d 'The tokens'\'' encoding.'
complete -c mem -n '__mem_is render' -l rule -d 'Say the standing rule with it.'
complete -c mem -n '__mem_is render' -l into -r -F -d 'Write it as Markdown into the file, between two marks.'
complete -c mem -n '__mem_is render' -l explain -d 'Say of each fragment why it is in or out.'
complete -c mem -n '__mem_is render' -l session -r -d 'The session that asks.'
complete -c mem -n '__mem_is render' -l at -r -d 'Ask about that commit'\''s tree.'
complete -c mem -n '__mem_is show' -l graph -d 'Draw what it is derived from and what is derived from it.'
complete -c mem -n '__mem_is show' -l format -s f -r -a 'tree dot mermaid' -d 'The form of the graph.'
complete -c mem -n '__mem_is show' -l at -r -d 'Ask about that commit'\''s tree.'
complete -c mem -n '__mem_is show' -l session -r -d 'The session that asks.'
complete -c mem -n '__mem_is show' -a '(__mem_ask ids)'
complete -c mem -n '__mem_is why' -l at -r -d 'Ask about that commit'\''s tree.'
complete -c mem -n '__mem_is why' -l session -r -d 'The session that asks.'
complete -c mem -n '__mem_is why' -a '(__mem_ask ids)'
complete -c mem -n '__mem_is diff' -l full -d 'The whole files, not only what the fragment is about.'
complete -c mem -n '__mem_is diff' -l at -r -d 'Ask about that commit'\''s tree.'
complete -c mem -n '__mem_is diff' -l session -r -d 'The session that asks.'
complete -c mem -n '__mem_is diff' -a '(__mem_ask ids)'
complete -c mem -n '__mem_is history' -l at -r -d 'Ask about that commit'\''s tree.'
complete -c mem -n '__mem_is history' -l session -r -d 'The session that asks.'
complete -c mem -n '__mem_is history' -a '(__mem_ask ids)'
complete -c mem -n '__mem_is sweep' -l dry-run -d 'Report only; store nothing.'
complete -c mem -n '__mem_is sweep' -l at -r -d 'Ask about that commit'\''s tree.'
complete -c mem -n '__mem_is sweep' -l since -r -d 'What changed since the merge base of REV and HEAD.'
complete -c mem -n '__mem_is sweep' -l check -d 'Exit 1 if anything is below the minimum (with --since: fell).'
complete -c mem -n '__mem_is sweep' -l all-stores -d 'Sweep every store that this user has.'
complete -c mem -n '__mem_is sweep' -l every -r -d 'Stay and sweep every 30s, 10m, 2h.'
complete -c mem -n '__mem_is sweep' -l cron -r -d 'Stay and sweep by a cron expression.'
complete -c mem -n '__mem_is sweep' -l scope -r -a '(__mem_ask scopes)' -d 'Only workspace, or only user scope.'
complete -c mem -n '__mem_is sweep' -l from -r -F -d 'The fragments that export wrote there, for this run only.'
complete -c mem -n '__mem_is sweep' -l format -s f -r -a 'text github' -d 'github: annotations of its Actions.'
complete -c mem -n '__mem_is audit' -l since -r -d 'Only what fell since the merge base of REV and HEAD.'
complete -c mem -n '__mem_is audit' -l check -d 'Exit 1 if a line is below the minimum (with --since: fell below it).'
complete -c mem -n '__mem_is audit' -l fix -d 'Rewrite the paths that moved, after showing the diff.'
complete -c mem -n '__mem_is audit' -l yes -s y -d 'Do not ask before rewriting.'
complete -c mem -n '__mem_is audit' -l all -s a -d 'Show every line that names code, the fresh ones too.'
complete -c mem -n '__mem_is audit' -l format -s f -r -a 'text github' -d 'The form; github: annotations.'
complete -c mem -n '__mem_is audit' -F
complete -c mem -n '__mem_is hooks install' -l pre-push -d 'Also stop a push that makes fragments stale.'
complete -c mem -n '__mem_is hooks install' -l pre-commit -d 'Also stop a commit that makes fragments stale.'
complete -c mem -n '__mem_is pending' -l limit -s n -r -d 'At most N of them.'
complete -c mem -n '__mem_is approve' -l all -s a -d 'All that wait.'
complete -c mem -n '__mem_is approve' -l source -r -d 'With --all: only those from this source.'
complete -c mem -n '__mem_is approve' -a '(__mem_ask ids)'
complete -c mem -n '__mem_is reject' -a '(__mem_ask ids)'
complete -c mem -n '__mem_is init' -l yes -s y -d 'Install the git hooks without asking.'
complete -c mem -n '__mem_is init' -l hooks -d 'Install the git hooks.'
complete -c mem -n '__mem_is init' -l here -d 'Make a store for this folder, which is in no repository.'
complete -c mem -n '__mem_is seed' -l yes -s y -d 'Accept them, without asking.'
complete -c mem -n '__mem_is seed' -l dry-run -d 'List them only; store nothing.'
complete -c mem -n '__mem_is export' -l format -s f -r -a 'jsonl markdown' -d 'The form.'
complete -c mem -n '__mem_is export' -l state -r -a '(__mem_ask states)' -d 'Only in this state (repeatable).'
complete -c mem -n '__mem_is export' -l scope -r -a '(__mem_ask scopes)' -d 'Only this scope.'
complete -c mem -n '__mem_is import' -l propose -d 'Leave what is new for a person'\''s approval.'
complete -c mem -n '__mem_is import' -l at -r -d 'Ask about that commit'\''s tree.'
complete -c mem -n '__mem_is import' -F
complete -c mem -n '__mem_is config' -l user -d 'Set it for this user instead of this repository.'
complete -c mem -n '__mem_is config' -l unset -d 'Take the setting out again.'
complete -c mem -n '__mem_is config' -a '(__mem_ask settings)'
complete -c mem -n '__mem_is completion' -a 'bash zsh fish'
