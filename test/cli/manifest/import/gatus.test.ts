/** Imports of Gatus: a folder of files, conditions that mean the same, and variables of the environment. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../../../../commands/import/gatus.ts';
import { decodeAnswer, selectSubject } from '../../../../src/runners/api/response.ts';
import { evaluateAssertion } from '../../../../src/runners/assertions/evaluate-assertions.ts';
import type { Assertion } from '../../../../src/runners/core/assertion.ts';
import { createManualClock } from '../../../support/clock.ts';
import { runLine } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { expectAccepted, formatImport, importInto } from './imported.ts';

const ENV = {
  CORE_SLACK_URL: 'https://hooks.example.com/core',
  NTFY_TOPIC: 'homelab',
  DOMAIN: 'example.com',
  API_TOKEN: 'api-token-of-env',
};

async function importFixture() {
  const cwd = await temporaryFolder();
  await cp(join(import.meta.dirname, 'fixtures/gatus'), join(cwd, 'config'), { recursive: true });
  return importInto(cwd, command, ['config', '--project', 'core'], { env: ENV, clock: createManualClock() });
}

/** Evaluates the assertions of a check with these conditions on an answer. */
async function passes(conditions: readonly string[], status: number, body: string): Promise<boolean> {
  const cwd = await temporaryFolder();
  const endpoints = [{ name: 'one', url: 'http://example.com', conditions }];
  const { entry } = await importInto(cwd, command, ['-'], { input: JSON.stringify({ endpoints }) });
  const { assertions } = entry('checks', 'one').request as { readonly assertions: readonly Assertion[] };
  const answer = {
    status,
    statusText: '',
    headers: [],
    isCut: false,
    httpVersion: '1.1',
    bytes: body.length,
    body: Buffer.from(body).toString('base64'),
  };
  const response = decodeAnswer(answer);
  return assertions.every((each) => evaluateAssertion(each, selectSubject(each, response, 1)).passed);
}

describe('import gatus', () => {
  it('converts a folder to files that a service accepts', async () => {
    const imported = await importFixture();
    await expect(formatImport(imported)).toMatchFileSnapshot('fixtures/gatus.txt');
    await expectAccepted(imported);
  });

  it('writes no literal secret, and keeps the references to the environment', async () => {
    const { texts, stderr, entry } = await importFixture();
    const all = Object.values(texts).join('\n');
    expect(`${all}${stderr}`).not.toMatch(/\w-secret/);
    expect(stderr).toContain('Set these variables before you apply: ');
    expect(entry('checks', 'orders').request).toMatchObject({
      headers: [
        {},
        { key: 'Authorization', value: 'Bearer api-token-of-env' },
        { key: 'X-Price', value: '$5' },
      ],
      body: '{"name": "orders", "api_key": "body-secret"}',
    });
  });

  it.each([
    ['[STATUS] == 200', 200, '', 201, ''],
    ['[STATUS] <= 299', 299, '', 300, ''],
    ['[STATUS] > 400', 401, '', 400, ''],
    ['[STATUS] == pat(2*)', 299, '', 302, ''],
    ['[STATUS] == any(200, 429)', 429, '', 404, ''],
    ['[CONNECTED] == true', 503, '', undefined, ''],
    ['[BODY] == 1', 500, ' 1\n', 200, '2'],
    ['[BODY] == pat(*[0-9] ok*)', 200, 'a\n5 ok', 200, 'a ok'],
    ['[BODY] != pat(*error*)', 200, 'fine', 200, 'an error'],
    ['[BODY].user.name == john', 200, '{"user":{"name":"john"}}', 200, '{"user":{"name":"jo"}}'],
    ['[BODY].data[0].id == any(1, 2)', 200, '{"data":[{"id":2}]}', 200, '{"data":[{"id":12}]}'],
    ['[BODY][0].up == true', 200, '[{"up":true}]', 200, '[{"up":false}]'],
    ['[BODY].name == pat(jo*n)', 200, '{"name":"john"}', 200, '{"name":"johnny"}'],
    ['[BODY].age >= 18', 200, '{"age":18}', 200, '{"age":17}'],
    ['[BODY].state != DOWN', 200, '{"state":"UP"}', 200, '{"state":"DOWN"}'],
    ['len([BODY].items) > 1', 200, '{"items":[1,2]}', 200, '{"items":[1]}'],
    ['len([BODY].name) == 4', 200, '{"name":"john"}', 200, '{"name":"jo"}'],
    ['has([BODY].errors) == false', 200, '{}', 200, '{"errors":[]}'],
    ['has([BODY].users) == true', 200, '{"users":[]}', 200, '{}'],
  ])('evaluates %s as Gatus does', async (condition, goodStatus, goodBody, badStatus, badBody) => {
    expect(await passes([condition], goodStatus, goodBody)).toBe(true);
    if (badStatus !== undefined) expect(await passes([condition], badStatus, badBody)).toBe(false);
  });

  it('reads a ConfigMap, and refuses other files', async () => {
    const config = JSON.stringify({
      endpoints: [{ name: 'web', url: 'https://example.com', conditions: ['[STATUS] == 200'] }],
    });
    const map = { kind: 'ConfigMap', data: { 'config.yaml': config } };
    const cwd = await temporaryFolder();
    const { bodies } = await importInto(cwd, command, ['-'], {
      input: `kind: Service\n---\n${JSON.stringify(map)}`,
    });
    expect(bodies('checks')).toMatchObject([{ name: 'web', checkType: 'URL' }]);
    const other = await runLine(command, ['a.yaml'], { files: { 'a.yaml': 'groups: []' } });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('not a configuration of Gatus') });
  });

  it('refuses a file whose aliases or levels would exhaust the memory', async () => {
    const levels = 'abcdefgh'.split('').map((name, at, all) => {
      const previous = all[at - 1];
      const items = Array.from({ length: 10 }, () => (previous === undefined ? '1' : `*${previous}`));
      return `${name}: &${name} [${items.join()}]`;
    });
    const bomb = await runLine(command, ['bomb.yaml'], { files: { 'bomb.yaml': levels.join('\n') } });
    expect(bomb.code).toBe(2);
    expect(bomb.stderr).toContain('bomb.yaml: its aliases (*name) expand to more than 10000 values');
    const deep = await runLine(command, ['deep.yaml'], { files: { 'deep.yaml': '['.repeat(20_000) } });
    expect(deep).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('deep.yaml:1:501: is nested deeper than 500 levels'),
    });
  });
});
