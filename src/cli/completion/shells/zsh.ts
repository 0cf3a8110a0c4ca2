/** Adapts completion to zsh, which passes words without quotation marks and expects whole words. */
import { formatHead, joinLines, lineFromWords, type ReadShellLine } from './shell-line.ts';

const escapeWord = (text: string): string => text.replaceAll(/[\\:]/g, '\\$&');

/** Reads the index and the words. The script removes the prefix, so that lists show only the rest. */
export const readZsh: ReadShellLine = (argv) => ({
  line: lineFromWords(argv),
  format: (completion) =>
    joinLines([
      formatHead(completion),
      completion.title,
      completion.prefix,
      ...completion.words.map(({ value, description }) =>
        description ? `${escapeWord(value)}:${description.replaceAll('\\', '\\\\')}` : escapeWord(value),
      ),
    ]),
});

/** The completion script of zsh. */
export const zshScript = `#compdef sonde
# zsh completion for sonde.
# To enable it in every shell, save it in a folder of your fpath:  sonde completion zsh > "\${fpath[1]}/_sonde"
# or add this line to ~/.zshrc, after compinit:  source <(sonde completion zsh)

_sonde() {
  local program=\${~\${(Q)words[1]}} head title prefix
  local -a lines matches options
  whence -- "$program" >/dev/null || program=sonde
  lines=("\${(@f)$("$program" __complete zsh $((CURRENT - 2)) "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" "\${(@Q)words[CURRENT+1,-1]}" 2>/dev/null)}")
  head=$lines[1] title=$lines[2] prefix=$lines[3]
  [[ -n $prefix ]] && compset -P "\${(b)prefix}"
  case $head in
    files*) _files ;;
    folders*) _files -/ ;;
    words*)
      matches=("\${(@)lines[4,-1]}")
      (( \${#matches} )) || return 1
      [[ $head == *nospace* ]] && options=(-S '')
      _describe -V -t values "$title" matches "\${(@)options}"
      ;;
    *) return 1 ;;
  esac
}

# As a file of the fpath this is the body of the function; sourced, it says what it is for.
if [[ $funcstack[1] == _sonde ]]; then
  _sonde "$@"
else
  compdef _sonde sonde
fi
`;
