/** Adapts completion to bash, which splits words at `=` and `:` and expects only the part after the last of these. */
import type { Completion, Word } from './completion.ts';
import { formatHead, joinLines, type ReadShellLine, type Token, tokenizeLine } from './shell-line.ts';

/** Values of COMP_TYPE for which bash shows a list and inserts only the common prefix. */
const LISTING = ['?', '!', '@'];

const dialect = (breaks: string) => ({ escapes: '\\', escaped: '\\"$`\n', breaks });
const REDIRECTION = /^(?:\d*|&)[<>]{1,3}[&|]?/;

/** Reads `COMP_POINT COMP_TYPE COMP_WORDBREAKS COMP_LINE`. */
export const readBash: ReadShellLine = ([point = '0', type = '9', breaks = '', line = '']) => {
  const letters = [...line];
  const at = Number(point);
  const [, ...tokens] = tokenizeLine(letters.slice(0, at).join(''), dialect(breaks));
  const [, ...after] = tokenizeLine(`_${letters.slice(at).join('')}`, dialect(breaks));
  const last = tokens.pop() ?? { value: '', raw: '', open: '', head: '' };
  const { words, isFile } = withoutRedirections(tokens);
  const isListing = LISTING.includes(String.fromCharCode(Number(type)));
  return {
    line: {
      before: words.map(({ value }) => value),
      current: last.value,
      after: after.map(({ value }) => value).filter((value) => value !== ''),
    },
    isFile: isFile || REDIRECTION.test(last.raw),
    format: (completion) =>
      joinLines([
        formatHead(completion),
        ...completion.words.map((word) => formatReply(word, completion, last, isListing)),
      ]),
  };
};

/** Drops redirections such as `> file`; `isFile`: the last word is `>`, so that its file follows. */
function withoutRedirections(tokens: readonly Token[]): { words: readonly Token[]; isFile: boolean } {
  const words: Token[] = [];
  let isFile = false;
  for (const token of tokens) {
    const [arrow] = token.raw.match(REDIRECTION) ?? [];
    if (arrow === undefined && !isFile) words.push(token);
    isFile = arrow !== undefined && arrow === token.raw;
  }
  return { words, isFile };
}

function formatReply(
  { value, description }: Word,
  { prefix, words }: Completion,
  last: Token,
  isListing: boolean,
): string {
  const text = quote(`${prefix}${value}`.slice(last.head.length), last.open);
  // Bash inserts a single word even when it shows a list.
  if (!isListing || words.length < 2 || !description) return text;
  return `${text}  (${description.replaceAll(/[`$\\;&|<>"'(){}!]/g, '')})`;
}

function quote(value: string, open: string): string {
  if (open === "'") return value.replaceAll("'", "'\\''");
  if (open === '"') return value.replaceAll(/["$`\\]/g, '\\$&');
  return value.replaceAll(/[^\w@%+=:,./-]/g, '\\$&');
}

/** The completion script of bash. */
export const bashScript = `# bash completion for sonde.
# To enable it in every shell, add this line to ~/.bashrc:  source <(sonde completion bash)
# or, with bash-completion: sonde completion bash > ~/.local/share/bash-completion/completions/sonde
# For an alias s: complete -F _sonde s

_sonde() {
  local program=$1 head= line
  [[ $program == "~/"* ]] && program=$HOME/\${program:2}
  case $(type -t -- "$program") in
    file | function) ;;
    *) program=sonde ;;
  esac
  COMPREPLY=()
  {
    IFS= read -r head
    while IFS= read -r line; do COMPREPLY+=("$line"); done
  } < <("$program" __complete bash "$COMP_POINT" "$COMP_TYPE" "$COMP_WORDBREAKS" "$COMP_LINE" 2>/dev/null)
  case $head in
    files*) compopt -o default 2>/dev/null ;;
    folders*) compopt -o dirnames 2>/dev/null ;;
  esac
  case $head in *nospace*) compopt -o nospace 2>/dev/null ;; esac
  case $head in *nosort*) compopt -o nosort 2>/dev/null ;; esac
}

complete -F _sonde sonde
`;
