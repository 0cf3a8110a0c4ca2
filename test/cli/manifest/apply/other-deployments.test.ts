/** Deployments that offer less than our service, or change what they store: a second plan is empty, and says so honestly. */
import { describe, expect, it } from 'vitest';
import { command as apply } from '../../../../commands/apply.ts';
import { command as plan } from '../../../../commands/plan.ts';
import { runLine, serviceAt } from '../../../support/command.ts';
import { answer, serveWith } from '../../../support/http.ts';
import { well } from '../../resources/journey.ts';

type Row = Record<string, unknown>;

/** A deployment with snippets and checks only, without the endpoints that update one type of check. */
async function deployment() {
  const tables: Record<string, Row[]> = { snippets: [], checks: [] };
  let lastId = 0;
  /** What it makes of a check: upper-case tags, complete alert settings, an own runtime, a default of its own. */
  const normalize = (body: Row): Row => ({
    maxResponseTime: 7000,
    ...body,
    tags: ((body.tags ?? []) as string[]).map((tag) => tag.toUpperCase()),
    runtimeId: body.runtimeId ?? '2024.02',
    alertSettings: {
      escalationType: 'RUN_BASED',
      runBasedEscalation: { failedRunThreshold: 1 },
      ...(body.alertSettings as Row),
    },
  });
  const server = await serveWith(({ url, method, body: sent }, response) => {
    const [, , table = '', ...path] = new URL(url, 'http://localhost').pathname.split('/');
    const rows = tables[table];
    const missing = { status: 404, body: { statusCode: 404, error: 'Not Found', message: 'Not Found' } };
    if (!rows) return answer(response, missing);
    const id = path.at(-1);
    const body = (sent === '' ? {} : JSON.parse(String(sent))) as Row;
    if (method === 'GET' && path.length > 0) {
      const row = rows.find((each) => String(each.id) === id);
      return answer(response, row ? { body: row } : missing);
    }
    if (method === 'GET') {
      // Its lists leave the description out.
      const shown = rows.map(({ description: _, ...row }) => row);
      return answer(response, { body: shown });
    }
    if (method === 'POST') {
      lastId += 1;
      const type = table === 'checks' ? { checkType: path[0]?.toUpperCase() } : {};
      const row = {
        id: table === 'checks' ? `00000000-0000-4000-8000-00000000000${lastId}` : lastId,
        ...type,
        ...(table === 'checks' ? normalize(body) : body),
      };
      rows.push(row);
      return answer(response, { status: 201, body: row });
    }
    if (table === 'checks' && path.length > 1) return answer(response, missing);
    const row = rows.find((each) => String(each.id) === id);
    if (!row) return answer(response, missing);
    Object.assign(row, table === 'checks' ? normalize({ ...row, ...body }) : body);
    return answer(response, { body: row });
  });
  const lines = () => server.requests.map(({ method, url }) => `${method} ${url}`);
  return { env: serviceAt(server.url), tables, lines };
}

const FILE = `
project: shop
checks:
  - { name: One, checkType: URL, tags: [a], description: First, request: { url: https://one.test } }
  - { name: Two, checkType: URL, alertSettings: { reminders: { amount: 2 } }, request: { url: https://two.test } }
`;

describe('a deployment that changes what it stores', () => {
  it('has an empty plan after an apply, until somebody changes a resource', async () => {
    const { env, tables, lines } = await deployment();
    await well(apply, ['f', '--yes'], { env, files: { f: FILE } });
    const next = await well(plan, ['f', '--detailed-exitcode'], { env, files: { f: FILE } });
    expect(next.stdout).toBe('No changes. 2 resources are up to date.\n');
    const drift = await well(plan, ['f', '--refresh-only', '--detailed-exitcode'], {
      env,
      files: { f: FILE },
    });
    expect(drift.stdout).toContain('No changes since the last apply.');
    Object.assign(tables.checks?.[0] ?? {}, { tags: ['B'], maxResponseTime: 8000 });
    const changed = await runLine(plan, ['f', '--json', '--detailed-exitcode'], { env, files: { f: FILE } });
    expect(changed.code).toBe(10);
    expect(JSON.parse(changed.stdout).changes[0].fields.map(({ path }: { path: string }) => path)).toEqual([
      'tags',
      'maxResponseTime',
    ]);
    // Nothing asked for what the files do not use, and nothing was sent in batches.
    expect(lines().filter((line) => !/^(GET|POST|PUT) \/v1\/(snippets|checks)\b/.test(line))).toEqual([]);
  });

  it('never hides a change of a text with a secret, which the record does not contain', async () => {
    const { env } = await deployment();
    const withToken = { ...env, SHOP_TOKEN: 'sk_secret_1' };
    const file = (suffix: string) =>
      `variables: [SHOP_TOKEN]\n${FILE}`.replace('[a]', `["\${SHOP_TOKEN}${suffix}"]`);
    await well(apply, ['f', '--yes'], { env: withToken, files: { f: file('-a') } });
    const { code, stdout } = await runLine(plan, ['f', '--detailed-exitcode'], {
      env: withToken,
      files: { f: file('-b') },
    });
    expect([code, stdout]).toEqual([10, expect.stringContaining('1 to update')]);
    expect(stdout).not.toContain('sk_secret_1');
  });

  it('gets updates at the endpoint that it offers, and says so once', async () => {
    const { env, lines } = await deployment();
    await well(apply, ['f', '--yes'], { env, files: { f: FILE } });
    const next = FILE.replaceAll('checkType: URL', 'checkType: URL, frequency: 5');
    const { stderr } = await well(apply, ['f', '--yes'], { env, files: { f: next } });
    expect(stderr.match(/This deployment does not offer PUT \/v1\/checks\/url\/\{id\}/g)).toHaveLength(1);
    const updates = lines().filter((line) => /^PUT \/v1\/checks\/0/.test(line));
    expect(updates).toHaveLength(2);
    expect((await well(plan, ['f'], { env, files: { f: next } })).stdout).toContain('No changes.');
  });
});

it('a deployment without a kind of resource refuses files that have one, with 3', async () => {
  const { env, tables } = await deployment();
  const file = `${FILE}dashboards: [{ header: Wall, customUrl: wall }]\n`;
  const { code, stderr } = await runLine(apply, ['f', '--yes'], { env, files: { f: file } });
  expect([code, stderr]).toEqual([3, expect.stringContaining('does not offer GET /v1/dashboards')]);
  expect(tables.checks).toEqual([]);
});
