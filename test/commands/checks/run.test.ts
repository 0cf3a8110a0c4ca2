/** `checks run` against answers that start less than was asked for, or something else. */
import { describe, expect, it } from 'vitest';
import { command as run } from '../../../commands/checks/run.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { answer, serveWith } from '../../support/http.ts';
import { PROOF } from '../../support/proof.ts';

const [A, B, S, T] = ['10', '20', '30', '40'].map((end) => `0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d${end}`) as [
  string,
  string,
  string,
  string,
];

/** A service that starts these sessions, all of which have passed but the given ones. */
async function starting(sessions: unknown, failed: readonly string[] = []) {
  const { url, requests } = await serveWith((request, response) => {
    if (request.method === 'POST') return answer(response, { status: 201, body: { sessions } });
    const checkSessionId = request.url.split('/')[3] ?? '';
    const status = failed.includes(checkSessionId) ? 'FAILED' : 'PASSED';
    const all = [sessions].flat() as readonly Partial<ReturnType<typeof session>>[];
    const { checkId = A } = all.find((each) => each.checkSessionId === checkSessionId) ?? {};
    return answer(response, { body: { checkSessionId, status, ...PROOF, checkId } });
  });
  return { env: serviceAt(url), requests };
}
const session = (checkSessionId: string, checkId?: string) => ({
  checkSessionId,
  checkId,
  status: 'STARTED',
});

describe('checks run', () => {
  it('is good where every named check had a session that passed, whatever the case of its id', async () => {
    const { env } = await starting([session(S, A.toUpperCase()), session(T, B)]);
    expect((await runLine(run, [A, B, A], { env })).code).toBe(0);
  });

  it('is never good where a named check had no session: it waits for the others and exits 5', async () => {
    for (const sessions of [[session(S, A)], [session(S)], [session(S, A), session(T, S)]]) {
      const { env } = await starting(sessions);
      const { code, stdout, stderr } = await runLine(run, [A, B], { env });
      expect(code, stderr).toBe(5);
      expect(stdout).toContain('PASSED');
      expect(stderr).toContain(`no session started for check ${B}`);
    }
  });

  it('lets a session that failed outrank a check that had none', async () => {
    const { env } = await starting([session(S, A)], [S]);
    expect((await runLine(run, [A, B], { env })).code).toBe(1);
  });

  it('says so also where it does not wait', async () => {
    const { env } = await starting([session(S, A)]);
    expect(await runLine(run, [A, B, '--no-wait'], { env })).toMatchObject({ code: 5, stdout: `${S}\n` });
  });

  it('starts again where the service says that nothing was started, and rides out a service that restarts', async () => {
    let starts = 0;
    const { url, requests } = await serveWith((request, response) => {
      if (request.method === 'GET')
        return answer(response, { body: { checkSessionId: S, status: 'PASSED', ...PROOF, checkId: A } });
      starts += 1;
      return starts < 3
        ? answer(response, { status: 503, headers: { 'retry-after': '0' } })
        : answer(response, { status: 201, body: { sessions: [session(S, A)] } });
    });
    expect((await runLine(run, [A], { env: serviceAt(url) })).code).toBe(0);
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
  });

  it.each([502, 503])('rides out a %i of a gateway on starting', async (status) => {
    let starts = 0;
    const { url } = await serveWith((request, response) => {
      if (request.method === 'GET')
        return answer(response, { body: { checkSessionId: S, status: 'PASSED', ...PROOF, checkId: A } });
      starts += 1;
      return starts < 2
        ? answer(response, { status })
        : answer(response, { status: 201, body: { sessions: [session(S, A)] } });
    });
    expect((await runLine(run, [A], { env: serviceAt(url) })).code).toBe(0);
    expect(starts).toBe(2);
  });

  it.each([502, 503])('does not start twice with --no-wait where a %i may hide a start', async (status) => {
    const { url, requests } = await serveWith((_, response) => answer(response, { status }));
    expect((await runLine(run, [A, '--no-wait'], { env: serviceAt(url) })).code).toBe(6);
    expect(requests).toHaveLength(1);
  });

  it('does not start twice where the answer of a 500 may hide a start', async () => {
    const { url, requests } = await serveWith((_, response) => answer(response, { status: 500 }));
    expect((await runLine(run, [A], { env: serviceAt(url) })).code).toBe(6);
    expect(requests).toHaveLength(1);
  });

  it.each([
    [['--all', A], '--all cannot be combined with check IDs or --tag'],
    [['--all', '--tag', 'smoke'], '--all cannot be combined with check IDs or --tag'],
    [[], 'no checks specified'],
  ])('refuses %j before it starts anything', async (args, message) => {
    const { env, requests } = await starting([session(S, A)]);
    const { code, stderr } = await runLine(run, args, { env });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(requests).toEqual([]);
  });

  it('takes ids beside tags for candidates: those without the tags are not meant', async () => {
    const { env } = await starting([session(S, A)]);
    expect((await runLine(run, [A, B, '--tag', 'smoke'], { env })).code).toBe(0);
  });

  it.each([
    ['a session twice', [session(S, A), session(S, B)]],
    ['no id', [{ checkId: A }]],
    ['an empty id', [session('', A)]],
    ['an id that no path can hold', [session('..', A)]],
    [
      'a session twice, in another case',
      [session(S.replace('8d', 'AB'), A), session(S.replace('8d', 'ab'), B)],
    ],
    ['what a shell would run', [session('x; touch y', A)]],
    ['what would end an escape sequence, and the quotes round it', [session('a\u001b', A), session('b', B)]],
    ['several lines', [session(`${S}\n${T}`, A)]],
    ['an option', [session('--base-url=http://127.0.0.1:9', A)]],
    ['half a character', [session('\ud800', A)]],
    ['no sessions', {}],
    ['nothing', [null]],
  ])('takes an answer that names %s for none: sessions may have started', async (_, sessions) => {
    const { env, requests } = await starting(sessions);
    const { code, stderr } = await runLine(run, [A, B], { env });
    expect(code, stderr).toBe(6);
    expect(stderr).toContain('may have started');
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['a further page', { sessions: [session(S, A)], nextId: 'more' }, 'nextId'],
    ['a larger total', { sessions: [session(S, A)], total: 2 }, 'only 1 of 2 sessions'],
    [
      'its sessions twice',
      `{"sessions":[{"checkSessionId":"${T}"}],"sessions":[{"checkSessionId":"${S}"}]}`,
      'twice',
    ],
  ])('is not good with a start that has %s', async (_, body, message) => {
    const { url, requests } = await serveWith((_request, response) =>
      answer(response, { status: 201, body }),
    );
    const { code, stderr } = await runLine(run, ['--tag', 'smoke'], { env: serviceAt(url) });
    expect(code, stderr).toBe(6);
    expect(stderr).toContain(message);
    expect(requests).toHaveLength(1);
  });

  it('is never good where a session is of another check than it was started for', async () => {
    const { url } = await serveWith((request, response) =>
      request.method === 'POST'
        ? answer(response, { status: 201, body: { sessions: [session(S, A)] } })
        : answer(response, { body: { checkSessionId: S, status: 'PASSED', ...PROOF, checkId: B } }),
    );
    const { code, stderr } = await runLine(run, [A, '--timeout', '1s'], { env: serviceAt(url) });
    expect(code, stderr).toBe(6);
    expect(stderr).toContain('of another check than the one that was started');
  });
});
