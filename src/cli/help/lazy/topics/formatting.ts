/** Defines `sonde help formatting`: output formats and filters. */
import type { OutputFormat } from '../../../../terminal/index.ts';
import { type HelpBlock, heading, lines, rows, text } from '../../blocks.ts';

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
