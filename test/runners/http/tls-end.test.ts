/** Bodies that end with their TLS connection: only a close_notify alert proves that nobody cut them. */
import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type SecureVersion, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createApiRunner } from '../../../src/runners/api/runner.ts';
import type { ApiCheck } from '../../../src/runners/api/types.ts';
import type { Assertion } from '../../../src/runners/core/assertion.ts';
import type { Runner } from '../../../src/runners/core/runner.ts';
import { run as runUrl } from '../../../src/runners/http/url-runner.ts';
import { eventually } from '../../support/eventually.ts';
import { type Authority, makeAuthority, needsOpenssl } from '../../support/fault-proxy/authority.ts';
import { attempt } from '../../support/runners.ts';

const NOTE =
  'the body may be cut: it has no length, and its TLS connection ended without a close_notify alert';
const UNFRAMED = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n';

type End = (socket: TLSSocket, response: string) => void;
const withAlert: End = (socket, response) => void socket.end(response);
const withoutAlert: End = (socket, response) => void socket.write(response, () => socket.destroy());

describe('the end of a TLS connection', () => {
  beforeEach(needsOpenssl);
  let authority: Authority;
  let ca: string;
  beforeAll(async () => {
    authority = await makeAuthority();
    ca = readFileSync(authority.file, 'utf8');
  });
  afterAll(() => authority.remove());

  const open = new Set<Socket>();

  async function serve(response: string, end: End, maxVersion: SecureVersion = 'TLSv1.3'): Promise<string> {
    const options = { maxVersion, SNICallback: () => {} };
    const server = createServer(options, (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => end(socket, response));
    });
    server.on('connection', (socket: Socket) => {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
    });
    Object.assign(server, { _sharedCreds: authority.contexts.get('good') });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  async function check(run: Runner<ApiCheck>, url: string, ...assertions: readonly Assertion[]) {
    return attempt(run, { request: { url, assertions } }, { ca: [ca] });
  }
  const runApi: Runner<ApiCheck> = async (check, context, signal) => {
    const slot = await createApiRunner().acquireSlot(check, signal);
    return slot.run(check, context, signal);
  };
  const status = { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' };
  const header = { source: 'HEADERS', property: 'content-type', comparison: 'CONTAINS', target: 'plain' };
  const textBody = (comparison: string, target: string) => ({ source: 'TEXT_BODY', comparison, target });
  const bodies = [
    ['short', 'all is well'],
    ['long', 'all is well '.repeat(100_000)],
  ] as const;

  describe.each(['TLSv1.2', 'TLSv1.3'] as const)('%s', (version) => {
    it.each(bodies)('accepts a %s body before an alert', async (_, body) => {
      const url = await serve(UNFRAMED + body, withAlert, version);
      const outcome = await check(
        runApi,
        url,
        textBody('CONTAINS', 'well'),
        textBody('NOT_CONTAINS', 'error'),
      );
      expect(outcome).toMatchObject({ hasFailures: false, errors: [], details: { notes: [] } });
    });

    it.each(bodies)('evaluates no assertion on a %s body without an alert', async (_, body) => {
      const url = await serve(UNFRAMED + body, withoutAlert, version);
      for (const assertion of [textBody('CONTAINS', 'well'), textBody('NOT_CONTAINS', 'error')]) {
        const outcome = await check(runApi, url, assertion);
        expect(outcome).toMatchObject({ hasFailures: true, hasErrors: false });
        expect(outcome.errors[0]).toContain(NOTE);
      }
      for (const run of [runApi, runUrl]) {
        const outcome = await check(run, url, status);
        expect(outcome).toMatchObject({ hasFailures: false, errors: [], details: { notes: [NOTE] } });
      }
      expect(await check(runApi, url, status, header)).toMatchObject({ hasFailures: false, errors: [] });
    });
  });

  it.each([
    ['a length', 'Content-Length: 11\r\n\r\nall is well'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\nb\r\nall is well\r\n0\r\n\r\n'],
  ])('accepts a complete body with %s before any end', async (_, rest) => {
    const url = await serve(`HTTP/1.1 200 OK\r\n${rest}`, withoutAlert);
    const outcome = await check(runApi, url, textBody('NOT_CONTAINS', 'error'));
    expect(outcome).toMatchObject({ hasFailures: false, errors: [], details: { notes: [] } });
  });

  // Some kernels report a reset as an end.
  it.each([
    ['', /the body may be cut: |closed the connection after 3 bytes$/],
    ['Content-Length: 11\r\n', /closed the connection after 3 of 11 bytes$/],
  ])('fails a check whose connection is reset in the body: %j', async (length, message) => {
    const url = await serve(`HTTP/1.1 200 OK\r\n${length}\r\nall`, (socket, response) =>
      socket.write(response, () => {
        for (const connection of open) connection.resetAndDestroy();
      }),
    );
    const { errors } = await check(runApi, url, textBody('NOT_CONTAINS', 'error'));
    expect(errors[0]).toMatch(message);
  });

  it('leaves no connection open', async () => {
    const url = await serve('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', (socket, response) => {
      socket.write(response);
    });
    expect(await check(runUrl, url)).toMatchObject({ hasFailures: false });
    expect(await attempt(runUrl, { request: { url } })).toMatchObject({ hasFailures: true });
    await eventually(() => expect(open.size).toBe(0));
  });

  it('fails a check whose headers do not end', async () => {
    const url = await serve('HTTP/1.1 200 OK\r\nContent-', withoutAlert);
    const { errors } = await check(runUrl, url);
    expect(errors[0]).toMatch(/closed the connection before the end of its response headers$/);
  });
});
