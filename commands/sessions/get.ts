/** `sonde sessions get`: shows a check session (endpoint 8). */

import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { openLink, webOption } from '../../src/cli/web/web-option.ts';
import { getCheckSession } from '../../src/contract/index.ts';
import { doubtOf } from '../../src/gate/wait/judge.ts';
import { checkSessions } from '../../src/gate/wait/verdict.ts';
import { render } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'sessions get',
  summary: 'Show a check session',
  endpoint: getCheckSession,
  arguments: { id: argument('ID of the session', { param: 'checkSessionId', of: 'session' }) },
  examples: [
    { line: 'sessions get 0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10', does: 'Show a session with its results' },
    {
      line: 'sessions get 0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10 --jq .status',
      does: 'Print only the status of a session',
    },
  ],
  options: { web: webOption },
  async run(deps, line) {
    const { client, terminal, signal } = deps;
    const { input, output, options } = line;
    const { body: session } = await (await client()).call(getCheckSession, input, { signal });
    const doubt = doubtOf(checkSessions, session.checkSessionId, session);
    if (doubt !== undefined) await terminal.warn(doubt);
    if (options.web) return openLink(deps, line, session.checkSessionLink);
    await render(terminal, {
      kind: 'item',
      data: session,
      output,
      card: async (shown) =>
        (await import('./shared/lazy/session-card.ts')).checkSessionCard(deps, line, shown),
      columns: [
        { key: 'checkSessionId', header: 'session', kind: 'id' },
        { key: 'name', header: 'check' },
        { key: 'checkId', kind: 'id' },
        { key: 'checkType' },
        { key: 'status', kind: 'status' },
        { key: 'startedAt', kind: 'time' },
        { key: 'stoppedAt', kind: 'time' },
        { key: 'timeElapsed', kind: 'duration' },
        { key: 'runSource' },
        { key: 'runLocations', kind: 'list' },
        { key: 'checkSessionLink', header: 'link' },
      ],
    });
  },
});
