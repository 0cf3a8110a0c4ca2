/** `sonde sessions cancel`: cancels running check sessions (POST /v1/check-sessions/{id}/cancel). */
import { cancelCheckSession } from '../../src/contract/index.ts';
import { argumentList, defineCommand } from '../kernel/index.ts';
import { ask, naming } from '../shared/ask.ts';
import { inBulk, printOutcomes, throwFailures } from '../shared/bulk.ts';

export const command = defineCommand({
  name: 'sessions cancel',
  summary: 'Cancel running check sessions',
  endpoint: cancelCheckSession,
  arguments: {
    ids: argumentList('Ids of the sessions; - reads them from stdin', { param: 'id', of: 'session' }),
  },
  examples: [
    { line: 'sessions cancel 0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10', does: 'cancels one session' },
    {
      line: 'sessions list --status PROGRESS --jq ".[].checkSessionId" | sonde sessions cancel -',
      does: 'cancels what is running',
    },
  ],
  exits: [[9, 'a person answered no; nothing was changed']],
  async run(deps, { inputs, many, output, globals }) {
    const { client, terminal, signal } = deps;
    const noun = 'check session';
    const ids = [...new Set(inputs.map(({ params }) => params.id))];
    const message = `Cancel ${naming(ids, noun, 'check sessions')}?`;
    await ask(deps, { message, yes: globals.yes, required: false });
    const api = await client();
    const outcomes = await inBulk({
      inputs,
      signal,
      idOf: ({ params }) => params.id,
      work: (input) => api.call(cancelCheckSession, input, { signal }),
      done: (id) => terminal.note(`Cancelled the check session ${id}.`),
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
