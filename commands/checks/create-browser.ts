/** `sonde checks create-browser`: creates a browser check (endpoint 3). */
import { createBrowserCheck } from '../../src/contract/index.ts';
import { defineCommand } from '../kernel/index.ts';
import { ALERTS, ORDER } from '../shared/check-groups.ts';
import { tellCreatedCheck } from '../shared/created-check.ts';

export const command = defineCommand({
  name: 'checks create-browser',
  summary: 'Create a browser check',
  description:
    'The script is Node.js code that drives a browser with Playwright: a Playwright Test file or a plain script. ' +
    'Give it with --script-file, as --script, or in the body of -f.',
  endpoint: createBrowserCheck,
  flags: {
    groups: {
      'What the script needs': ['environmentVariables', 'runtimeId', 'dependencies'],
      'Where and when it runs': [
        'activated',
        'locations',
        'privateLocations',
        'frequency',
        'runParallel',
        'retryStrategy',
        'shouldFail',
      ],
      'Who is told': ALERTS,
      'How it is found again': ORDER,
    },
  },
  examples: [
    {
      line: 'checks create-browser --name Checkout --script-file checkout.spec.js --locations eu-west-1',
      does: 'runs the script every 10 minutes from one location',
    },
    {
      line: 'checks create-browser -f check.yaml --script-file checkout.spec.js --env SHOP_PASSWORD',
      does: 'takes the rest from a file, and the value of a variable from the environment',
    },
    { line: 'checks create-browser --example > check.yaml', does: 'writes a file to start from' },
  ],
  async run({ client, terminal, signal }, { input, output }) {
    const { body: check } = await (await client()).call(createBrowserCheck, input, { signal });
    await tellCreatedCheck(terminal, check, {
      type: 'browser',
      output,
      runner: [{ key: 'runtimeId', header: 'runtime' }],
    });
  },
});
