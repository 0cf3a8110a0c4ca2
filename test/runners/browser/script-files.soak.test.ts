/** What scripts leave in their folder is theirs to choose: whatever it is, only plain files of their own come out of the cell. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contentsOf } from '../../support/left-files.ts';
import { detailsOf, openRunner, type TestRunner } from './support.ts';

let checks: TestRunner;
beforeAll(async () => {
  checks = await openRunner({ isBare: true, level: 'auto' });
});
afterAll(() => checks.close());

const left = async (script: string, options = {}) => {
  const attempt = await checks.run({ script: `const fs = require('node:fs');\n${script}` }, options);
  const { artifactsLost: lost } = attempt.details as { artifactsLost?: string };
  return { ...attempt, lost, names: (attempt.artifacts ?? []).map(({ name }) => name) };
};

it('follows no link, no second name and no pipe, and is not held up by one', async () => {
  const { names, lost, hasErrors, hasFailures, artifacts } = await left(`
    fs.writeFileSync('secret.txt', 'secret');
    fs.symlinkSync('/etc/passwd', 'passwd.png');
    fs.symlinkSync('secret.txt', 'soft.png');
    fs.linkSync('secret.txt', 'hard.png');
    fs.symlinkSync('/etc', 'etc');
    fs.mkdirSync('folder.png');
    require('node:child_process').execFileSync('mkfifo', ['pipe.png']);
    fs.writeFileSync('plain.png', 'plain');`);
  expect({ hasErrors, hasFailures }).toEqual({ hasErrors: false, hasFailures: false });
  expect(names).toEqual(['plain.png']);
  expect(String(await contentsOf(artifacts?.[0]))).toBe('plain');
  expect(lost).toBe('hard.png is not a regular file');
});

it('masks secrets in the names of files', async () => {
  const { names, hasErrors } = await left(
    `for (const name of ['before hunter two! after', 'b%65fore-hunter%20two!', 'abc', 'abcd'])
      fs.writeFileSync(name + '.png', name);`,
    { secrets: ['hunter two!', 'abc'] },
  );
  expect(hasErrors).toBe(false);
  expect(names.toSorted()).toEqual(['-.png', 'abcd.png', 'b-65fore--.png', 'before-after.png']);
});

it('is led nowhere by what takes the place of a file while it is looked at', async () => {
  // It goes on while files are handed out: the same name is a picture, a link, a pipe, a link, a picture …
  const swapping = `
    const fs = require('node:fs');
    fs.symlinkSync('/etc/passwd', 'link'); require('node:child_process').execFileSync('mkfifo', ['pipe']);
    for (let n = 0; ; n += 1) {
      const name = 'swapped-' + (n % 5) + '.png';
      try {
        fs.writeFileSync('new', 'a picture'); fs.renameSync('new', name);
        fs.symlinkSync('/etc/passwd', 'new'); fs.renameSync('new', name);
        fs.linkSync('pipe', 'new'); fs.renameSync('new', name);
      } catch {}
    }`;
  for (let run = 0; run < 2; run += 1) {
    const {
      artifacts = [],
      hasErrors,
      errors,
    } = await left(`
      const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(swapping)}], { detached: true, stdio: 'ignore' });
      child.unref();
      await new Promise((resolve) => setTimeout(resolve, 300));
      fs.writeFileSync('last.png', 'last');`);
    expect({ hasErrors, errors }).toEqual({ hasErrors: false, errors: [] });
    for (const artifact of artifacts)
      expect(['', 'a picture', 'last']).toContain(String(await contentsOf(artifact)));
  }
});

it('keeps what was handed over, whatever its script does to the file afterwards', async () => {
  // 60 MB take a while: what comes behind is changed meanwhile by who still runs.
  const { artifacts = [], names } = await left(`
    fs.writeFileSync('one.png', Buffer.alloc(60e6, 'x'));
    const child = require('node:child_process').spawn(process.execPath, ['-e', "for (;;) { require('node:fs').appendFileSync('one.png', 'y'.repeat(1e5)); }"], { detached: true, stdio: 'ignore' });
    child.unref();`);
  expect(names).toEqual(['one.png']);
  const [one] = artifacts;
  const sum = async () =>
    createHash('sha256')
      .update(await contentsOf(one))
      .digest('hex');
  const before = await sum();
  expect((await contentsOf(one)).length).toBe(one?.bytes);
  expect(await sum()).toBe(before);
});

it('says of a file above the limit what it has, and loses neither the others nor the result', async () => {
  const { names, lost, hasFailures, errors, details } = await left(`
    fs.writeFileSync('before.png', 'before');
    fs.ftruncateSync(fs.openSync('huge.png', 'w'), 150 * 1024 * 1024 + 1);
    fs.writeFileSync('after.png', 'after');
    console.log('still told');
    throw new Error('on its own account');`);
  expect(hasFailures).toBe(true);
  expect(errors[0]).toContain('on its own account');
  expect(names.toSorted()).toEqual(['after.png', 'before.png']);
  expect(lost).toMatch(/^huge\.png is 150\.0 MB \(157,286,401 bytes\): the limit is 150\.0 MB/);
  expect(detailsOf({ details } as never)).toMatchObject({
    console: [{ text: 'still told' }],
    dropped: { artifacts: 1 },
  });
});

it('keeps the verdict where a trace is broken, or there is no time left for it', async () => {
  const secrets = ['a secret'];
  const broken = await left(`fs.writeFileSync('trace.zip', 'PK but no archive'); throw new Error('seen')`, {
    secrets,
  });
  expect(broken.errors[0]).toContain('seen');
  expect(broken.lost).toBe('trace.zip is not stored: it is not a ZIP archive, or it is incomplete');
});
