/** `sonde help input`: how values get into a request. */
import { type Block, heading, lines, rows, text } from '../../blocks.ts';

export const input = (): readonly Block[] => [
  text(
    'Everything is checked before anything is sent, and all that is wrong is said at once, with its place and the nearest value that would do. ' +
      'In a terminal what is missing is asked for; --no-input fails instead.',
  ),
  heading('Values of options'),
  rows(
    ['--tags <value,…>', 'Several, with commas between them or by giving the option again; [] for none'],
    ['--[no-]activated', '--activated for yes, --no-activated for no'],
    [
      '--retry-strategy <name=value,…>',
      'An object: type=FIXED,maxRetries=3 or JSON; null where the field takes it',
    ],
    [
      '--env <KEY[=VALUE]>',
      'KEY alone takes the value from the environment, so that no secret stands in a list of processes',
    ],
    ['<date>', '2026-11-21, or a whole timestamp: 2026-11-21T08:00:00Z'],
    ['<duration>', '500ms, 30s, 10m, 2h'],
    ['<id…>', 'Several ids; - reads them from stdin, one a line'],
  ),
  heading('IDs and names'),
  text(
    'Wherever an ID is wanted, a name or the first characters of the ID are enough, at least four of them. A whole ID is used as it ' +
      'stands. Anything else is looked up among all there are: the exact name counts first, then a name in any case, then the ' +
      'beginning of an ID. A word that means several things is refused with a list of them (exit code 2), one that means none with ' +
      'the nearest names (5), and nothing is done.',
  ),
  text(
    'Sessions have the name of their check, so only the beginning of their ID means them. Error groups need the whole ID. Lists in a ' +
      'terminal show short IDs, which every command takes; --fields id, -o and pipes give whole ones. Scripts are safest with whole IDs.',
  ),
  lines(
    ['sonde checks get "Apex record"', 'a check by its name'],
    ['sonde checks pause 5a2f8c1e', 'a check by the beginning of its ID'],
    ['sonde sessions list --check-id "Apex record"', 'options that take an ID take a name, too'],
  ),
  heading('A body from a file'),
  rows(
    ['--example', 'Prints a body to start from, with every field, its default and its bounds'],
    ['-f, --file <file>', 'Reads YAML or JSON; - reads stdin. Options on the line count before the file'],
    [
      '--set <path=value>',
      'Any field by its path, also those without an option: request.query=example.com, tags[0]=web',
    ],
    ['--dry-run', 'Prints the request, secrets left out, and sends nothing'],
  ),
  lines(
    ['sonde checks create-dns --example > check.yaml', 'a file to start from'],
    [
      'sonde checks create-dns -f check.yaml --name "Another" --dry-run',
      'the file under another name, only shown',
    ],
    ["sonde sessions list --jq '.[].checkSessionId' | sonde sessions wait -", 'ids from another command'],
  ),
];
