/** `sonde checks create-multistep`: creates a multi-step check. */
import { createMultiStepCheck } from '../../src/contract/index.ts';
import { createCheckCommand } from '../shared/checks/creation.ts';
import { ALERTS, ORDER, PLACES, SCRIPT } from '../shared/checks/groups.ts';

/** What an editor starts with: a Playwright Test file that passes as it stands. */
const SCRIPT_TEMPLATE = `const { expect, test } = require('@playwright/test');

// Requests without a browser. The check passes when all tests do.
test('the service answers', async ({ request }) => {
  const first = await test.step('ask for the page', () => request.get('https://example.com/'));
  expect(first.status(), 'the status of the answer').toBe(200);
  expect(await first.text()).toContain('Example Domain');
});
`;

export const command = createCheckCommand({
  verb: 'create-multistep',
  type: 'a multi-step',
  description:
    "The script is Node.js code that makes requests with Playwright's request API: a Playwright Test file or a plain script. " +
    'Give it with --script-file, as --script, or in the body of -f.',
  endpoint: createMultiStepCheck,
  flags: {
    groups: {
      'What the script needs': SCRIPT,
      'Where and when it runs': PLACES,
      'Who is told': ALERTS,
      'How it is found again': ORDER,
    },
  },
  steps: [
    { flag: 'name' },
    { flag: 'script', message: 'Script', template: SCRIPT_TEMPLATE },
    { flag: 'locations', message: 'Where it runs from' },
    { flag: 'frequency', message: 'How often it runs' },
  ],
  examples: [
    {
      line: 'checks create-multistep --name Order --script-file order.spec.js --locations eu-west-1 --env SHOP_TOKEN',
      does: 'runs the script every 10 minutes, with a variable from the environment',
    },
  ],
  runner: [{ key: 'runtimeId', header: 'runtime' }],
});
