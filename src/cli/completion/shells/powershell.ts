/** Adapts completion to PowerShell, which passes the line up to the cursor and expects replacements of the current word. */
import type { Completion } from './completion.ts';
import { formatHead, joinLines, type ReadShellLine, tokenizeLine } from './shell-line.ts';

const DIALECT = { escapes: '`', doubles: true } as const;

/** Reads the line up to the cursor and PowerShell's current word, both in Base64, which no quoting changes. */
export const readPowershell: ReadShellLine = (argv) => {
  const [line = '', word = ''] = argv.map((text) => Buffer.from(text, 'base64').toString('utf8'));
  const [, ...tokens] = tokenizeLine(line, DIALECT);
  const current = tokens.pop()?.value ?? '';
  // PowerShell may split a list or `--flag=` and replaces only its own part of the word.
  const head = current.endsWith(word) ? current.slice(0, current.length - word.length) : '';
  const textOf = ({ prefix }: Completion, value: string): string =>
    quote(`${prefix}${value}`.slice(head.length));
  return {
    line: { before: tokens.map(({ value }) => value), current, after: [] },
    format: (completion) =>
      joinLines([
        formatHead(completion),
        ...completion.words.map(({ value, description }) =>
          [textOf(completion, value), value.trim(), description || value.trim()].join('\t'),
        ),
      ]),
  };
};

const quote = (value: string): string =>
  /^[\w@+=:./-]+$/.test(value) && !value.startsWith('@') ? value : `'${value.replaceAll("'", "''")}'`;

/** The completion script of PowerShell. */
export const powershellScript = `# PowerShell completion for sonde (untested: please report problems).
# To enable it in every shell, add this line to $PROFILE:  sonde completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName @('sonde', 'sonde.cmd', 'sonde.ps1') -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $encode = { param($text) [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($text)) }
  $text = $commandAst.Extent.Text
  $length = $cursorPosition - $commandAst.Extent.StartOffset
  $line = if ($length -gt $text.Length) { $text.PadRight($length) } else { $text.Substring(0, $length) }
  $program = $commandAst.CommandElements[0].Value
  if (-not (Get-Command $program -ErrorAction SilentlyContinue)) { $program = 'sonde' }
  $encoding = [Console]::OutputEncoding
  try {
    [Console]::OutputEncoding = [Text.Encoding]::UTF8
    # An empty argument is lost on its way to a program: '=' decodes to nothing.
    $word = if ($wordToComplete) { & $encode $wordToComplete } else { '=' }
    $lines = @(& $program __complete powershell (& $encode $line) $word 2>$null)
  } catch { return } finally { [Console]::OutputEncoding = $encoding }
  # Nothing at all has PowerShell offer files, which is what is wanted then.
  if ($lines.Count -lt 2 -or -not $lines[0].StartsWith('words')) { return }
  foreach ($each in $lines[1..($lines.Count - 1)]) {
    $value, $shown, $description = $each -split "\`t"
    [System.Management.Automation.CompletionResult]::new($value, $shown, 'ParameterValue', $description)
  }
}
`;
