/** What comes out of a cell was perhaps written by a script: whatever bytes they are, the service lives and nothing turns green. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProgramEnd, startProgram } from '../../../src/runners/browser/program.ts';
import { openSandbox, type Sandbox } from '../../../src/sandbox/index.ts';

let folder: string;
let sandbox: Sandbox;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sonde-hostile-'));
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
  ...{ rehearses: false, wayOut: null },
};
const JOB = {
  ...{ kind: 'script' as const, entry: 'a.ts', files: [], environment: {} },
  ...{ baseUrl: null, timeoutMs: 10_000, secrets: [] },
};

/** A program that says it is ready, and of its job what `act` writes to descriptor 3. */
async function end(act: string): Promise<ProgramEnd> {
  const cell = await sandbox.open();
  try {
    const code = `
      const { writeSync } = require('node:fs');
      const say = (piece) => { for (let rest = Buffer.from(piece); rest.length > 0; ) rest = rest.subarray(writeSync(3, rest)); };
      const PASSED = JSON.stringify({ type: 'over', report: { outcome: 'passed', errors: [], tests: [], durationMs: 1 } });
      say('{"type":"ready","browser":"x","sandboxed":true}\\n');
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        if (!line.includes('"entry"')) return;
        ${act};
        process.exit(0);
      });`;
    const program = await startProgram(cell, [process.execPath, '-e', code], PREPARATION);
    return await program.run(JOB, 20_000, new AbortController().signal);
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

it('keeps only so many lines and files, and none that is no picture', async () => {
  const artifact = {
    type: 'artifact',
    kind: 'screenshot',
    name: '../../etc/passwd',
    contentType: 'image/png',
    base64: 'AAAA',
  };
  const page = { ...artifact, contentType: 'text/html' };
  const { console: lines, artifacts } = await end(`
    say('{"type":"console","line":{"text":7,"from":"you"}}\\n'.repeat(2000));
    say('${JSON.stringify(page)}\\n'); say('${JSON.stringify(artifact)}\\n'.repeat(100)); say(PASSED + '\\n')`);
  expect(lines).toHaveLength(500);
  expect(lines[0]).toMatchObject({ from: 'script', text: '' });
  expect(artifacts).toHaveLength(13);
  expect(new Set(artifacts.map(({ name }) => name))).toEqual(new Set(['..-..-etc-passwd']));
});
