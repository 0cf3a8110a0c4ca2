/** The agent's health port answers probes while somebody holds as many connections open as they can. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { serveHealth } from '../../src/agent/health.ts';

it('closes the oldest connections to make room for a probe', async () => {
  const health = await serveHealth({ port: 0, isReady: () => true, isAlive: () => true });
  onTestFinished(() => health.close());
  const open = async () => {
    const socket = connect(health.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket.resume();
  };
  const first = await open();
  const gone = once(first, 'close');
  for (let opened = 0; opened < 120; opened++)
    (await open()).write('GET /-/readiness HTTP/1.1\r\nhost: a\r\n');
  await gone;
  const answer = await fetch(`http://127.0.0.1:${health.port}/-/readiness`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('connection')).toBe('close');
});
