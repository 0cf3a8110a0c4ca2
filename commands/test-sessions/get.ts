/** `sonde test-sessions get`: shows a test session (endpoint 10). */

import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { openLink, webOption } from '../../src/cli/web/web-option.ts';
import { getTestSession } from '../../src/contract/index.ts';
import { doubtOf } from '../../src/gate/wait/judge.ts';
import { testSessions } from '../../src/gate/wait/verdict.ts';
import { printTestSession } from './shared/test-session.ts';

export const command = defineCommand({
  name: 'test-sessions get',
  summary: 'Show a test session',
  endpoint: getTestSession,
  arguments: { id: argument('ID of the test session', { param: 'testSessionId', of: 'test-session' }) },
  examples: [
    {
      line: 'test-sessions get 0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10',
      does: 'Show a test session with its results',
    },
  ],
  options: { web: webOption },
  async run(deps, line) {
    const { client, signal } = deps;
    const { body: session } = await (await client()).call(getTestSession, line.input, { signal });
    const doubt = doubtOf(testSessions, session.testSessionId, session);
    if (doubt !== undefined) await deps.terminal.warn(doubt);
    await (line.options.web
      ? openLink(deps, line, session.testSessionLink)
      : printTestSession(deps, line, session));
  },
});
