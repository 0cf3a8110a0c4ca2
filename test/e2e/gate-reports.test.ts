/** Reports of a gate, end to end: there and honest whatever becomes of the gate, and of what they are written to. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parse, type TestSuites } from 'junit2json';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Ran, type RunOptions, shell, sonde, watchSonde } from '../support/binary.ts';
import { temporaryFolder } from '../support/folder.ts';
import { serveWith } from '../support/http.ts';
import { junitProblems } from '../support/xmllint.ts';
import { makeCheck, makeSession, NOBODY, startEndlessSession, useWorld } from './world.ts';

const world = useWorld();

let cwd: string;
beforeEach(async () => {
  cwd = await temporaryFolder();
});

const run = (args: readonly string[], options: Partial<RunOptions> = {}): Promise<Ran> =>
  sonde(args, { env: world.service.env, cwd, ...options });
const watch = (args: readonly string[], env = world.service.env) => watchSonde(args, { env, cwd });
const text = (name: string): string => readFileSync(join(cwd, name), 'utf8');

interface Report {
  readonly isOver: boolean;
  readonly verdict: string;
  readonly exitCode: number;
  readonly sentence: string;
  readonly sessions: readonly {
    readonly session: string;
    readonly status: string;
    readonly verdict: string | null;
  }[];
}
const json = (name = 'r.json'): Report => JSON.parse(text(name)) as Report;
const junit = async (name = 'r.xml'): Promise<TestSuites> => (await parse(text(name))) as TestSuites;
const reds = async (): Promise<number> => {
  const { failures = 0, errors = 0 } = await junit();
  return failures + errors;
};

const MAKE_PIPE = 'mkfifo';
const makePipe = () => execFileSync(MAKE_PIPE, [join(cwd, 'pipe')]);

const ALL = ['--report', 'junit:r.xml', '--report', 'markdown:r.md', '--report', 'json:r.json'];
const GREEN = '<testsuites name="sonde" tests="1" failures="0" errors="0" time="1.000"/>';

/** Reports of an earlier run that went well. */
function earlierRun(): void {
  for (const name of ['r.xml', 'r.md', 'r.json']) writeFileSync(join(cwd, name), GREEN);
}

/** All three say that the gate is not green, with this code. */
async function allRed(code: number): Promise<void> {
  expect(json()).toMatchObject({ exitCode: code });
  expect(json().verdict).not.toBe('passed');
  expect(await reds()).toBeGreaterThan(0);
  expect(text('r.md')).not.toMatch(/^## ✅/);
  expect(readdirSync(cwd).toSorted()).toEqual(['r.json', 'r.md', 'r.xml']);
}

describe('a gate', () => {
  it('that is green leaves green reports, which others can read', async () => {
    const { id, name } = await makeCheck(world);
    const ran = await run(['checks', 'run', id, ...ALL]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(await junit()).toMatchObject({ tests: 1, failures: 0, errors: 0, testsuite: [{ name }] });
    expect(json()).toMatchObject({
      isOver: true,
      verdict: 'passed',
      exitCode: 0,
      sessions: [{ verdict: 'passed' }],
    });
    expect(text('r.md')).toMatch(/^## ✅ /);
    expect(text('r.md')).toContain(name);
    expect(readdirSync(cwd).toSorted()).toEqual(['r.json', 'r.md', 'r.xml']);
    expect(await junitProblems(text('r.xml'))).toBe('');
  });

  it('that is bad leaves reports that say where and why', async () => {
    const [good, bad] = await Promise.all([makeSession(world), makeSession(world, 'missing.test')]);
    const { code } = await run(['sessions', 'wait', good.id, bad.id, ...ALL]);
    expect(code).toBe(1);
    await allRed(1);
    const { testsuite = [] } = await junit();
    expect(testsuite).toMatchObject([
      { name: bad.name, failures: 1, testcase: [{ name: 'eu-west-1', failure: [{ type: 'FAILED' }] }] },
      { name: good.name, failures: 0 },
    ]);
    expect(text('r.md')).toMatch(
      new RegExp(`❌ FAILED \\| <code>${bad.name}</code> \\| <code>eu-west-1</code>`),
    );
  });

  it('whose deadline passes leaves an error, and so does a test session that nobody knows', async () => {
    const session = await startEndlessSession(world);
    expect((await run(['sessions', 'wait', session, '--timeout', '1s', ...ALL])).code).toBe(7);
    await allRed(7);
    expect(json().sessions).toMatchObject([{ session, verdict: null }]);
    expect((await run(['test-sessions', 'wait', NOBODY, ...ALL])).code).toBe(5);
    await allRed(5);
  });

  it('that is refused, or starts nothing, leaves reports that say so', async () => {
    earlierRun();
    expect((await run(['checks', 'run', NOBODY, ...ALL])).code).toBe(5);
    await allRed(5);
    expect(json().sentence).toMatch(/^nothing was started/);
    earlierRun();
    const env = { ...world.service.env, SONDE_BASE_URL: world.service.url, SONDE_API_KEY: 'no-such-key' };
    for (const line of [
      ['checks', 'run', '--all'],
      ['sessions', 'wait', NOBODY],
    ]) {
      expect((await run([...line, ...ALL], { env })).code).toBe(4);
      await allRed(4);
    }
    earlierRun();
    const nobody = { PATH: world.service.env.PATH ?? '', HOME: cwd };
    expect((await run(['sessions', 'wait', NOBODY, ...ALL], { env: nobody })).code).toBe(4);
    await allRed(4);
  });
});

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

describe('a gate that is ended', () => {
  it.each(SIGNALS)('by %s while it waits has told what it had seen', async (signal, code) => {
    const [over, open] = [await makeSession(world), await startEndlessSession(world)];
    earlierRun();
    const gate = watch(['sessions', 'wait', over.id, open, ...ALL]);
    await gate.saw('PASSED');
    expect(json()).toMatchObject({ isOver: false, verdict: 'unknown' });
    gate.child.kill(signal);
    expect((await gate.ended).code).toBe(code);
    await allRed(code);
    expect(await junit()).toMatchObject({ tests: 2, errors: 1 });
    expect(json().sessions.map(({ session, verdict }) => [session, verdict])).toEqual([
      [open, null],
      [over.id, 'passed'],
    ]);
  });

  /** A gate whose start is asked for and never answered. */
  async function starting() {
    let asked: () => void = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { url } = await serveWith(() => asked());
    const env = { ...world.service.env, SONDE_BASE_URL: url, SONDE_API_KEY: 'key-of-the-test' };
    earlierRun();
    const gate = watch(['checks', 'run', '--all', ...ALL], env);
    await isAsked;
    return gate;
  }

  it.each(SIGNALS)('by %s while it starts leaves no earlier report', async (signal, code) => {
    const gate = await starting();
    gate.child.kill(signal);
    expect((await gate.ended).code).toBe(code);
    await allRed(code);
  });

  it('by kill -9 leaves reports that say the verdict is unknown, and never an earlier one', async () => {
    const gate = await starting();
    gate.child.kill('SIGKILL');
    await gate.ended;
    await allRed(7);
    expect(json()).toMatchObject({ isOver: false, verdict: 'unknown' });
    expect(await junit()).toMatchObject({ tests: 1, errors: 1 });
  });
});

describe('a report that cannot be written', () => {
  it('is said at once, and turns a good verdict into 74, also in the other reports', async () => {
    const { id } = await makeSession(world);
    const { code, stdout, stderr } = await run([
      'sessions',
      'wait',
      id,
      ...ALL,
      '--report',
      'json:none/r.json',
    ]);
    expect(code).toBe(74);
    expect(stdout).toMatch(/^PASSED\t/);
    expect(stderr).toMatch(/^Warning: .*none\/r\.json: .*sonde tries again at the end$/m);
    expect(stderr).toMatch(/^Error: could not write .*none\/r\.json/m);
    await allRed(74);
    expect(existsSync(join(cwd, 'none'))).toBe(false);
  });

  it('leaves a bad verdict as it is, with a warning', async () => {
    const { id } = await makeSession(world, 'missing.test');
    const { code, stderr } = await run(['sessions', 'wait', id, '--report', 'junit:none/r.xml', ...ALL]);
    expect(code).toBe(1);
    expect(stderr.match(/^Warning: could not write .*none\/r\.xml/gm)).toHaveLength(2);
    await allRed(1);
  });

  it('is tried again at the end: a folder that was made since is enough', async () => {
    const session = await startEndlessSession(world);
    const gate = watch(['sessions', 'wait', session, '--report', 'junit:later/r.xml']);
    await gate.saw('tries again at the end');
    mkdirSync(join(cwd, 'later'));
    gate.child.kill('SIGTERM');
    expect((await gate.ended).code).toBe(143);
    expect(await junit('later/r.xml')).toMatchObject({ errors: 1 });
  });

  it.each(['/dev/full', 'pipe'])(
    'is one on a full disk or into a pipe that nobody reads: %s',
    async (file) => {
      makePipe();
      const good = await makeSession(world);
      const bad = await makeSession(world, 'missing.test');
      for (const [id, expected] of [
        [good.id, 74],
        [bad.id, 1],
      ] as const) {
        const { code, stderr } = await run(['sessions', 'wait', id, '--report', `junit:${file}`]);
        expect(code, stderr).toBe(expected);
        expect(stderr).toContain(`could not write the report ${file}`);
      }
    },
  );

  it('with a result that cannot be printed is not green either', async () => {
    const { id } = await makeSession(world);
    const { code } = await shell(`sonde sessions wait ${id} ${ALL.join(' ')} > /dev/full`, {
      env: world.service.env,
      cwd,
    });
    expect(code).toBe(74);
    await allRed(74);
  });
});

describe('what a report is written to', () => {
  it('may be a pipe, stderr, or a link, and a file keeps its mode', async () => {
    const { id } = await makeSession(world);
    makePipe();
    execFileSync('ln', ['-s', 'real.json', join(cwd, 'link')]);
    writeFileSync(join(cwd, 'real.json'), GREEN);
    chmodSync(join(cwd, 'real.json'), 0o604);
    const pipe = openSync(join(cwd, 'pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
    const ran = await run([
      ...['sessions', 'wait', id, '--report', 'junit:pipe', '--report', 'json:link'],
      ...['--report', 'markdown:/dev/stderr'],
    ]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(await parse(readFileSync(pipe, 'utf8'))).toMatchObject({ tests: 1, failures: 0, errors: 0 });
    expect(ran.stderr).toContain('## ✅ ');
    expect(json('real.json')).toMatchObject({ verdict: 'passed' });
    expect(statSync(join(cwd, 'real.json')).mode & 0o777).toBe(0o604);
  });

  it('keeps what else is said in it: a log that stderr goes to is not replaced', async () => {
    const { id } = await makeSession(world);
    const line = `sonde sessions wait ${id} --report junit:/dev/stderr 2> log; echo after >> log`;
    await shell(line, { env: world.service.env, cwd });
    expect(text('log')).toMatch(/PASSED[\s\S]*<testsuites [\s\S]*✓ [\s\S]*after\n$/);
  });

  it.each([
    [
      ['--report', 'junti:r.xml'],
      ['must begin with junit:, markdown: or json:', 'did you mean junit:r.xml?'],
    ],
    [['--report', 'junit'], ['must name a file, such as junit:report.xml']],
    [['--report', 'json:-'], ['stdout is for the sessions']],
    [['--report', 'json:r', '--report', 'junit:./r'], ['two reports use ./r']],
    [
      ['--report', 'x', '--report', 'json:', '--fail-on', 'y'],
      ['3 problems', '--fail-on'],
    ],
  ] as const)('is refused before anything is sent: %j', async (args, told) => {
    const { code, stdout, stderr } = await run(['sessions', 'wait', NOBODY, ...args]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    for (const words of told) expect(stderr).toContain(words);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('is refused where two names lead to one file, and where nothing would be written', async () => {
    execFileSync('ln', ['-s', 'r.xml', join(cwd, 'link')]);
    const twice = await run(['sessions', 'wait', NOBODY, '--report', 'junit:r.xml', '--report', 'json:link']);
    expect([twice.code, readdirSync(cwd)]).toEqual([2, ['link']]);
    const { code, stderr } = await run(['checks', 'run', '--all', '--no-wait', '--report', 'junit:r.xml']);
    expect(code).toBe(2);
    expect(stderr).toContain('--report and --no-wait are mutually exclusive');
  });
});
