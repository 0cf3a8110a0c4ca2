/** `sonde plan` and `sonde apply` against a real service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as apply } from '../../commands/apply.ts';
import { command as plan } from '../../commands/plan.ts';
import { envOf, well } from '../cli/resources/journey.ts';
import { runLine } from '../support/command.ts';
import { send } from '../support/send.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Returns an account of its own, and functions that plan and apply a file there. */
async function account() {
  const own = { ...service, ...(await service.newAccount()) };
  const env = envOf(own);
  const list = async (path: string): Promise<readonly Record<string, unknown>[]> => {
    const { body } = await send(own, `GET ${path}`);
    return body as readonly Record<string, unknown>[];
  };
  return {
    own,
    env,
    list,
    plan: async (file: string, ...flags: string[]) =>
      JSON.parse((await well(plan, ['f', '--json', ...flags], { env, files: { f: file } })).stdout),
    apply: (file: string, ...flags: string[]) =>
      well(apply, ['f', '--yes', ...flags], { env, files: { f: file } }),
  };
}

const SHOP = `
project: shop
groups:
  - { name: Shop, locations: [eu-west-1] }
checks:
  - { name: Home, checkType: URL, group: Shop, request: { url: https://shop.test } }
  - { name: Apex, checkType: DNS, request: { query: shop.test }, tags: [edge] }
`;

describe('plan and apply', () => {
  it('create what is missing and record it; the next plan is empty', async () => {
    const { plan: planOf, apply: applyTo, list } = await account();
    expect((await planOf(SHOP)).summary).toMatchObject({ create: 3, unchanged: 0 });
    await applyTo(SHOP);
    const after = await planOf(SHOP);
    expect(after.summary).toEqual({ create: 0, update: 0, rename: 0, delete: 0, unchanged: 3, skipped: 0 });
    const [state] = await list('/v1/snippets');
    expect(state?.name).toBe('sonde project shop');
    expect(
      String(state?.script)
        .split('\n')
        .every((line) => line === '' || line.startsWith('//')),
    ).toBe(true);
  });

  it('name each field that changes, and reset the fields that the file leaves out', async () => {
    const { plan: planOf, apply: applyTo, own, list } = await account();
    await applyTo(SHOP);
    const [home] = (await list('/v1/checks')).filter(({ name }) => name === 'Home');
    await send(own, `PUT /v1/checks/url/${home?.id}`, { frequency: 5, description: 'by hand' });
    const { changes } = await planOf(SHOP.replace('tags: [edge]', 'tags: [edge, dns]'));
    const changed = changes.filter(({ action }: { action: string }) => action === 'update');
    expect(changed).toMatchObject([
      {
        name: 'Home',
        id: home?.id,
        fields: [
          { path: 'frequency', before: 5, after: 10 },
          { path: 'description', before: 'by hand', after: null },
        ],
      },
      { name: 'Apex', fields: [{ path: 'tags', before: ['edge'], after: ['edge', 'dns'] }] },
    ]);
    await applyTo(SHOP);
    const again = await list('/v1/checks');
    expect(again.find(({ name }) => name === 'Home')).toMatchObject({ frequency: 10, description: null });
  });

  it('exit with 10 for pending changes if asked, and print the plan', async () => {
    const { env, apply: applyTo } = await account();
    const files = { f: SHOP };
    const pending = await runLine(plan, ['f', '--detailed-exitcode'], { env, files });
    expect(pending.code).toBe(10);
    expect(pending.stdout).toContain('+ create check "Home"\n+   checkType: URL\n');
    expect(pending.stdout).toContain('Plan: 3 to create.\n');
    expect(pending.stderr).toBe('');
    expect((await runLine(plan, ['f'], { env, files })).code).toBe(0);
    await applyTo(SHOP);
    expect(await runLine(plan, ['f', '--detailed-exitcode'], { env, files })).toMatchObject({ code: 0 });
  });

  it('change nothing without confirmation', async () => {
    const { env, list } = await account();
    const refused = await runLine(apply, ['f'], { env, files: { f: SHOP } });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('confirmation required');
    expect(await list('/v1/snippets')).toEqual([]);
    expect(await list('/v1/checks')).toEqual([]);
  });
});
