/** Defines `sonde help exit-codes`. */
import { PRECEDENCE } from '../../../base/errors.ts';
import { EXIT } from '../../../base/exits.ts';
import { type HelpBlock, heading, lines, rows, text } from '../topics.ts';

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'success; for a gate: every session PASSED (or DEGRADED, unless --fail-on degraded)',
  badVerdict: 'failed gate: a session FAILED or TIMED_OUT',
  usage:
    'usage error: unknown command or flag, invalid value or file, or missing confirmation; nothing was sent',
  refused:
    'the API rejected the request, and sonde prints the reasons; or the deployment does not offer the endpoint',
  credentials: 'missing credentials, or the service responded with 401 or 403',
  notFound: 'not found',
  unreachable:
    'service unreachable, repeatedly failing or rate limiting, or the response is not from the API',
  noVerdict: 'gate timeout with a session still running: the verdict is unknown',
  cancelled: 'a session was CANCELLED',
  declined: 'confirmation declined, or a saved plan is outdated; nothing was changed',
  changesPending: 'plan --detailed-exitcode: changes are pending',
  locked: 'apply: another apply holds the lock of the project, or took it over',
  bug: 'bug in sonde; the message says where to report it',
  output: 'could not write a result or report',
  hungUp: 'hung up (SIGHUP)',
  interrupted: 'interrupted (SIGINT, as by Ctrl-C)',
  terminated: 'terminated (SIGTERM)',
};

/** Returns all exit codes with their meanings, in order. */
const exitTable = (): readonly (readonly [code: string, meaning: string])[] =>
  (Object.keys(EXIT) as (keyof typeof EXIT)[])
    .toSorted((a, b) => EXIT[a] - EXIT[b])
    .map((name) => [String(EXIT[name]), MEANINGS[name]]);

export const exitCodes = (): readonly HelpBlock[] => [
  text('Exit codes are stable: scripts can rely on them.'),
  rows(...exitTable()),
  text(
    `For several sessions or IDs, the exit code is the first of ${[...PRECEDENCE, EXIT.done].join(', ')} that applies to any of them.`,
  ),
  heading('Gates'),
  text(
    '"checks run", "sessions wait" and "test-sessions wait" exit with 0 only if they saw a good verdict: never because ' +
      'nothing ran, the service did not respond, or the timeout passed. 1 is a failure: roll back. 6 and 7 are unknown verdicts: a person must ' +
      'decide. "checks run --no-wait" only starts sessions.',
  ),
  lines(
    ['sonde checks run --tag smoke --timeout 5m || exit $?', 'Continue a script only after a good verdict'],
    ['sonde sessions wait <id> --fail-on degraded', 'Treat degraded sessions as failed'],
  ),
];
