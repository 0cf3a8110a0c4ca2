/** `sonde checks create-browser`, from its line to the request. */
import { describe, expect, it } from 'vitest';
import { command as createBrowser } from '../../../commands/checks/create-browser.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { serve } from '../../support/http.ts';

const SCRIPT = "const { test } = require('@playwright/test');\n";
const created = { status: 201, body: { id: 'c1', checkType: 'BROWSER', name: 'Checkout', script: SCRIPT } };
const sent = (body: string | undefined) => JSON.parse(body ?? '');

describe('checks create-browser', () => {
  it('reads the script from a file and creates the check', async () => {
    const server = await serve(created);
    const { code, stdout, stderr } = await runLine(
      createBrowser,
      ['--name', 'Checkout', '--script-file', 'checkout.js', '--frequency', '5', '--no-auto-assign-alerts'],
      { env: serviceAt(server.url), files: { 'checkout.js': SCRIPT } },
    );
    expect(code).toBe(0);
    expect(server.requests).toMatchObject([
      { method: 'POST', url: '/v1/checks/browser?autoAssignAlerts=false' },
    ]);
    expect(sent(server.requests[0]?.body)).toEqual({ name: 'Checkout', script: SCRIPT, frequency: 5 });
    expect(stdout).toContain('id\tc1\n');
    expect(stderr).toBe('Created browser check Checkout (c1).\n');
  });

  it('takes the script from a flag, from a body, and as null', async () => {
    const server = await serve(created, created, created);
    const options = { env: serviceAt(server.url), files: { 'check.yaml': 'name: A\nscript: "1"\n' } };
    await runLine(createBrowser, ['--name', 'A', '--script', '1'], options);
    await runLine(createBrowser, ['-f', 'check.yaml'], options);
    await runLine(createBrowser, ['--name', 'A', '--script', 'null'], options);
    expect(server.requests.map(({ body }) => sent(body).script)).toEqual(['1', '1', null]);
  });

  it('lists everything that is missing or wrong at once, and sends nothing', async () => {
    const { code, stdout, stderr } = await runLine(createBrowser, [
      '--frequency',
      '0',
      '--locations',
      'eu-west-9',
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('required flag: --name');
    expect(stderr).toContain('required flag: --script');
    expect(stderr).toContain('--frequency must be one of 1, 2, 5');
    expect(stderr).toContain('did you mean eu-west-');
  });

  it('prints a body to start from with --example, which it accepts itself', async () => {
    const server = await serve(created);
    const example = await runLine(createBrowser, ['--example']);
    const { code } = await runLine(createBrowser, ['-f', '-'], {
      env: serviceAt(server.url),
      input: example.stdout,
    });
    expect(code).toBe(0);
  });
});
