/** `sonde sessions wait`: waits until check sessions end (endpoint 9). */

import { argumentList, defineCommand } from '../../src/cli/framework/index.ts';
import { awaitCheckSession } from '../../src/contract/index.ts';
import { checkSessions, pollCheckSessions } from '../../src/gate/index.ts';
import { gateExits, gateOptions, waitForSessions } from './shared/gate.ts';

export const command = defineCommand({
  name: 'sessions wait',
  summary: 'Wait for check sessions to end, and exit with the verdict',
  description:
    'Exits with 0 only if every session ended as PASSED or, unless --fail-on degraded is set, as DEGRADED. The command retries temporary errors until the deadline.',
  endpoint: awaitCheckSession,
  arguments: {
    ids: argumentList('IDs of the sessions', { placeholder: 'id', param: 'checkSessionId', of: 'session' }),
  },
  options: gateOptions,
  flags: { without: ['maxWaitSeconds'] },
  examples: [
    { line: 'sessions wait 0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10', does: 'Wait for a session to end' },
    {
      line: 'checks run --tag smoke --no-wait | sonde sessions wait - --fail-fast',
      does: 'Wait for the sessions on stdin, and exit at the first failure',
    },
  ],
  exits: gateExits,
  async run(deps, invocation) {
    await waitForSessions(deps, invocation, {
      kind: checkSessions,
      openPoll: async () => pollCheckSessions(await deps.client()),
      start: async () => ({
        ids: invocation.inputs.map(({ params }) => params.checkSessionId),
        many: invocation.many,
      }),
      justStarted: false,
      again: 'sessions wait',
    });
  },
});
