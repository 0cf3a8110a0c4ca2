/** `sonde checks create-browser`: creates a browser check (endpoint 3). */
import { localBrowserWarning } from '../../src/cli/local-service/browser.ts';
import { createBrowserCheck } from '../../src/contract/index.ts';
import {
  createCheckCommand,
  LOCATION_FIELDS,
  LOCATION_STEPS,
  SCRIPT_FIELDS,
} from './shared/create-command.ts';

/** The initial text of the editor: a Playwright Test file that passes unchanged. */
const SCRIPT_TEMPLATE = `const { expect, test } = require('@playwright/test');

// Each test runs in a new page. The check passes if all tests pass.
test('the page loads', async ({ page }) => {
  const response = await page.goto('https://example.com/');
  expect(response.status(), 'the status of the response').toBeLessThan(400);
  await expect(page).toHaveTitle(/Example Domain/);
});
`;

export const command = createCheckCommand({
  type: 'BROWSER',
  description:
    'The script is Node.js code that drives a browser with Playwright: a Playwright Test file or a plain script. ' +
    'Pass the script with --script-file, with --script, or in the body with -f.',
  endpoint: createBrowserCheck,
  groups: { 'Script environment': SCRIPT_FIELDS },
  scheduleFields: LOCATION_FIELDS,
  warning: localBrowserWarning,
  steps: [
    { flag: 'name' },
    { flag: 'script', message: 'Script', template: SCRIPT_TEMPLATE },
    ...LOCATION_STEPS,
  ],
  examples: [
    {
      line: 'checks create-browser --name Checkout --script-file checkout.spec.js --locations eu-west-1',
      does: 'Run a script every 10 minutes from one location',
    },
    {
      line: 'checks create-browser -f check.yaml --script-file checkout.spec.js --env SHOP_PASSWORD',
      does: 'Read all other fields from a file, and the value of a variable from the environment',
    },
  ],
  hasRuntime: true,
});
