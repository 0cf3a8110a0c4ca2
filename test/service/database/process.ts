/** Runs the built service as a process, for tests that break its database. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { listProfiles } from '../../../src/profiles/store.ts';
import { eventually } from '../../support/eventually.ts';
import { type Answer, send } from '../../support/send.ts';

export interface ServiceProcess {
  readonly url: string;
  readonly apiKey: string;
  readonly child: ChildProcess;
  /** Returns its stderr. */
  said(): string;
}

/** Creates a home folder for services, and removes it after the test. */
export function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'sonde-database-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

export interface StartOptions {
  readonly home: string;
  readonly databaseUrl?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `sonde service start`, and kills it after the test. */
export function spawnService({ home, databaseUrl, args = [], env = {} }: StartOptions) {
  const words = ['service', 'start', '--listen', '127.0.0.1:0', '--data', join(home, 'data'), ...args];
  const child = spawn(process.execPath, ['dist/sonde.cjs', ...words], {
    env: {
      ...{ PATH: process.env.PATH, HOME: home, ...env },
      ...(databaseUrl === undefined ? {} : { SONDE_DATABASE_URL: databaseUrl }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  const ended = new Promise<number | string>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'nothing')),
  );
  return { child, ended, said: () => text };
}

/** Runs a sonde command, and resolves when it has ended. */
export const runSonde = (
  home: string,
  ...words: readonly string[]
): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH, HOME: home };
    execFile(process.execPath, ['dist/sonde.cjs', ...words], { env }, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });

/** Starts a service, and resolves when it listens. */
export async function startService(options: StartOptions): Promise<ServiceProcess> {
  const { child, said } = spawnService(options);
  const url = await eventually(() => {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${said()}`);
    const found = /Listening on (\S+)\./.exec(said())?.[1];
    if (found === undefined || !said().includes('this service')) throw new Error('it does not listen yet');
    return found;
  });
  const { profiles } = listProfiles({ env: {}, home: options.home, warn: () => {} });
  const apiKey = profiles.get('local')?.apiKey?.reveal() ?? '';
  return { url, apiKey, child, said };
}

/** Starts a target on loopback that responds with 200, for URL checks. */
export async function startTarget(): Promise<string> {
  const server = createServer((_, answer) => answer.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Creates a check that runs only on request. */
export async function createCheck(at: ServiceProcess): Promise<string> {
  const body = { name: 'c', request: { url: await startTarget() }, frequency: 1440 };
  const { body: made } = await send(at, 'POST /v1/checks/url', body);
  return (made as { readonly id: string }).id;
}

/** Starts a session; undefined if the service is unreachable. */
export const trigger = (at: ServiceProcess, checkId: string): Promise<Answer | undefined> =>
  send(at, 'POST /v2/check-sessions/trigger', { target: { checkId: [checkId] } }).catch(() => undefined);

/** Starts sessions until one passes. */
export async function waitForPassedSession(at: ServiceProcess, checkId: string): Promise<void> {
  await eventually(async () => {
    const { status, body } = (await trigger(at, checkId)) ?? { status: 0, body: undefined };
    if (status !== 201) throw new Error(`a start was answered ${status}`);
    const [session] = (body as { readonly sessions: { readonly checkSessionId: string }[] }).sessions;
    const path = `/v2/check-sessions/${session?.checkSessionId}/completion?maxWaitSeconds=10`;
    const ended = await send(at, `GET ${path}`);
    if ((ended.body as { readonly status?: string }).status !== 'PASSED')
      throw new Error(`a session is ${ended.status} ${JSON.stringify(ended.body)}`);
  }, 50);
}

/** Waits until /ready returns this status; returns the elapsed ms. */
export async function waitForReadyStatus(at: ServiceProcess, status: number): Promise<number> {
  const began = performance.now();
  await eventually(async () => {
    const answer = await send(at, 'GET /ready');
    if (answer.status !== status)
      throw new Error(`/ready is ${answer.status} ${JSON.stringify(answer.body)}`);
  }, 20);
  return performance.now() - began;
}
