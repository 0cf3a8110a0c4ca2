/** `sonde plan` and `sonde apply` against a real service. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { command as apply } from '../../commands/apply.ts';
import { command as exportCommand } from '../../commands/export.ts';
import { command as plan } from '../../commands/plan.ts';
import { startApplyProxy } from '../cli/manifest/apply/apply-proxy.ts';
import { envOf, well } from '../cli/resources/journey.ts';
import { runLine } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { send } from '../support/send.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { newAccount, SHOP } from './apply-account.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const account = () => newAccount(service);

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
    await send(own, `PUT /v1/checks/url/${home?.id}`, {
      frequency: 5,
      description: 'by hand',
      groupId: null,
    });
    const { changes } = await planOf(SHOP.replace('tags: [edge]', 'tags: [edge, dns]'));
    const changed = changes.filter(({ action }: { action: string }) => action === 'update');
    expect(changed).toMatchObject([
      {
        name: 'Home',
        id: home?.id,
        fields: [
          { path: 'group', before: null, after: 'Shop' },
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

  it('create a check before the checks that depend on it, and can reverse the dependency', async () => {
    const { env, plan: planOf, apply: applyTo, list } = await account();
    const check = (name: string, rest = '') =>
      `  - { name: ${name}, checkType: URL, request: { url: https://shop.test }${rest} }\n`;
    const unchanged = { create: 0, update: 0, rename: 0, delete: 0, unchanged: 2, skipped: 0 };
    for (const [first, second] of [
      [', dependsOn: [Home]', ''],
      ['', ', dependsOn: [Shop]'],
    ]) {
      const text = `project: shop\nchecks:\n${check('Shop', first)}${check('Home', second)}`;
      await applyTo(text);
      expect((await planOf(text)).summary).toEqual(unchanged);
      const [dependent, target] = first === '' ? ['Home', 'Shop'] : ['Shop', 'Home'];
      const checks = await list('/v1/checks');
      const named = (name: string) => checks.find((each) => each.name === name);
      expect(named(dependent)).toMatchObject({ dependsOn: [named(target)?.id] });
      const { stdout } = await well(exportCommand, ['-o', 'yaml'], { env });
      expect(stdout).toContain(`dependsOn: [${target}]\n`);
      expect((await planOf(stdout)).summary).toEqual(unchanged);
    }
  });

  it('show the next pings of a heartbeat whose cron expression is new', async () => {
    const { env, apply: applyTo } = await account();
    const heartbeat = (cron: string, grace = 1) =>
      `project: jobs\nchecks:\n  - { name: Backup, checkType: HEARTBEAT, heartbeat: { cron: "${cron}", grace: ${grace}, graceUnit: hours } }\n`;
    const planned = async (f: string) => (await runLine(plan, ['f'], { env, files: { f } })).stderr;
    const next = /next pings of check "Backup" are expected at:\n(?: {2}\w{3} [-\d]+ 02:30 UTC\n){5}/;
    expect(await planned(heartbeat('30 2 * * *'))).toMatch(next);
    await applyTo(heartbeat('30 2 * * *'));
    expect(await planned(heartbeat('30 2 * * *', 2))).not.toContain('next pings');
    expect(await planned(heartbeat('30 2 * * 1'))).toMatch(next);
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

  it('report a wrong key once, and end the other requests', async () => {
    const { env } = await account();
    const wrong = { ...env, SONDE_API_KEY: 'wrong' };
    const { code, stderr } = await runLine(plan, ['f'], { env: wrong, files: { f: SHOP } });
    expect(code).toBe(4);
    expect(stderr.match(/The API key is not valid/g)).toHaveLength(1);
    expect(stderr).not.toContain('retrying');
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

describe('a project', () => {
  it('keeps the resource of a renamed entry, and deletes what it no longer declares with --prune alone', async () => {
    const { plan: planOf, apply: applyTo, list, env } = await account();
    await applyTo(SHOP);
    const before = await list('/v1/checks');
    const idOf = (name: string) => before.find((check) => check.name === name)?.id;
    const next = `
project: shop
checks:
  - { key: home, name: Start page, renamedFrom: Home, checkType: URL, request: { url: https://shop.test } }
`;
    const planned = await planOf(next);
    expect(planned.changes).toMatchObject([
      { action: 'rename', key: 'home', name: 'Start page', previousName: 'Home', id: idOf('Home') },
    ]);
    expect(planned.undeclared.map(({ name }: { name: string }) => name)).toEqual(['Shop', 'Apex']);
    await applyTo(next);
    expect((await list('/v1/checks')).map(({ id }) => id).toSorted()).toEqual(
      before.map(({ id }) => id).toSorted(),
    );
    const pruned = await planOf(next, '--prune');
    expect(pruned.summary).toMatchObject({ delete: 2, unchanged: 1 });
    // Two of three are more than half of the project.
    const refused = await runLine(apply, ['f', '--yes', '--prune'], { env, files: { f: next } });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("the plan deletes 2 of the project's 3 resources, which is more than half"),
    ]);
    expect(await list('/v1/checks')).toHaveLength(2);
    const { stderr } = await applyTo(next, '--prune', '--allow-mass-delete');
    expect(stderr).toContain('- delete check "Apex"\n- delete check group "Shop"\n');
    expect(await list('/v1/checks')).toMatchObject([{ id: idOf('Home'), name: 'Start page' }]);
    expect(await list('/v1/check-groups')).toEqual([]);
    // The key alone identifies it from now on.
    const again = next.replace('Start page', 'Front page').replace(', renamedFrom: Home', '');
    expect((await planOf(again)).changes).toMatchObject([{ action: 'rename', id: idOf('Home') }]);
  });

  it('takes over what nobody owns, and never touches what another project owns', async () => {
    const { plan: planOf, apply: applyTo, own, list } = await account();
    await send(own, 'POST /v1/variables', { key: 'REGION', value: 'eu' });
    const shop = `project: shop\nvariables: [{ key: REGION, value: eu }]\nchecks:\n  - { name: Job, checkType: URL, request: { url: https://a.test } }\n`;
    expect((await planOf(shop)).changes).toMatchObject([
      { action: 'unchanged', adopts: true },
      { action: 'create' },
    ]);
    const { stderr } = await applyTo(shop);
    expect(stderr).toContain('The project "shop" takes over 1 existing resource.');
    const blog = shop.replace('project: shop', 'project: blog').replace('a.test', 'b.test');
    const refused = await runLine(plan, ['f'], { env: envOf(own), files: { f: blog } });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/f:2:\d+: variable "REGION" belongs to the project "shop"/);
    const free = blog.replace(/variables.*\n/, '');
    await applyTo(free, '--prune');
    expect((await list('/v1/checks')).map(({ name }) => name)).toEqual(['Job', 'Job']);
    await applyTo('project: blog\n', '--prune', '--allow-mass-delete');
    expect(await list('/v1/checks')).toMatchObject([{ request: { url: 'https://a.test' } }]);
    expect((await planOf(shop)).summary).toMatchObject({ unchanged: 2, update: 0 });
  });

  it('owns what an interrupted apply created, even if the files no longer declare it', async () => {
    const { own, apply: applyTo, plan: planOf, list } = await account();
    await applyTo('project: shop\n');
    const proxy = await startApplyProxy(service.url);
    onTestFinished(() => proxy.close());
    const env = { ...envOf(own), SONDE_BASE_URL: proxy.url };
    const job = `project: shop\nchecks: [{ name: Job, checkType: URL, request: { url: https://a.test } }]\n`;
    proxy.meet('POST /v1/checks/url', 'lost', { isLast: true });
    const { code } = await runLine(apply, ['f', '--yes', '--retry-budget', '1s'], { env, files: { f: job } });
    expect(code).toBe(6);
    expect(await list('/v1/checks')).toHaveLength(1);
    expect((await planOf(job)).changes).toMatchObject([{ name: 'Job', action: 'unchanged' }]);
    const { undeclared } = await planOf('project: shop\n');
    expect(undeclared).toMatchObject([{ name: 'Job' }]);
    await applyTo('project: shop\n', '--prune', '--allow-mass-delete');
    expect(await list('/v1/checks')).toEqual([]);
  });

  it('passes unique names on from one resource to the next, and refuses to exchange them', async () => {
    const { own, env, apply: applyTo } = await account();
    const at = own.accountId.slice(0, 8);
    const pages = (...urls: readonly string[]) =>
      `project: shop\nstatusPages:\n${urls.map((url, index) => `  - { key: p${index}, name: P${index}, url: ${url}-${at}, cards: [] }\n`).join('')}`;
    await applyTo(pages('a', 'b', 'c'));
    await applyTo(pages('b', 'c', 'd', 'a'));
    const { body } = await send(own, 'GET /v1/status-pages');
    const { entries } = body as { entries: { name: string; url: string }[] };
    expect(entries.map(({ name, url }) => `${name} ${url[0]}`).toSorted()).toEqual([
      'P0 b',
      'P1 c',
      'P2 d',
      'P3 a',
    ]);
    const { code, stderr } = await runLine(plan, ['f'], { env, files: { f: pages('c', 'b', 'd', 'a') } });
    expect(code).toBe(2);
    expect(stderr).toContain(`status pages cannot exchange the url "c-${at}" and "b-${at}" in one step`);
  });

  it('saves the permission to delete more than half of a project with the plan', async () => {
    const { env, apply: applyTo, list } = await account();
    await applyTo(SHOP);
    const cwd = await temporaryFolder();
    const one = SHOP.slice(0, SHOP.indexOf('checks:'));
    const run = (...argv: readonly string[]) => runLine(plan, argv, { env, cwd, files: { f: one } });
    const shown = await run('f', '--prune', '--out', 'plan.json');
    expect(shown.stderr).toContain("the plan deletes 2 of the project's 3 resources");
    expect((await runLine(apply, ['plan.json'], { env, cwd })).code).toBe(2);
    await run('f', '--prune', '--allow-mass-delete', '--out', 'plan.json');
    expect((await runLine(apply, ['plan.json'], { env, cwd })).code).toBe(0);
    expect(await list('/v1/checks')).toEqual([]);
  });

  it('needs a name for --prune and --refresh-only', async () => {
    const { env } = await account();
    for (const option of ['--prune', '--refresh-only']) {
      const { code, stderr } = await runLine(plan, ['f', option], {
        env,
        files: { f: 'services: [{ name: A }]\n' },
      });
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${option} needs a project`)]);
    }
  });

  it('is left alone if its record is damaged', async () => {
    const { apply: applyTo, own, env, list } = await account();
    await applyTo(SHOP);
    const [state] = await list('/v1/snippets');
    const script = String(state?.script);
    for (const damaged of [
      script.slice(0, -20),
      script.replace(/state 1\n\/\/ .{40}/, 'state 1\n// '),
      'go()',
    ]) {
      await send(own, `PUT /v1/snippets/${state?.id}`, { script: damaged });
      const { code, stderr } = await runLine(plan, ['f'], { env, files: { f: SHOP } });
      expect(code).toBe(2);
      expect(stderr).toContain(`the state of the project "shop" is damaged (snippet ${state?.id})`);
      expect(stderr).toContain(`sonde snippets delete ${state?.id}`);
    }
    await send(own, `DELETE /v1/snippets/${state?.id}`);
    await applyTo(SHOP);
    expect(await list('/v1/checks')).toHaveLength(2);
  });
});

describe('plan --refresh-only', () => {
  it('names what was changed, renamed or deleted by hand since the last apply', async () => {
    const { apply: applyTo, plan: planOf, own, env, list } = await account();
    await applyTo(SHOP);
    expect((await planOf(SHOP, '--refresh-only')).summary).toMatchObject({ unchanged: 3, update: 0 });
    const [group] = await list('/v1/check-groups');
    const checks = await list('/v1/checks');
    const [home, apex] = ['Home', 'Apex'].map((name) => checks.find((check) => check.name === name)?.id);
    await send(own, `PUT /v2/check-groups/${group?.id}`, { ...group, name: 'Store', id: undefined });
    await send(own, `PUT /v1/checks/url/${home}`, { frequency: 5, groupId: null });
    await send(own, `DELETE /v1/checks/${apex}`);
    const drift = await planOf(SHOP, '--refresh-only');
    expect(drift.changes).toMatchObject([
      { action: 'rename', kind: 'check group', name: 'Store', previousName: 'Shop' },
      {
        action: 'update',
        name: 'Home',
        fields: [
          { path: 'frequency', before: 10, after: 5 },
          { path: 'group', before: 'Shop', after: null },
        ],
      },
      { action: 'delete', name: 'Apex', id: apex },
    ]);
    const shown = await runLine(plan, ['f', '--refresh-only', '--detailed-exitcode'], {
      env,
      files: { f: SHOP },
    });
    expect(shown.code).toBe(10);
    expect(shown.stdout).toContain('> renamed check group "Store" from "Shop"');
    expect(shown.stdout).toContain('~ changed check "Home"');
    expect(shown.stdout).toContain('- deleted check "Apex"');
    expect(shown.stdout).toContain('Changed since the last apply: 1 changed, 1 renamed, 1 deleted.');
    await applyTo(SHOP);
    expect((await planOf(SHOP, '--refresh-only')).summary).toMatchObject({ unchanged: 3, delete: 0 });
  });
});
