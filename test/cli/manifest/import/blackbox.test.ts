/** Imports of blackbox_exporter: modules with the scrape configurations that use them, and expressions of Go. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../../../../commands/import/blackbox.ts';
import { fromGoPattern } from '../../../../src/cli/manifest/import/go-pattern.ts';
import { evaluateAssertion } from '../../../../src/runners/assertions/evaluate-assertions.ts';
import { measured } from '../../../../src/runners/assertions/subject.ts';
import type { Assertion } from '../../../../src/runners/core/assertion.ts';
import { runLine } from '../../../support/command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { expectAccepted, formatImport, importInto } from './imported.ts';

async function importFixture(paths: readonly string[]) {
  const cwd = await temporaryFolder();
  await cp(join(import.meta.dirname, 'fixtures/blackbox'), join(cwd, 'config'), { recursive: true });
  return importInto(cwd, command, paths);
}

const FOLDER = ['config'];

describe('import blackbox', () => {
  it('converts a folder to files that a service accepts', async () => {
    const imported = await importFixture(FOLDER);
    await expect(formatImport(imported)).toMatchFileSnapshot('fixtures/blackbox.txt');
    expect(Object.values(imported.texts).join('\n')).not.toMatch(/\w-secret/);
    await expectAccepted(imported);
  });

  it('takes the files in any order, and says which is missing', async () => {
    const [modules, jobs] = ['config/blackbox.yml', 'config/prometheus.yml'];
    const targets = 'config/targets/websites.json';
    const folder = await importFixture(FOLDER);
    expect((await importFixture([jobs, targets, modules])).texts).toEqual(folder.texts);
    const cwd = folder.cwd;
    const noJobs = await runLine(command, [modules], { cwd });
    expect(noJobs).toMatchObject({ code: 2, stderr: expect.stringContaining('has no scrape_configs') });
    const noModules = await runLine(command, [jobs], { cwd });
    expect(noModules).toMatchObject({ code: 2, stderr: expect.stringContaining('has no modules') });
  });

  it('validates DNS records line by line', async () => {
    const { entry } = await importFixture(FOLDER);
    const { assertions } = entry('checks', '192.0.2.53 (dns_records)').request as {
      readonly assertions: readonly Assertion[];
    };
    const passes = (...data: readonly string[]) => {
      const text = data.map((each) => `www.example.com.\t300\tIN\tA\t${each}`).join('\n');
      return assertions
        .filter(({ source }) => source === 'TEXT_ANSWER')
        .every((each) => evaluateAssertion(each, measured(text)).passed);
    };
    expect(passes('192.0.2.1')).toBe(true);
    expect(passes('192.0.2.3', '192.0.2.2')).toBe(true);
    expect(passes('192.0.2.3')).toBe(false);
    expect(passes('192.0.2.1', '198.51.100.1')).toBe(false);
    expect(passes('192.0.2.1', '127.0.0.1')).toBe(false);
  });

  it.each([
    ['^a.c$', 'abc', 'x\nabc\n'],
    ['(?m)^a.c$', 'x\nabc\n', 'xabc'],
    ['(?i)fatal [a-f]_é', 'FATAL B_é', 'fatal g_é'],
    ['(?s)a.b', 'a\nb', 'ab'],
    ['(?i)[^a-c\\d]x', 'DX', 'BX'],
    ['(?P<n>v[0-9]+)\\.\\d', 'v12.3', 'v12x3'],
  ])('searches with %s as Go does', (pattern, match, other) => {
    const regex = fromGoPattern(pattern) ?? expect.fail('not supported');
    const assertion = { source: 'TEXT_BODY', comparison: 'NOT_NULL', regex };
    expect(evaluateAssertion(assertion, measured(match)).passed).toBe(true);
    expect(evaluateAssertion(assertion, measured(other)).passed).toBe(false);
  });

  it('refuses expressions that assertions do not have', () => {
    for (const pattern of ['a(?i)b', 'a(?i:b)', '\\Qa.b\\E', '[[:alpha:]]'])
      expect(fromGoPattern(pattern)).toBe(undefined);
  });
});
