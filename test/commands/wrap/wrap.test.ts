/** `sonde wrap` as a process: what passes through, what it exits with, and what its heartbeat gets to know. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as contract from '../../../src/contract/index.ts';
import { bareEnv, type Env, startSonde } from '../../support/binary.ts';
import { call } from '../../support/call.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let home: string;
let id: string;
let url: string;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  home = await temporaryFolder();
  const heartbeat = { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' } as const;
  const check = await call(service, contract.createHeartbeatCheck, { body: { name: 'Backup', heartbeat } });
  id = String(check.id);
  url = `${service.url}${new URL(check.heartbeat?.pingUrl ?? '').pathname}`;
});

const wrap = (args: readonly string[], more: Env = { SONDE_HEARTBEAT_URL: url }, stdin?: string) =>
  startSonde(['wrap', ...args], { env: bareEnv(home, more), stdin });
const shell = (script: string): string[] => ['--', 'sh', '-c', script];
async function result(): Promise<Readonly<Record<string, unknown>>> {
  const { entries } = await call(service, contract.listCheckResults, { params: { checkId: id } });
  const details = entries[0]?.heartbeatCheckResult as Readonly<Record<string, unknown>> | undefined;
  return { errors: entries[0]?.errors, ...details };
}

describe('sonde wrap', () => {
  it('passes streams through and reports success with the output, the duration and the exit code', async () => {
    const ran = await wrap(shell('read line; echo "got $line"; echo warned >&2'), undefined, 'input\n').ended;
    expect(ran).toEqual({ code: 0, stdout: 'got input\n', stderr: 'warned\n' });
    expect(await result()).toMatchObject({
      ...{ event: 'PING', exitCode: 0, duration: expect.any(Number), runId: expect.any(String) },
      ...{ output: 'got input\nwarned\n', userAgent: expect.stringMatching(/^sonde-wrap\//) },
    });
  });

  it('exits with the exit code of the job, and reports a failure with the end of its output', async () => {
    const ran = await wrap(shell('seq 1 5000; echo disk full >&2; exit 3')).ended;
    expect([ran.code, ran.stdout.length, ran.stderr]).toEqual([3, 23_893, 'disk full\n']);
    const { errors, output, isOutputCut } = await result();
    expect(errors).toEqual(['the job exited with code 3: disk full']);
    expect(output).toMatch(/^\[\d+ bytes before are left out\]\n\d{4}\n[\d\n]*5000\ndisk full\n$/);
    expect(isOutputCut).toBe(false);
  });

  it('exits as a shell does if the job cannot start, and reports that', async () => {
    const missing = await wrap(['--', 'no-such-command-here']).ended;
    expect(missing).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('cannot run no-such-command-here: command not found'),
    });
    expect((await result()).errors).toEqual([
      'the job exited with code 127: cannot run no-such-command-here: command not found',
    ]);
    const file = join(home, 'plain.txt');
    await writeFile(file, 'text');
    await chmod(file, 0o644);
    expect((await wrap(['--', file]).ended).code).toBe(126);
  });

  it('forwards a signal, and reports the job that it ended', async () => {
    const gentle = wrap(shell('trap "echo cleaned; exit 4" TERM; echo ready; while :; do sleep 0.05; done'));
    await expect.poll(gentle.stdout).toContain('ready');
    gentle.child.kill('SIGTERM');
    expect(await gentle.ended).toMatchObject({ code: 4, stdout: 'ready\ncleaned\n' });
    const killed = await wrap(shell('kill -KILL $$')).ended;
    expect(killed.code).toBe(137);
    expect((await result()).errors).toEqual(['the job exited with code 137: ended by SIGKILL']);
  });

  it('runs the job if the service cannot be reached, warns, and keeps the URL secret', async () => {
    const secret = '3c0a8b5e-6a1f-4a57-9d53-0c2f3f0c1f11';
    for (const base of ['http://127.0.0.1:9', service.url]) {
      const more = { SONDE_HEARTBEAT_URL: `${base}/ping/${secret}` };
      const ran = await wrap(shell('echo "[$SONDE_HEARTBEAT_URL]"; exit 5'), more).ended;
      expect(ran).toMatchObject({ code: 5, stdout: '[]\n' });
      expect(ran.stderr).toContain('cannot report the end of the job');
      expect(ran.stderr).not.toContain(secret);
    }
  });

  it('finds the check by its name or ID with an API key, and sends no output if it must not', async () => {
    const more = {
      SONDE_API_KEY: service.apiKey,
      SONDE_BASE_URL: service.url,
      SONDE_ACCOUNT_ID: service.accountId,
    };
    const ran = await wrap(['--heartbeat', id, '--omit-output', ...shell('echo private')], more).ended;
    expect(ran).toEqual({ code: 0, stdout: 'private\n', stderr: '' });
    expect(await result()).toMatchObject({ event: 'PING', exitCode: 0 });
    expect(await result()).not.toHaveProperty('output');
    const unknown = await wrap(['--heartbeat', 'Nothing', ...shell('exit 6')], more).ended;
    expect(unknown).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('heartbeat check "Nothing" not found'),
    });
  });

  it('does not wait for what the job leaves behind', async () => {
    const ran = await wrap(shell('sleep 60 & echo done; exit 0')).ended.catch(() => undefined);
    expect(ran?.code).toBe(0);
    expect(await result()).toMatchObject({ event: 'PING', output: 'done\n' });
  });

  it.each([
    [['--', 'true'], 'no heartbeat, so the command was not run: set SONDE_HEARTBEAT_URL'],
    [[], 'required'],
    [['--url', 'sonde.example', '--', 'true'], 'not an http or https URL'],
  ])('runs nothing with the line %o', async (args, message) => {
    const ran = await wrap(args, {}).ended;
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
