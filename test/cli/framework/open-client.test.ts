/** What `--trace` writes to a terminal of what a server sent. */
import { expect, it } from 'vitest';
import { command as get } from '../../../commands/sessions/get.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { serve } from '../../support/http.ts';

const SESSION = '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10';

it('keeps what could drive the terminal out of headers and bodies', async () => {
  const server = await serve({
    headers: { 'x-colour': 'red\x9b31m', 'x-title': 'a\x9d0;owned\x9cb' },
    body: { checkSessionId: SESSION, status: 'PASSED', name: 'c\u202ed\u009b31m' },
  });
  const { code, stderr } = await runLine(get, [SESSION, '--trace'], { env: serviceAt(server.url) });
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('x-colour: red\n');
  expect(stderr).toContain('x-title: ab\n');
  expect(stderr).not.toMatch(/[\u0080-\u009f\u202e]/);
});
