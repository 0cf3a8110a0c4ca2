/** A fault of our own, provoked in the built binary by a hook of the test's: what is told, what is kept, and what never is. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bareEnv, errorOf, sonde } from '../../support/binary.ts';
import { serveWith } from '../../support/http.ts';

const KEY = 'secret/key+of~nobody';
const ID = '0b5b2c1e-1111-4222-8333-444444444444';

/** A home, and an environment in which the binary fails once it has sent a request: where nobody catches it. */
async function faulty(what: string, more: Record<string, string> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'sonde-bug-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const hook = join(home, 'hook.cjs');
  const fault = `() => { throw ${what}; }`;
  await writeFile(
    hook,
    `const { Socket } = require('node:net');
     const write = Socket.prototype._writeGeneric;
     Socket.prototype._writeGeneric = function (...given) {
       if (this.remotePort) setImmediate(${fault});
       return write.apply(this, given);
     };`,
  );
  const { url } = await serveWith(() => {});
  const env = bareEnv(home, {
    SONDE_BASE_URL: url,
    SONDE_API_KEY: KEY,
    NODE_OPTIONS: `--require ${hook}`,
    ...more,
  });
  const bugs = join(home, '.local/state/sonde/bugs');
  const run = (...args: readonly string[]) => sonde(['sessions', 'get', ID, ...args], { env });
  return { home, url, bugs, run };
}

const BOOM = `new TypeError('no x in ${KEY}, ${ID}, Bearer abc.def, sk_0123456789abcdef', { cause: new Error('below') })`;

describe('a bug', () => {
  it('is told in a line, and kept in a file that only its user can read, which has no key and no value', async () => {
    const { run, bugs, url, home } = await faulty(BOOM);
    const { code, stdout, stderr } = await run('--account', 'my-account', '--fields', 'name');
    const [name = ''] = await readdir(bugs);
    const path = join(bugs, name);
    expect({ code, stdout }).toEqual({ code: 70, stdout: '' });
    expect(stderr).toBe(
      'Error: bug in sonde 0.1.0: TypeError: no x in ***, <value>, *** ***\n' +
        `Report it as described in README.md, and attach ${path}: the file contains no keys or values.\n`,
    );
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(bugs)).mode & 0o777).toBe(0o700);
    const report = await readFile(path, 'utf8');
    expect(report).toMatch(/^sonde 0\.1\.0 on linux, Node v\d+\.\d+\.\d+, \d{4}-\d\d-\d\dT\S+Z$/m);
    expect(report).toMatch(/^command: sonde sessions get --account --fields$/m);
    expect(report).toMatch(/^TypeError: no x in .*\n {4}at /m);
    expect(report).toMatch(/^caused by: Error: below$/m);
    for (const text of [KEY, ID, url, home, 'my-account', 'abc.def', 'sk_0123456789abcdef'])
      expect(report).not.toContain(text);
  });

  it('is one JSON object with --json, which names the file', async () => {
    const { run, bugs } = await faulty(BOOM);
    const { code, stderr } = await run('--json');
    const [name = ''] = await readdir(bugs);
    expect(code).toBe(70);
    expect(errorOf(stderr)).toMatchObject({ kind: 'bug', report: join(bugs, name), details: [] });
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([[[]], [['--json']]])('is told whole where no file can be written (%j)', async (args) => {
    const { run } = await faulty(BOOM, { XDG_STATE_HOME: '/dev/null' });
    const { code, stderr } = await run(...args);
    expect(code).toBe(70);
    expect(stderr).toMatch(/(\n|\\n) {4}at /);
    expect(stderr).not.toContain(KEY);
    if (args.length > 0)
      expect(errorOf(stderr)).toMatchObject({ report: null, stack: expect.stringContaining('below') });
  });

  it('is told where what was thrown is no error, and drives no terminal', async () => {
    const { run, bugs } = await faulty("'text \\x1b]0;owned\\x07'");
    const { code, stderr } = await run();
    expect(code).toBe(70);
    expect(stderr).toContain('bug in sonde 0.1.0: Error: text \n');
    const [name = ''] = await readdir(bugs);
    expect(await readFile(join(bugs, name), 'utf8')).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it('leaves the newest ten reports, and nothing else is touched', async () => {
    const { run, bugs } = await faulty(BOOM);
    await mkdir(bugs, { recursive: true });
    const old = Array.from({ length: 12 }, (_, index) => `2020-01-${String(index + 10)}T00-00-00.000Z-1.txt`);
    for (const name of [...old, 'notes.md']) await writeFile(join(bugs, name), '');
    await run();
    const kept = (await readdir(bugs)).sort();
    expect(kept).toHaveLength(11);
    expect(kept.slice(0, 9)).toEqual(old.slice(3));
    expect(kept).toContain('notes.md');
  });
});
