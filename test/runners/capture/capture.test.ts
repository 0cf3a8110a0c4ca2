/** What is seen of a network that failed: by the system's own programs, and where they are missing or forbidden. */
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type Clock, createSleep, systemClock } from '../../../src/base/clock.ts';
import { createApiRunner } from '../../../src/runners/api/runner.ts';
import { type CaptureResult, createCapture } from '../../../src/runners/capture/capture.ts';
import { run } from '../../../src/runners/http/url-runner.ts';
import { createManualClock, patientClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { freePort } from '../../support/free-port.ts';
import { serveWith } from '../../support/http.ts';
import { needs } from '../../support/needs.ts';
import { attempt } from '../../support/runners.ts';

const { signal } = new AbortController();

/** Fixed waits take their real time. Limits are twenty times as long, so that a slow machine does not reach them. */
const timer: Clock['timer'] = (ms, then) => systemClock.timer(ms > LATE_MS ? 20 * ms : ms, then);
const LATE_MS = 300;
const clock: Clock = { ...systemClock, timer, sleep: createSleep(timer) };
const isRoot = process.getuid?.() === 0;

/** A program that says what a test wants it to. */
async function program(script: string): Promise<string> {
  const file = join(await temporaryFolder(), 'program');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

it.runIf(isRoot)('shows the packets of one more try, and the way', async (context) => {
  needs('tcpdump')(context);
  needs('traceroute')(context);
  const port = await freePort();
  const check = { request: { url: `http://127.0.0.1:${port}/` } };
  const outcome = await attempt(run, check, { capture: createCapture({ clock: patientClock }) });
  expect(outcome).toMatchObject({ hasFailures: true, isNetworkError: true });
  const { packets, route } = outcome.details.capture as CaptureResult;
  const lines = packets.lines.filter((line) => line.includes(`.${port}`));
  expect(lines.length, JSON.stringify(packets)).toBeGreaterThanOrEqual(2);
  expect(lines[0]).toContain('Flags [S]');
  expect(lines[1]).toContain('Flags [R.]');
  expect(route).toEqual({
    lines: [expect.stringContaining('127.0.0.1'), expect.stringContaining('1  127.0.0.1')],
    note: null,
  });
});

it('says which program is missing, and which may not look', async () => {
  const port = await freePort();
  const endpoint = { address: '127.0.0.1', port };
  const none = createCapture({
    clock,
    programs: {
      tcpdump: '/nowhere/tcpdump',
      traceroute: '/nowhere/traceroute',
      tracepath: '/nowhere/tracepath',
    },
  });
  expect(await none(endpoint, 4000, signal)).toMatchObject({
    packets: {
      lines: [],
      note: 'packets were not captured: tcpdump is not installed (Debian: apt-get install tcpdump)',
    },
    route: {
      lines: [],
      note: 'the route was not traced: traceroute or tracepath is not installed (Debian: apt-get install traceroute)',
    },
  });
  const forbidden = createCapture({
    clock,
    programs: {
      tcpdump: await program(
        'echo "tcpdump: any: You don\'t have permission to capture on that device" >&2; exit 1',
      ),
      traceroute: '/nowhere/traceroute',
      tracepath: await program("echo ' 1?: [LOCALHOST]'"),
    },
  });
  expect(await forbidden(endpoint, 4000, signal)).toMatchObject({
    packets: {
      note: "packets were not captured: tcpdump: any: You don't have permission to capture on that device",
    },
    route: { lines: [' 1?: [LOCALHOST]'], note: null },
  });
});

it('ends what takes too long, keeps what it said, and leaves nothing running', async () => {
  const slow = await program('echo one; trap "" INT; echo > "$0.$$"; while :; do sleep 0.1; done');
  const manual = createManualClock();
  const capture = createCapture({ clock: manual, programs: { tcpdump: slow, traceroute: slow } });
  const captured = capture({ address: '127.0.0.1', port: await freePort() }, 1200, signal);
  await eventually(async () => expect(await readdir(dirname(slow))).toHaveLength(3));
  await manual.advance(1200);
  expect(await captured).toMatchObject({ packets: { lines: ['one'] }, route: { lines: ['one'] } });
  expect(execFileSync('ps', ['-eo', 'args']).toString()).not.toContain(slow);
});

it('looks into so many at once, and not at all where no time is left', async () => {
  const fast = await program('echo seen');
  const capture = createCapture({ clock, programs: { tcpdump: fast, traceroute: fast } });
  const endpoint = { address: '127.0.0.1', port: await freePort() };
  const all = await Promise.all([1, 2, 3].map(() => capture(endpoint, 4000, signal)));
  expect(all.map(({ route }) => route.note)).toEqual([null, null, '2 other captures were in progress']);
  expect((await capture(endpoint, 500, signal)).packets.note).toBe('no time was left in the run');
});

it('looks at no target that answers, has no address, or lies behind a proxy', async () => {
  let calls = 0;
  const capture = async (): Promise<CaptureResult> => {
    calls += 1;
    return { packets: { lines: [], note: null }, route: { lines: [], note: null }, tookMs: 0 };
  };
  const { url } = await serveWith((_, response) => response.writeHead(503).end());
  const answered = await attempt(run, { request: { url } }, { capture });
  expect(answered.hasFailures).toBe(true);
  expect(answered.details.capture).toBeUndefined();
  const away = `http://127.0.0.1:${await freePort()}/`;
  const expected = await attempt(run, { request: { url: away }, shouldFail: true }, { capture });
  expect(expected.details.capture).toBeUndefined();
  const nameless = await attempt(run, { request: { url: 'http://nobody.invalid/' } }, { capture });
  expect(nameless.details.capture).toEqual({
    note: 'the host has no address, so there is no route to trace',
  });
  expect(calls).toBe(0);
  const turn = await createApiRunner().acquireSlot({ request: { url: away } }, signal);
  expect((await attempt(turn.run, { request: { url: away } }, { capture })).details.capture).toMatchObject({
    tookMs: 0,
  });
  expect(calls).toBe(1);
});
