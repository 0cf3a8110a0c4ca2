/** `sonde test-sessions cancel`: cancels running test sessions (POST /v1/test-sessions/{testSessionId}/cancel). */
import { EXIT } from '../../src/base/exits.ts';
import { changeSeveral, printOutcomes } from '../../src/cli/bulk/change-several.ts';
import { argumentList, defineCommand } from '../../src/cli/framework/index.ts';
import { cancelTestSession, getTestSession } from '../../src/contract/index.ts';

export const command = defineCommand({
  name: 'test-sessions cancel',
  summary: 'Cancel running test sessions',
  endpoint: cancelTestSession,
  arguments: {
    ids: argumentList('IDs of the test sessions; - reads them from stdin', {
      param: 'testSessionId',
      of: 'test-session',
    }),
  },
  examples: [
    { line: 'test-sessions cancel 0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10', does: 'Cancel a test session' },
    {
      line: 'test-sessions list --jq ".[] | select(.status == \\"RUNNING\\").testSessionId" | sonde test-sessions cancel -',
      does: 'Cancel all running test sessions',
    },
  ],
  exits: [[EXIT.declined, 'confirmation declined; nothing was changed']],
  run: (deps, { inputs, many, output, globals, resolved: { names } }) =>
    changeSeveral(deps, {
      inputs,
      param: 'testSessionId',
      many,
      noun: 'test session',
      plural: 'test sessions',
      names,
      verb: 'Cancel',
      doing: 'Cancelling',
      done: 'cancelled',
      preview: { of: 'test-session', get: getTestSession },
      yes: globals.yes,
      required: false,
      work: (input, api) => api.call(cancelTestSession, input, { signal: deps.signal }),
      formatSuccess: (shown) => `Cancelled the test session ${shown}.`,
      print(outcomes) {
        const rows = outcomes.map((outcome) => ({ id: outcome.id, cancelled: 'value' in outcome }));
        const failed = rows.some(({ cancelled }) => !cancelled);
        return printOutcomes(deps, { output, many }, { key: 'cancelled', rows, failed });
      },
    }),
});
