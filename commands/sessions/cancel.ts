/** `sonde sessions cancel`: cancels running check sessions (POST /v1/check-sessions/{id}/cancel). */
import { EXIT } from '../../src/base/exits.ts';
import { confirmChange } from '../../src/cli/bulk/confirm-change.ts';
import { printOutcomes, throwFailures } from '../../src/cli/bulk/run-for-all.ts';
import { runWithProgress } from '../../src/cli/bulk/run-with-progress.ts';
import { formatNameAndId } from '../../src/cli/framework/confirm-change.ts';
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
  async run(deps, { inputs, many, output, globals, resolved: { names } }) {
    const { client, terminal, signal } = deps;
    const [noun, plural] = ['check session', 'check sessions'];
    await confirmChange(deps, {
      verb: 'Cancel',
      ids: [...new Set(inputs.map(({ params }) => params.id))],
      noun,
      plural,
      names,
      preview: { of: 'session', get: getCheckSession },
      yes: globals.yes,
      required: false,
    });
    const api = await client();
    const outcomes = await runWithProgress(deps, {
      inputs,
      idOf: ({ params }) => params.id,
      labels: {
        noun,
        plural,
        doing: 'Cancelling',
        done: 'cancelled',
        resumeHint: 'run the same command again',
      },
      work: (input) => api.call(cancelCheckSession, input, { signal }),
      formatSuccess: (id) => `Cancelled the check session ${formatNameAndId(names, id)}.`,
    });
    const rows = outcomes.map((outcome) => ({ id: outcome.id, cancelled: !('error' in outcome) }));
    await printOutcomes(terminal, output, {
      rows,
      many,
      failed: rows.some(({ cancelled }) => !cancelled),
      columns: [
        { key: 'id', kind: 'id' },
        { key: 'cancelled', kind: 'boolean' },
      ],
    });
    throwFailures(outcomes, many, { noun, verb: 'cancelled' });
  },
});
