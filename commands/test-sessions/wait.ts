/** `sonde test-sessions wait`: waits until test sessions end. */

import { argumentList, defineCommand } from '../../src/cli/framework/index.ts';
import { getTestSession } from '../../src/contract/index.ts';
import { pollTestSessions, testSessions } from '../../src/gate/index.ts';
import { gateExits, gateOptions, waitForSessions } from '../sessions/shared/gate.ts';

export const command = defineCommand({
  name: 'test-sessions wait',
  summary: 'Wait for test sessions to end, and exit with the verdict',
  description:
    'Exits with 0 only if every session ended as PASSED. The command retries temporary errors until the deadline.',
  endpoint: getTestSession,
  arguments: {
    ids: argumentList('IDs of the test sessions', {
      placeholder: 'id',
      param: 'testSessionId',
      of: 'test-session',
    }),
  },
  options: gateOptions,
  examples: [
    {
      line: 'test-sessions wait 0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10 --timeout 5m',
      does: 'Wait for at most five minutes',
    },
  ],
  exits: gateExits,
  async run(deps, invocation) {
    await waitForSessions(deps, invocation, {
      kind: testSessions,
      openPoll: async () => pollTestSessions(await deps.client()),
      start: async () => ({
        ids: invocation.inputs.map(({ params }) => params.testSessionId),
        many: invocation.many,
      }),
      justStarted: false,
      again: 'test-sessions wait',
    });
  },
});
