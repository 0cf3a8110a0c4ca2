/** `sonde help formatting`: the forms in which results are printed. */
import type { OutputFormat } from '../../../../src/terminal/index.ts';
import { type Block, heading, lines, rows, text } from '../../blocks.ts';

const FORMATS: Readonly<Record<OutputFormat, string>> = {
  table: 'Aligned columns; what a terminal gets where nothing is said',
  tsv: 'A row a line, tabs between the cells, no header; what a pipe or a file gets where nothing is said',
  json: 'The body as the API gave it, unknown fields kept; --json is short for it',
  jsonl: 'As json, an item a line',
  yaml: 'YAML, which -f reads again',
  csv: 'Comma-separated values with a header',
  plain: 'The bare values, a line each, where a command offers it',
  ical: 'A calendar, where a command offers it',
};

export const formatting = (): readonly Block[] => [
  text(
    'The result is on stdout, and nothing else. All that is said besides it (progress, warnings, questions, errors) is on ' +
      'stderr, and --quiet leaves out most of that.',
  ),
  heading('Formats'),
  rows(...Object.entries(FORMATS).map(([name, does]) => [`-o ${name}`, does] as const)),
  text(
    'In a terminal tables are cut to its width, times are relative and IDs are short; in a pipe nothing is cut and times are ISO 8601. --utc shows ' +
      'times in UTC. A list is one array in JSON, whatever the API wraps it in.',
  ),
  heading('Choosing'),
  rows(
    ['--fields <names>', 'Columns or keys, in this order; a dot leads inside: name,request.query'],
    ['--jq <expression>', 'What a jq expression makes of the JSON; jq need not be installed'],
    ['--all', 'Every page of a list; without it one page, and a word on stderr where there are more'],
  ),
  lines(
    ['sonde sessions list --fields name,status,startedAt', 'three columns'],
    ['sonde sessions list --jq \'.[] | "\\(.status) \\(.name)"\'', 'a line a session, made by jq'],
    [
      'sonde sessions list --all --jq \'map(select(.status == "FAILED")) | length\'',
      'counts those that failed',
    ],
    ['sonde static-ips -o plain', 'bare addresses, as for a firewall'],
  ),
  heading('Errors'),
  text(
    'With --json, --jq or -o json an error is one JSON object on stderr: {"error": {"kind", "message", "status", "endpoint", ' +
      '"requestId", "details", "hint"}}. stdout stays empty then. A gate with a bad verdict is a result, not an error: its sessions are on stdout.',
  ),
  heading('Colour'),
  text(
    'Only a terminal gets colour, and it never stands alone for a meaning. --no-color and NO_COLOR leave it out; FORCE_COLOR gives it ' +
      'to pipes, too. --plain draws nothing and moves nothing.',
  ),
];
