/** What comes out of a cell was perhaps written by a script: whatever bytes they are, the service lives and nothing turns green. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ARTIFACT_BYTES } from '../../../src/contract/artifact-bytes.ts';
import { createArtifactReceiver } from '../../../src/runners/browser/artifact-receiver.ts';
import { type ProgramEnd, startProgram } from '../../../src/runners/browser/program.ts';
import type { RunFiles } from '../../../src/runners/core/runner.ts';
import type { ClosableRunFiles } from '../../../src/runners/files/run-file-store.ts';
import { openSandbox, type Sandbox } from '../../../src/sandbox/index.ts';
import { contentsOf, placeIn } from '../../support/left-files.ts';

let folder: string;
let sandbox: Sandbox;
let place: ClosableRunFiles;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sonde-hostile-'));
  place = placeIn(join(folder, 'files'));
  const { pid, execPath } = process;
  const kill = (id: number, signal: NodeJS.Signals | 0) => void process.kill(id, signal);
  sandbox = await openSandbox({
    level: 'process',
    folder: join(folder, 'cells'),
    self: { pid, execPath, kill },
  });
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

const PREPARATION = {
  ...{ playwright: '/nowhere', executablePath: '/nowhere', sandboxed: true, kind: 'script' as const },
  ...{ warmsUp: false, egressSocket: null },
};
const JOB = {
  ...{ kind: 'script' as const, entry: 'a.ts', files: [], environment: {} },
  ...{ baseUrl: null, timeoutMs: 240_000, artifactsMs: 5000, secrets: [] },
};

/** A program that says it is ready, and of its job what `act` writes to descriptor 3. */
async function end(act: string, stop = new AbortController(), files: RunFiles = place): Promise<ProgramEnd> {
  const cell = await sandbox.open();
  try {
    const code = `
      const { writeSync } = require('node:fs');
      const say = (piece) => { for (let rest = Buffer.from(piece); rest.length > 0; ) rest = rest.subarray(writeSync(3, rest)); };
      const part = (bytes) => { say('{"type":"part","bytes":' + bytes.length + '}\\n'); say(bytes); };
      const PASSED = JSON.stringify({ type: 'over', report: { outcome: 'passed', errors: [], tests: [], durationMs: 1 } });
      say('{"type":"ready","browser":"x","sandboxed":true}\\n');
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        if (!line.includes('"entry"')) return;
        ${act};
        process.exit(0);
      });`;
    const program = await startProgram(cell, [process.execPath, '-e', code], PREPARATION);
    return await program.run(JOB, 240_000, stop.signal, files);
  } finally {
    await cell.close();
  }
}

const LOST: Readonly<Record<string, readonly [act: string, why: ProgramEnd['why']]>> = {
  'half a report': ['say(PASSED.slice(0, -5))', 'ended'],
  'a whole report without its end of line': ['say(PASSED)', 'ended'],
  'two halves in one line': ["say(PASSED.slice(0, 20) + PASSED + '\\n')", 'ended'],
  'bytes that are no text': ['say(require("node:crypto").randomBytes(1e6))', 'ended'],
  'lines that say nothing': ['say(\'null\\n[]\\n"over"\\n{}\\n7\\n{"type":"__proto__"}\\n\')', 'ended'],
  'a line that never ends': ["for (;;) say(Buffer.alloc(1e6, 'x'))", 'too-much'],
  'a million lines': ['say(\'{"type":"console"}\\n\'.repeat(1e6))', 'too-much'],
  'a list in a list, a million times': ["say('['.repeat(1e6) + '\\n')", 'too-much'],
  'more members than memory': ["say('[' + '{},'.repeat(3e6) + '{}]\\n' + PASSED + '\\n')", 'too-much'],
};

it.each(Object.entries(LOST))('comes to no report by %s', async (_, [act, why]) => {
  const before = process.memoryUsage().heapUsed;
  const { report, why: told } = await end(act);
  expect({ report, told }).toEqual({ report: undefined, told: why });
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200e6);
});

it('reads a report with wrong parts as one that is no success, and keeps to its bounds', async () => {
  const wrong = {
    outcome: 'green',
    errors: [7, null, 'x'.repeat(1e5)],
    tests: 'all',
    durationMs: '-1',
    dropped: 3,
  };
  const { report } = await end(`say('${JSON.stringify({ type: 'over', report: wrong })}\\n')`);
  expect(report).toMatchObject({
    outcome: 'fault',
    tests: [],
    durationMs: 0,
    dropped: { lines: 0, artifacts: 0 },
  });
  expect(report?.errors.map(({ length }) => length)).toEqual([0, 0, 8000]);
});

const FILE = { type: 'artifact', kind: 'screenshot', name: '../../etc/passwd', contentType: 'image/png' };
const line = (told: object) => `say('${JSON.stringify(told)}\\n');`;
const begin = (name: string) => line({ ...FILE, name });
const whole = line({ type: 'artifact-end', isWhole: true });
const passed = "say(PASSED + '\\n');";

it('keeps only so many lines and files, and none that is no picture', async () => {
  const { console: lines, artifacts } = await end(`
    say('{"type":"console","line":{"text":7,"from":"you"}}\\n'.repeat(2000));
    ${line({ ...FILE, contentType: 'text/html' })} part(Buffer.from('<script>')); ${whole}
    for (let count = 0; count < 100; count += 1) { ${line(FILE)} part(Buffer.from('AAA')); ${whole} }
    ${passed}`);
  expect(lines).toHaveLength(500);
  expect(lines[0]).toMatchObject({ from: 'script', text: '' });
  expect(artifacts).toHaveLength(13);
  expect(new Set(artifacts.map(({ name }) => name))).toEqual(new Set(['..-..-etc-passwd']));
});

it('takes files as they come, whatever is in them, and none that is not whole', async () => {
  const { artifacts, report } = await end(`
    ${begin('one.png')} part(Buffer.from('{"type":"over"}\\n')); part(Buffer.alloc(1048576, 'x')); ${whole}
    ${begin('half.png')} part(Buffer.from('half')); ${line({ type: 'artifact-end', isWhole: false })}
    ${whole} part(Buffer.from('of nothing'));
    ${begin('begun.png')} part(Buffer.from('begun'));
    ${begin('two.png')} part(Buffer.from('2')); ${whole}
    ${begin('left.png')} part(Buffer.from('left')); ${passed}`);
  expect(report?.outcome).toBe('passed');
  expect(artifacts.map(({ name, bytes }) => [name, bytes])).toEqual([
    ['one.png', 1048592],
    ['two.png', 1],
  ]);
  const [one] = artifacts;
  expect((await contentsOf(one)).toString()).toBe(`{"type":"over"}\n${'x'.repeat(1048576)}`);
  const { mode, nlink } = await stat(one?.path ?? '');
  expect([mode & 0o777, nlink]).toEqual([0o600, 1]);
});

it('takes a file of many small parts', async () => {
  const { artifacts, report } = await end(`
    ${begin('small.png')} for (let count = 0; count < 20000; count += 1) part(Buffer.from('A')); ${whole} ${passed}`);
  expect(report?.outcome).toBe('passed');
  expect(artifacts).toMatchObject([{ name: 'small.png', bytes: 20_000 }]);
});

it.each([
  ['a part without end', '{"type":"part","bytes":9999999}'],
  ['a part of less than nothing', '{"type":"part","bytes":-1}'],
  ['a part of a piece of a byte', '{"type":"part","bytes":1.5}'],
])('is led astray by no word of %s', async (_, told) => {
  const { artifacts, report } = await end(`${begin('a.png')} say('${told}\\n'); ${passed}`);
  expect(artifacts).toEqual([]);
  expect(['passed', undefined]).toContain(report?.outcome);
});

it('waits for the disk instead of holding files, gives up one byte above the limit, and what comes without end', async () => {
  const before = process.memoryUsage().rss;
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before);
  }, 5);
  const fill = (bytes: number) =>
    `for (let left = ${bytes}; left > 0; left -= 1048576) part(Buffer.alloc(Math.min(left, 1048576), 'x'));`;
  const { artifacts, lost, report } = await end(`
    ${begin('small.png')} ${fill(1)} ${whole}
    ${begin('more.png')} ${fill(ARTIFACT_BYTES + 1)} ${whole} ${passed}`);
  clearInterval(watch);
  expect(report?.outcome).toBe('passed');
  expect(artifacts.map(({ name, bytes }) => [name, bytes])).toEqual([['small.png', 1]]);
  expect(lost).toEqual([
    expect.stringMatching(
      /^more\.png is 150\.0 MB \(157,286,401 bytes\): the limit is 150\.0 MB \(157,286,400 bytes\)\. /,
    ),
  ]);
  expect(most).toBeLessThan(60e6);
  expect((await end(`${begin('flood.png')} for (;;) part(Buffer.alloc(1048576, 'x'));`)).why).toBe(
    'too-much',
  );
  await place.close();
  expect(await readdir(join(folder, 'files'))).toEqual([]);
});

it('reads no more while the disk is behind, and goes on when it is not', async () => {
  let catchUp = () => {};
  const disk = new Promise<void>((resolve) => {
    catchUp = resolve;
  });
  const file = { write: () => disk, end: async () => ({ path: '', bytes: 0 }), discard: async () => {} };
  const stream = new Readable({ read() {} });
  const receiver = createArtifactReceiver({ create: async () => file }, stream);
  receiver.begin({ type: 'artifact', kind: 'trace', name: 'trace.zip', contentType: 'application/zip' });
  receiver.part(Buffer.alloc(600_000));
  expect(stream.isPaused()).toBe(false);
  receiver.part(Buffer.alloc(600_000));
  expect(stream.isPaused()).toBe(true);
  receiver.end(true);
  catchUp();
  expect((await receiver.settle()).artifacts).toHaveLength(1);
  expect(stream.isPaused()).toBe(false);
});

it('leaves nothing of what was being handed out when the run was cancelled', async () => {
  const folderOfRun = join(folder, 'cancelled');
  const mine = placeIn(folderOfRun);
  const stop = new AbortController();
  const files: RunFiles = {
    async create() {
      const file = await mine.create();
      return {
        ...file,
        async write(part) {
          await file.write(part);
          stop.abort(new Error('cancelled'));
        },
      };
    },
  };
  const running = end(`${begin('one.png')} for (;;) part(Buffer.alloc(1000, 'x'));`, stop, files);
  await expect(running).rejects.toThrow('cancelled');
  await mine.close();
  expect(await readdir(folderOfRun)).toEqual([]);
});
