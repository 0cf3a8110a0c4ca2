/** Adapts completion to fish, which passes the word at the cursor as typed and expects whole words with descriptions. */
import { formatHead, joinLines, lineFromWords, type ReadShellLine, tokenizeLine } from './shell-line.ts';

const DIALECT = { escapes: '\\', escaped: '\\"$\n' };

/** Reads the index and the words; the last word includes its quotation marks. */
export const readFish: ReadShellLine = (argv) => {
  const { current, ...rest } = lineFromWords(argv);
  return {
    line: { ...rest, current: tokenizeLine(current, DIALECT).at(-1)?.value ?? '' },
    format: (completion) =>
      joinLines([
        formatHead(completion),
        completion.prefix,
        ...completion.words.map(({ value, description }) =>
          [`${completion.prefix}${value}`, ...(description ? [description] : [])].join('\t'),
        ),
      ]),
  };
};

/** The completion script of fish. */
export const fishScript = `# fish completion for sonde.
# To enable it in every shell:  sonde completion fish > ~/.config/fish/completions/sonde.fish

function __sonde_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l program $before[1]
    type -q -- $program; or set program sonde
    set -l lines ($program __complete fish (math (count $before) - 1) $before[2..] $current 2>/dev/null)
    set -l prefix $lines[2]
    switch "$lines[1]"
        case 'files*'
            set -l rest (string sub --start (math (string length -- "$prefix") + 1) -- $current)
            for path in (__fish_complete_path $rest)
                echo $prefix$path
            end
        case 'folders*'
            __fish_complete_directories $current ''
        case 'words*'
            printf '%s\\n' $lines[3..]
    end
end

complete -c sonde -e
complete -c sonde -k -f -a '(__sonde_complete)'
`;
