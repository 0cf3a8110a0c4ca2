/** `sonde checks get`. */
import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { checks } from '../../src/cli/resources/checks.ts';

export const command = getCommand(checks, {
  examples: [
    { line: 'checks get "Apex record"', does: 'Show the status and settings of a check' },
    {
      line: 'checks get 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d -o yaml > check.yaml',
      does: 'Write a check to a file for "sonde checks update"',
    },
  ],
});
