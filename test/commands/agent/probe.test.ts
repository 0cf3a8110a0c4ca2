/** `sonde agent probe`: what it says and exits with, for people and for programs. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command } from '../../../commands/agent/probe.ts';
import { runLine } from '../../support/command.ts';

let server: Server;
let port: string;
beforeAll(async () => {
  server = createServer(({ url }, response) => {
    response.writeHead(url === '/-/liveness' ? 200 : 503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = String((server.address() as AddressInfo).port);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

describe('agent probe', () => {
  it('says one line, and exits by it', async () => {
    const alive = await runLine(command, ['--port', port]);
    expect(alive).toMatchObject({ code: 0, stdout: `liveness on port ${port}: OK\n` });
    const ready = await runLine(command, ['--port', port, '--readiness']);
    expect(ready).toMatchObject({ code: 1, stdout: '' });
    expect(ready.stderr).toContain(`readiness on port ${port}: 503 Service Unavailable`);
  });

  it('prints an object for programs, whatever it came to', async () => {
    const alive = await runLine(command, ['--port', port, '--json']);
    expect(alive.code).toBe(0);
    expect(JSON.parse(alive.stdout)).toEqual({
      ...{ probe: 'liveness', port: Number(port), healthy: true, answer: 'OK' },
    });
    const ready = await runLine(command, ['--port', port, '--readiness', '--json']);
    expect([ready.code, ready.stderr]).toEqual([1, '']);
    expect(JSON.parse(ready.stdout)).toMatchObject({ healthy: false, answer: '503 Service Unavailable' });
  });
});
