/** Defines `sonde help input`: how users pass values. */
import { type HelpBlock, heading, lines, rows, text } from '../../blocks.ts';

export const input = (): readonly HelpBlock[] => [
  text(
    'sonde validates all input before it sends a request, and reports all problems at once with their place and the nearest valid value. ' +
      'In a terminal, sonde prompts for missing values; with --no-input it fails instead.',
  ),
  heading('Flag values'),
  rows(
    ['--tags <value,…>', 'List: separate values with commas or repeat the flag; [] for an empty list'],
    ['--[no-]activated', 'Boolean: --activated is true, --no-activated is false'],
    [
      '--retry-strategy <name=value,…>',
      'Object: type=FIXED,maxRetries=3 or JSON; null if the field allows it',
    ],
    [
      '--env <KEY[=VALUE]>',
      'Variable: KEY alone reads the value from the environment and keeps secrets out of process lists',
    ],
    ['<date>', 'Date or timestamp: 2026-11-21 or 2026-11-21T08:00:00Z'],
    ['<duration>', 'Duration: 500ms, 30s, 10m, 2h'],
    ['<id…>', 'One or more IDs; - reads them from stdin, one per line'],
  ),
  heading('IDs and names'),
  text(
    'Instead of an ID, you can pass a name or the first characters of the ID, at least four of them. sonde uses a full ID ' +
      'unchanged. It looks up any other value: first as an exact name, then as a name in any case, then as an ID ' +
      'prefix. An ambiguous value is an error that lists the matches (exit code 2). A value without a match is an error that lists ' +
      'the nearest names (exit code 5). In both cases sonde changes nothing.',
  ),
  text(
    'Sessions have the name of their check, so pass an ID prefix for them. Error groups need the full ID. Lists in a ' +
      'terminal show short IDs, which every command accepts; --fields id, -o and pipes print full IDs. Use full IDs in scripts.',
  ),
  lines(
    ['sonde checks get "Apex record"', 'Get a check by name'],
    ['sonde checks pause 5a2f8c1e', 'Pause a check by ID prefix'],
    ['sonde sessions list --check-id "Apex record"', 'Pass a name to a flag that takes an ID'],
  ),
  heading('Request body from a file'),
  rows(
    ['--example', 'Print an example body with all fields, defaults and limits'],
    ['-f, --file <file>', 'Read YAML or JSON; - reads stdin. Flags override the file'],
    [
      '--set <path=value>',
      'Set any field by its path, also fields without a flag: request.query=example.com, tags[0]=web',
    ],
    ['--dry-run', 'Print the request without secrets and without sending it'],
  ),
  lines(
    ['sonde checks create-dns --example > check.yaml', 'Create an example file'],
    [
      'sonde checks create-dns -f check.yaml --name "Another" --dry-run',
      'Preview the file with another name',
    ],
    [
      "sonde sessions list --jq '.[].checkSessionId' | sonde sessions wait -",
      'Read IDs from another command',
    ],
  ),
];
