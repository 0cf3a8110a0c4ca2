/** Saved plans of `sonde plan --out`, and what output, plans and records hide. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as apply } from '../../commands/apply.ts';
import { command as plan } from '../../commands/plan.ts';
import { decodeState } from '../../src/cli/manifest/state/project-state.ts';
import { maskCredential } from '../../src/contract/mask-credential.ts';
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

describe('a saved plan', () => {
  it('is applied without its files and without a question', async () => {
    const { env, list } = await account();
    const cwd = await temporaryFolder();
    const files = {
      'shop.yaml': `${SHOP}  - { name: Login, checkType: BROWSER, scriptFile: ./login.js }\n`,
      'login.js': 'login()',
    };
    await well(
      plan,
      ['shop.yaml', '--out', 'plan.json'].map((word) => word.replace('plan.json', join(cwd, 'plan.json'))),
      { env, files },
    );
    expect((await stat(join(cwd, 'plan.json'))).mode & 0o777).toBe(0o600);
    const { stderr } = await well(apply, [join(cwd, 'plan.json')], { env });
    expect(stderr).toContain('Applied: 4 created.');
    expect(await list('/v1/checks')).toHaveLength(3);
  });

  it('is refused if the deployment has changed, and says where', async () => {
    const { env, own, apply: applyTo, list } = await account();
    await applyTo(SHOP);
    const file = join(await temporaryFolder(), 'plan.json');
    const next = SHOP.replace('tags: [edge]', 'tags: [dns]');
    await well(plan, ['f', '--out', file], { env, files: { f: next } });
    const home = (await list('/v1/checks')).find(({ name }) => name === 'Home');
    await send(own, `PUT /v1/checks/url/${home?.id}`, { frequency: 5 });
    const refused = await runLine(apply, [file], { env });
    expect(refused.code).toBe(9);
    expect(refused.stderr).toContain('check "Home" planned: unchanged; now: update (frequency)');
    expect((await list('/v1/checks')).find(({ name }) => name === 'Apex')).toMatchObject({ tags: ['edge'] });
    const other = { ...env, SONDE_ACCOUNT_ID: 'another' };
    expect(await runLine(apply, [file], { env: other })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the plan was made for'),
    });
  });

  it('holds no value of a variable, and neither does the record of the project', async () => {
    const { own, list } = await account();
    const env = { ...envOf(own), TOKEN: 'hidden-value-1' };
    const file = join(await temporaryFolder(), 'plan.json');
    const secret = `
project: shop
variables: [TOKEN, { key: KEY, value: "\${TOKEN}", secret: true }]
alertChannels:
  - type: WEBHOOK
    config: { name: Hook, url: "https://hooks.test/\${TOKEN}", headers: [{ key: X-Any, value: "\${TOKEN}" }] }
`;
    const planned = await well(plan, ['f', '--out', file], { env, files: { f: secret } });
    expect(planned.stderr).toContain('1 secret value is sent with every apply');
    const applied = await well(apply, [file, '--json'], { env });
    const again = await well(plan, ['f', '--json'], { env, files: { f: secret } });
    const [state] = await list('/v1/snippets');
    const texts = [planned, applied, again].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const record = JSON.stringify(decodeState(state ?? {}));
    for (const text of [...texts, await readFile(file, 'utf8'), record])
      expect(text).not.toContain('hidden-value');
    expect(JSON.parse(again.stdout).summary).toMatchObject({ unchanged: 2, update: 0 });
    expect(record).toContain('Hook');
  });
});

describe('the URL of a channel', () => {
  const slack = (url: string) =>
    `project: shop\nalertChannels: [{ key: ops, type: SLACK, config: { url: "${url}" } }]\n`;
  const [before, after] = ['https://hooks.test/T0/credential-1', 'https://hooks.test/T0/credential-2'];

  it('is a credential: neither output, nor a saved plan, nor the fields of the record contain it', async () => {
    const { own, list, apply: applyFile } = await account();
    const env = { ...envOf(own), OPS_URL: after };
    await applyFile(slack(before));
    const file = join(await temporaryFolder(), 'plan.json');
    const files = { f: `variables: [OPS_URL]\n${slack(`\${OPS_URL}`)}` };
    const runs = [
      await well(plan, ['f', '--out', file], { env, files }),
      await well(plan, ['f', '--json'], { env, files }),
      await well(apply, ['f', '--yes'], { env, files }),
      await well(plan, ['f', '--refresh-only'], { env, files }),
    ];
    const mask = maskCredential(after);
    expect(mask).toMatch(/^https:\/\/hooks\.test\/\*\*\*-[0-9a-f]{6}$/);
    expect(runs[0]?.stdout).toContain(`> rename alert channel "${mask}" from "${maskCredential(before)}"`);
    expect(runs[3]?.stdout).toContain('No changes since the last apply.');
    const [state] = await list('/v1/snippets');
    const record = JSON.stringify(decodeState(state ?? {}));
    const texts = runs.flatMap(({ stdout, stderr }) => [stdout, stderr]);
    for (const text of [...texts, await readFile(file, 'utf8'), record]) {
      expect(text).not.toContain('credential-1');
      expect(text).not.toContain('credential-2');
    }
    const [channel] = await list('/v1/alert-channels');
    expect(channel?.config).toMatchObject({ url: mask });
    expect(JSON.stringify(await own.store.alertChannels.list(own.accountId))).toContain(after);
    const other = 'https://hooks.test/T0/credential-3';
    await send(own, `PUT /v1/alert-channels/${channel?.id}`, { config: { url: other } });
    const drift = await well(plan, ['f', '--refresh-only'], { env, files });
    expect(drift.stdout).toContain(maskCredential(other));
    expect(drift.stdout + drift.stderr).not.toContain('credential-');
  });
});
