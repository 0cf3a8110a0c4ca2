/** `sonde sessions logs`: prints the logs of a check session (endpoint 8, and the results of its check). */

import { argument, defineCommand, flag } from '../../src/cli/framework/index.ts';
import { getCheckSession } from '../../src/contract/index.ts';

export const command = defineCommand({
  name: 'sessions logs',
  summary: 'Print the logs of a check session',
  description:
    'Prints for each result the console lines of scripts and pages, and the errors. With --follow it prints further results until the ' +
    'session ends. The exit code does not depend on the verdict: to gate a release, use "sonde sessions wait".',
  endpoint: getCheckSession,
  arguments: { id: argument('ID of the session', { param: 'checkSessionId', of: 'session' }) },
  options: { follow: flag('Print further results until the session ends') },
  examples: [
    { line: 'sessions logs 0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10', does: 'Print the logs of a session' },
    {
      line: 'sessions logs 0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10 --follow',
      does: 'Follow a running session',
    },
    {
      line: 'sessions logs 0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10 -o jsonl --jq \'select(.source == "page-error")\'',
      does: 'Print only the errors of pages, as JSON',
    },
  ],
  async run(deps, line) {
    const { printLogs } = await import('./shared/lazy/session-logs.ts');
    await printLogs(deps, line, line.options.follow);
  },
});
