/** `sonde test-sessions get`: one test session (endpoint 10). */
import { getTestSession } from '../../src/contract/index.ts';
import { render } from '../../src/terminal/index.ts';
import { argument, defineCommand } from '../kernel/index.ts';
import { testSessionColumns } from '../shared/sessions/test-session.ts';

export const command = defineCommand({
  name: 'test-sessions get',
  summary: 'Show a test session',
  endpoint: getTestSession,
  arguments: { id: argument('Id of the test session', { param: 'testSessionId', of: 'test-session' }) },
  examples: [
    {
      line: 'test-sessions get 0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10',
      does: 'shows the session with its results',
    },
  ],
  async run(deps, line) {
    const { client, terminal, signal } = deps;
    const { input, output } = line;
    const { body: session } = await (await client()).call(getTestSession, input, { signal });
    await render(terminal, {
      kind: 'item',
      data: session,
      output,
      columns: testSessionColumns(session),
      card: async (shown) =>
        (await import('../shared/sessions/late/test-session-card.ts')).testSessionCard(deps, line, shown),
    });
  },
});
