/** `sonde checks create-multistep`: creates a multi-step check. */
import { createMultiStepCheck } from '../../src/contract/index.ts';
import {
  createCheckCommand,
  LOCATION_FIELDS,
  LOCATION_STEPS,
  SCRIPT_FIELDS,
} from './shared/create-command.ts';

/** The initial text of the editor: a Playwright Test file that passes unchanged. */
const SCRIPT_TEMPLATE = `const { expect, test } = require('@playwright/test');

// Requests without a browser. The check passes if all tests pass.
test('the service responds', async ({ request }) => {
  const first = await test.step('request the page', () => request.get('https://example.com/'));
  expect(first.status(), 'the status of the response').toBe(200);
  expect(await first.text()).toContain('Example Domain');
});
`;

export const command = createCheckCommand({
  type: 'MULTI_STEP',
  description:
    "The script is Node.js code that makes requests with Playwright's request API: a Playwright Test file or a plain script. " +
    'Pass the script with --script-file, with --script, or in the body with -f.',
  endpoint: createMultiStepCheck,
  groups: {
    'Script environment': SCRIPT_FIELDS,
  },
  scheduleFields: LOCATION_FIELDS,
  steps: [
    { flag: 'name' },
    { flag: 'script', message: 'Script', template: SCRIPT_TEMPLATE },
    ...LOCATION_STEPS,
  ],
  examples: [
    {
      line: 'checks create-multistep --name Order --script-file order.spec.js --locations eu-west-1 --env SHOP_TOKEN',
      does: 'Run a script every 10 minutes, with a variable from the environment',
    },
  ],
  hasRuntime: true,
});
