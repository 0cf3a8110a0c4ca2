/** A service that is killed in the middle of writes: what it acknowledged is there when it comes back. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { listProfiles } from '../../src/profiles/store.ts';

/** Other tests kill the engine, the alerts, the store and a started group; the long run kills this one more often. */
const ROUNDS = 20;
const folder = mkdtempSync(join(tmpdir(), 'sonde-killed-'));
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Running {
  readonly url: string;
  readonly child: ChildProcess;
}

/** Starts the built service over the folder, and resolves when it says where it listens. */
function start(): Promise<Running> {
  const child = spawn(
    process.execPath,
    ['dist/sonde.cjs', 'service', 'start', '--listen', '127.0.0.1:0', '--data', join(folder, 'data')],
    { env: { PATH: process.env.PATH, HOME: folder }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  children.add(child);
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk;
      const url = /Listening on (\S+)\./.exec(said)?.[1];
      if (url && said.includes('this service')) resolve({ url, child });
    });
    child.once('exit', () => reject(new Error(`the service ended: ${said}`)));
  });
}

async function key(): Promise<string> {
  const { profiles } = listProfiles({ env: {}, home: folder, warn: () => {} });
  const secret = profiles.get('local')?.apiKey;
  if (!secret) throw new Error('no key was saved');
  return secret.reveal();
}

test(`over ${ROUNDS} kills nothing acknowledged is lost, and every session that was under way is concluded`, async () => {
  const acknowledged = new Set<string>();
  const sessions = new Set<string>();
  let running = await start();
  const headers = { authorization: `Bearer ${await key()}`, 'content-type': 'application/json' };
  const post = async (url: string, path: string, body: unknown) => {
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as { id?: string; sessions?: { checkSessionId: string }[] };
  };

  for (let round = 0; round < ROUNDS; round += 1) {
    const { url, child } = running;
    const enough = 3 + ((round * 7) % 11);
    let written = 0;
    const writers = [0, 1, 2, 3].map(async (writer) => {
      for (let number = 0; ; number += 1) {
        const check = await post(url, '/v1/checks/dns', {
          name: `check ${round}.${writer}.${number}`,
          request: { query: 'a.example', nameServer: '127.0.0.1', port: 9 },
          heartbeat: {},
          script: '',
          doubleCheck: false,
        });
        if (!check.id) throw new Error(`not created: ${JSON.stringify(check)}`);
        acknowledged.add(check.id);
        const started = await post(url, '/v2/check-sessions/trigger', { target: { checkId: [check.id] } });
        for (const { checkSessionId } of started.sessions ?? []) sessions.add(checkSessionId);
        written += 1;
        if (written === enough) child.kill('SIGKILL');
      }
    });
    // Each writer ends with the connection that the kill broke.
    const ends = await Promise.allSettled(writers);
    for (const end of ends)
      expect(String((end as PromiseRejectedResult).reason)).toMatch(/fetch failed|terminated|JSON/);
    running = await start();
  }

  const { url, child } = running;
  for (const id of acknowledged) {
    const answer = await fetch(`${url}/v1/checks/${id}`, { headers });
    expect(answer.status, `check ${id}`).toBe(200);
  }
  for (const id of sessions) {
    const answer = await fetch(`${url}/v2/check-sessions/${id}/completion?maxWaitSeconds=30`, { headers });
    expect(answer.status, `session ${id}`).toBe(200);
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS * 3);
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
});
