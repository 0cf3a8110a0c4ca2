/** `sonde sessions cancel`: cancels running check sessions (POST /v1/check-sessions/{id}/cancel). */
import { EXIT } from '../../src/base/exits.ts';
import { changeSeveral, printOutcomes } from '../../src/cli/bulk/change-several.ts';
import { argumentList, defineCommand } from '../../src/cli/framework/index.ts';
import { cancelCheckSession, getCheckSession } from '../../src/contract/index.ts';

export const command = defineCommand({
  name: 'sessions cancel',
  summary: 'Cancel running check sessions',
  endpoint: cancelCheckSession,
  arguments: {
    ids: argumentList('IDs of the sessions; - reads them from stdin', { param: 'id', of: 'session' }),
  },
  examples: [
    { line: 'sessions cancel 0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10', does: 'Cancel a session' },
    {
      line: 'sessions list --status PROGRESS --jq ".[].checkSessionId" | sonde sessions cancel -',
      does: 'Cancel all running sessions',
    },
  ],
  exits: [[EXIT.declined, 'confirmation declined; nothing was changed']],
  run: (deps, { inputs, many, output, globals, resolved: { names } }) =>
    changeSeveral(deps, {
      inputs,
      param: 'id',
      many,
      noun: 'check session',
      plural: 'check sessions',
      names,
      verb: 'Cancel',
      doing: 'Cancelling',
      done: 'cancelled',
      preview: { of: 'session', get: getCheckSession },
      yes: globals.yes,
      required: false,
      work: (input, api) => api.call(cancelCheckSession, input, { signal: deps.signal }),
      formatSuccess: (shown) => `Cancelled the check session ${shown}.`,
      print(outcomes) {
        const rows = outcomes.map((outcome) => ({ id: outcome.id, cancelled: 'value' in outcome }));
        const failed = rows.some(({ cancelled }) => !cancelled);
        return printOutcomes(deps, { output, many }, { key: 'cancelled', rows, failed });
      },
    }),
});
