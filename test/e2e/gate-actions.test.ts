/** A gate in a step of GitHub Actions, end to end: annotations, the summary, and no name that is a command of the runner. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Ran, type RunOptions, sonde } from '../support/binary.ts';
import { temporaryFolder } from '../support/folder.ts';
import { answer, serveWith } from '../support/http.ts';
import { makeSession, NOBODY, useWorld } from './world.ts';

const world = useWorld();

let cwd: string;
beforeEach(async () => {
  cwd = await temporaryFolder();
});

const run = (args: readonly string[], options: Partial<RunOptions> = {}): Promise<Ran> =>
  sonde(args, { env: world.service.env, cwd, ...options });
const text = (name: string): string => readFileSync(join(cwd, name), 'utf8');

const ALL = ['--report', 'junit:r.xml', '--report', 'markdown:r.md', '--report', 'json:r.json'];

describe('in a step of GitHub Actions', () => {
  const inActions = () => ({
    ...world.service.env,
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'),
  });

  it('what is bad is annotated on stderr, and the summary is appended to what it holds', async () => {
    writeFileSync(join(cwd, 'summary.md'), '# Before');
    const bad = await makeSession(world, 'missing.test');
    const { code, stdout, stderr } = await run(['sessions', 'wait', bad.id, '--json', '--quiet'], {
      env: inActions(),
    });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'FAILED' });
    expect(stderr).toMatch(new RegExp(`^::error title=${bad.name} FAILED::eu-west-1: `, 'm'));
    expect(text('summary.md')).toMatch(/^# Before\n+## ❌ /);
    const good = await makeSession(world);
    const ran = await run(['sessions', 'wait', good.id], { env: inActions() });
    expect(ran.stderr).not.toContain('::');
    expect(text('summary.md')).toMatch(/## ❌ [\s\S]*\n## ✅ /);
  });

  it('a summary that cannot be written is a warning, and a full one is left alone', async () => {
    const { id } = await makeSession(world);
    const env = { ...inActions(), GITHUB_STEP_SUMMARY: join(cwd, 'none/summary.md') };
    const { code, stderr } = await run(['sessions', 'wait', id], { env });
    expect([code, stderr]).toEqual([0, expect.stringContaining('Warning: could not write the step summary')]);
    writeFileSync(join(cwd, 'summary.md'), 'x'.repeat(1_000_000));
    const full = await run(['sessions', 'wait', id], { env: inActions() });
    expect([full.code, full.stderr]).toEqual([0, expect.stringContaining('is full')]);
    expect(text('summary.md')).toHaveLength(1_000_000);
  });

  it('a summary that was asked for as a report is written once', async () => {
    const { id } = await makeSession(world);
    await run(['sessions', 'wait', id, '--report', 'markdown:summary.md'], { env: inActions() });
    expect(text('summary.md').match(/^## /gm)).toHaveLength(1);
  });

  it('no name of a check is a command of the runner, nor does its key get into a report', async () => {
    const key = 'key-that-must-not-be-told';
    const name = `::add-mask::x\n::error::y ##[stop-commands]z ${key}`;
    const session = {
      checkSessionId: NOBODY,
      status: 'FAILED',
      name,
      checkSessionLink: `https://sonde.example/${key}`,
    };
    const { url } = await serveWith((_request, response) => answer(response, { body: session }));
    const env = { ...inActions(), SONDE_BASE_URL: url, SONDE_API_KEY: key };
    for (const more of [[], ['--json'], ['-o', 'csv'], ['-o', 'table'], ['-o', 'yaml'], ['--jq', '.name']]) {
      const { code, stdout, stderr } = await run(['sessions', 'wait', NOBODY, ...ALL, ...more], { env });
      expect(code, stderr).toBe(1);
      const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => /^\s*::|##\[/.test(line));
      expect(lines).toEqual([expect.stringMatching(/^::error title=%3A%3Aadd-mask/)]);
      for (const file of ['r.xml', 'r.md', 'r.json', 'summary.md']) expect(text(file)).not.toContain(key);
      expect(lines.join()).not.toContain(key);
    }
  });
});
