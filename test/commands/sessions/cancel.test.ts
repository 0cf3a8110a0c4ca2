/** `sonde sessions cancel`: what is asked first, what is sent, and what is told of each id. */
import { describe, expect, it } from 'vitest';
import { command as cancel } from '../../../commands/sessions/cancel.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { answer, serve, serveWith } from '../../support/http.ts';
import { askedLine } from '../../support/person.ts';

const ONE = '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d10';
const TWO = '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d20';

describe('sessions cancel', () => {
  it('cancels each session, without asking where nobody can be asked', async () => {
    const server = await serve({ status: 204 }, { status: 204 });
    const { code, stdout, stderr } = await runLine(cancel, [ONE, TWO], { env: serviceAt(server.url) });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(`Cancelled the check session ${ONE}.`);
    expect(server.requests.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
      `POST /v1/check-sessions/${ONE}/cancel`,
      `POST /v1/check-sessions/${TWO}/cancel`,
    ]);
  });

  it('asks a person, and sends nothing after a no', async () => {
    const session = { checkSessionId: ONE, name: 'Apex', status: 'PROGRESS' };
    const server = await serve({ body: session });
    const { code, stderr } = await askedLine(cancel, [ONE], { env: serviceAt(server.url) }, [
      `Cancel the check session ${ONE}?`,
      'n\n',
    ]);
    expect(code).toBe(9);
    expect(stderr).toContain(`  ${ONE}  PROGRESS Apex\n`);
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  it('shows each outcome and exits by precedence', async () => {
    const server = await serveWith(({ url }, response) =>
      url.includes(TWO)
        ? answer(response, { status: 409, body: { message: 'It has ended already' } })
        : answer(response, { status: 204 }),
    );
    const { code, stdout, stderr } = await runLine(cancel, ['-', '--json'], {
      env: serviceAt(server.url),
      input: `${ONE}\n${TWO}\n`,
    });
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toEqual([
      { id: ONE, cancelled: true },
      { id: TWO, cancelled: false },
    ]);
    expect(stderr).toContain('It has ended already');
  });

  it('refuses what is no id before anything is sent', async () => {
    const server = await serve();
    const { code, stderr } = await runLine(cancel, [ONE, 'latest'], { env: serviceAt(server.url) });
    expect(code).toBe(2);
    expect(stderr).toContain('<ids> must be a UUID, not "latest"');
  });
});
