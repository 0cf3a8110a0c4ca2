/** `sonde help exit-codes`: the table of exit codes, and what a gate promises. */
import { PRECEDENCE } from '../../../../src/base/errors.ts';
import { EXIT } from '../../../../src/base/exits.ts';
import { type Block, heading, lines, rows, text } from '../../blocks.ts';

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done; for a gate: every session was seen to end PASSED (or DEGRADED, unless --fail-on degraded)',
  badVerdict: "the gate's verdict is bad: some session FAILED or TIMED_OUT",
  usage:
    'usage: unknown command or option, invalid value or file, or nobody there to answer. Nothing was sent',
  refused: 'the API refused the request; its reasons are printed',
  credentials: 'no credentials, or the service answered 401 or 403',
  notFound: 'not found',
  unreachable: 'the service could not be reached, kept failing or limiting, or what answered is not the API',
  noVerdict: "the gate's own deadline passed with a session still running: the verdict is unknown",
  cancelled: 'a session was CANCELLED',
  declined: 'a person answered no; nothing was changed',
  bug: 'a bug in sonde; the message says where to report it',
  output: 'a result or report could not be written',
  hungUp: 'hung up (SIGHUP)',
  interrupted: 'interrupted (SIGINT, as by Ctrl-C)',
  terminated: 'terminated (SIGTERM)',
};

/** Code and meaning of all of them, in order. */
export const exitTable = (): readonly (readonly [code: string, meaning: string])[] =>
  (Object.keys(EXIT) as (keyof typeof EXIT)[])
    .toSorted((a, b) => EXIT[a] - EXIT[b])
    .map((name) => [String(EXIT[name]), MEANINGS[name]]);

export const exitCodes = (): readonly Block[] => [
  text('They are a contract: scripts may rely on each.'),
  rows(...exitTable()),
  text(
    `Of several sessions, or several ids, the code is the first of ${[...PRECEDENCE, EXIT.done].join(', ')} that applies to any.`,
  ),
  heading('A gate'),
  text(
    '"checks run", "sessions wait" and "test-sessions wait" end with 0 only for a good verdict that was seen: never because ' +
      'nothing ran, nothing answered, or time ran out. 1 is a bad verdict: roll back. 6 and 7 are no verdict: let a person ' +
      'look. "checks run --no-wait" only starts.',
  ),
  lines(
    [
      'sonde checks run --tag smoke --timeout 5m || exit $?',
      'lets a script go on only after a good verdict, and keeps the code',
    ],
    ['sonde sessions wait <id> --fail-on degraded', 'counts a slow session as a bad one'],
  ),
];
