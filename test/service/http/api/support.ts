/** What the tests of the API have in common: a check's body, how a refusal reads, and bare sockets. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { TestService } from '../../../support/service.ts';

/** The least that makes a DNS check. */
export const dns = {
  name: 'example.com resolves',
  request: { query: 'example.com' },
  heartbeat: {},
  script: '',
};

/** The violations that the body of a 400 lists. */
export const violations = (body: unknown) =>
  (body as { attributes: { violations: { path: string; message: string }[] } }).attributes.violations;

/** The shape of every refusal. */
export const refusal = (status: number) => ({
  statusCode: status,
  error: expect.any(String),
  message: expect.any(String),
  attributes: expect.any(Object),
});

/** What the service writes to a bare socket that says this and hangs up. */
export async function raw({ port }: TestService, said: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(said);
  return text(socket);
}

/** The header lines of a request that is written by hand. */
export const authorized = ({ apiKey }: TestService) => `host: a\r\nauthorization: Bearer ${apiKey}\r\n`;
