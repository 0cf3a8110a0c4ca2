/** Defines the help topics about using commands: options, input and formatting. */

import type { OutputFormat } from '../../../terminal/index.ts';
import { flagRow, globalFlagsBySubject } from '../../framework/lazy/command-help.ts';
import { type HelpBlock, heading, lines, rows, text } from '../topics.ts';

export const options = (): readonly HelpBlock[] => [
  text('Pass these flags before or after the name of a command. A flag overrides its environment variable.'),
  ...globalFlagsBySubject().flatMap(([subject, flags]) => [
    heading(subject),
    rows(...flags.map((flag) => flagRow(flag))),
  ]),
  text('For output formats, see sonde help formatting. For profiles and keys, see sonde help credentials.'),
];

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

const FORMATS: Readonly<Record<OutputFormat, string>> = {
  table: 'Aligned columns; the default in a terminal',
  tsv: 'Tab-separated rows without a header; the default in a pipe or file',
  json: 'The API response with all fields; --json is short for it',
  jsonl: 'JSON, one item per line',
  yaml: 'YAML that -f accepts as input',
  csv: 'Comma-separated values with a header',
  plain: 'Bare values, one per line, if the command supports it',
  ical: 'iCalendar, if the command supports it',
};

export const formatting = (): readonly HelpBlock[] => [
  text(
    'sonde prints only results to stdout. Progress, warnings, prompts and errors go to stderr; --quiet hides most of ' +
      'them.',
  ),
  heading('Formats'),
  rows(...Object.entries(FORMATS).map(([name, does]) => [`-o ${name}`, does] as const)),
  text(
    'In a terminal, tables are cut to its width, times are relative and IDs are short. In a pipe, nothing is cut and times are ISO 8601. --utc prints ' +
      'times in UTC. In JSON, every list is one array.',
  ),
  heading('Filters'),
  rows(
    ['--fields <names>', 'Columns or keys, in this order; a dot selects a nested field: name,request.query'],
    ['--jq <expression>', 'Filter of the JSON output; sonde includes jq'],
    ['--all', 'All pages of a list; by default one page, with a notice on stderr if there are more'],
  ),
  lines(
    ['sonde sessions list --fields name,status,startedAt', 'Select three columns'],
    ['sonde sessions list --jq \'.[] | "\\(.status) \\(.name)"\'', 'Print one line per session'],
    ['sonde sessions list --all --jq \'map(select(.status == "FAILED")) | length\'', 'Count failed sessions'],
    ['sonde static-ips -o plain', 'Print bare addresses for a firewall'],
  ),
  heading('Errors'),
  text(
    'With --json, --jq or -o json, sonde prints an error as one JSON object to stderr: {"error": {"kind", "message", "status", "endpoint", ' +
      '"requestId", "details", "hint"}}. stdout is then empty. A failed gate is a result, not an error: it prints its sessions to stdout.',
  ),
  heading('Colour'),
  text(
    'sonde uses colour only in a terminal, and never as the only sign of a meaning. --no-color and NO_COLOR disable colour; FORCE_COLOR enables it ' +
      'in pipes. --plain disables drawing and animation.',
  ),
];
