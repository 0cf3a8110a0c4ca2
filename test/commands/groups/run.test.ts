/** `sonde groups run` against a real service: it is good only where checks of the group ran and passed. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { command as run } from '../../../commands/groups/run.ts';
import * as contract from '../../../src/contract/index.ts';
import type { CheckGroupBody } from '../../../src/service/store/index.ts';
import { BAD, GOOD } from '../../service/notify/alerts/outcomes.ts';
import { byHand } from '../../support/by-hand.ts';
import { call } from '../../support/call.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { answer, serveWith } from '../../support/http.ts';
import { startTestService } from '../../support/service.ts';

const started: string[] = [];

/** A service with a group of checks: one whose name begins with `bad` fails. */
async function serviceWith(group: Partial<CheckGroupBody>, ...checks: readonly object[]) {
  started.length = 0;
  const at = await startTestService({
    engine: {
      runners: {
        async DNS(check) {
          const { name } = check as { readonly name: string };
          started.push(name);
          return name.startsWith('bad') ? BAD : GOOD;
        },
      },
    },
  });
  onTestFinished(() => at.close());
  const { accountId, store } = at;
  const { id } = await store.groups.create(accountId, { name: 'Checkout', retryStrategy: null, ...group });
  for (const fields of checks) {
    const body = { request: { query: 'example.org' }, heartbeat: {}, script: '', ...byHand(), groupId: id };
    const typed = { type: 'DNS', body: { ...body, ...fields } };
    await store.checks.create(accountId, typed as Parameters<typeof store.checks.create>[1]);
  }
  return { at, id: String(id), env: { ...serviceAt(at.url), SONDE_API_KEY: at.apiKey } };
}

describe('groups run', () => {
  it('runs the activated checks of a group in their order, and ends well where all passed', async () => {
    const { at, env } = await serviceWith(
      { concurrency: 1 },
      { name: 'second', groupOrder: 2 },
      { name: 'off', groupOrder: 0, activated: false },
      { name: 'first', groupOrder: 1 },
    );
    const { code, stdout, stderr } = await runLine(run, ['Checkout', '--json'], { env });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'first', status: 'PASSED' },
      { name: 'second', status: 'PASSED' },
    ]);
    expect(started).toEqual(['first', 'second']);
    const { entries } = await call(at, contract.listCheckSessions, { query: {} });
    expect(entries.map(({ runSource }) => runSource)).toEqual(['GROUP_RUN_ALL', 'GROUP_RUN_ALL']);
  });

  it('fails where one failed', async () => {
    const { id, env } = await serviceWith({}, { name: 'good' }, { name: 'bad' });
    expect((await runLine(run, [id], { env })).code).toBe(1);
  });

  it('prints the ids of the sessions and does not wait where it is told so', async () => {
    const { at, id, env } = await serviceWith({}, { name: 'bad' });
    const { code, stdout } = await runLine(run, [id, '--no-wait'], { env });
    expect(code).toBe(0);
    const checkSessionId = stdout.trim();
    await call(at, contract.awaitCheckSession, { params: { checkSessionId }, query: {} });
  });

  it('starts nothing in a dry run', async () => {
    const { id, env } = await serviceWith({}, { name: 'good' });
    const { code, stdout, stderr } = await runLine(run, [id, '--dry-run'], { env });
    expect(code).toBe(0);
    expect(stdout + stderr).toContain(`/v1/check-groups/${id}/run`);
    expect(started).toEqual([]);
  });

  it.each<[what: string, group: object, checks: readonly object[], says: string]>([
    ['is empty', {}, [], 'has no checks'],
    ['is deactivated', { activated: false }, [{ name: 'a' }], 'is deactivated'],
    ['holds only deactivated checks', {}, [{ name: 'a', activated: false }], 'has no active checks'],
  ])('is never good where the group %s', async (_, group, checks, says) => {
    const { id, env } = await serviceWith(group, ...checks);
    for (const more of [[], ['--no-wait']]) {
      const { code, stdout, stderr } = await runLine(run, [id, ...more], { env });
      expect(code).toBe(5);
      expect(stdout).toBe('');
      expect(stderr).toContain('nothing was started');
      expect(stderr).toContain(says);
    }
  });

  it('is never good where there is no such group, or an answer names no session', async () => {
    const { env } = await serviceWith({});
    expect((await runLine(run, ['4711'], { env })).code).toBe(5);
    for (const body of [{ sessions: [] }, {}, { sessions: [{ checkSessionId: '..' }] }]) {
      const { url } = await serveWith((_, response) => answer(response, { status: 201, body }));
      expect((await runLine(run, ['12'], { env: serviceAt(url) })).code).not.toBe(0);
    }
  });
});
