/** SSL checks through the whole service: created by the command, run by the schedule, and shown on every surface. */

import { X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { command as createSsl } from '../../commands/checks/create-ssl.ts';
import { command as getCheck } from '../../commands/checks/get.ts';
import { command as results } from '../../commands/checks/results.ts';
import * as contract from '../../src/contract/index.ts';
import { cert, key } from '../client/certificate.ts';
import { byHand } from '../support/by-hand.ts';
import { call } from '../support/call.ts';
import { runLine, serviceAt } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { startSession } from './agents/support.ts';

const server = createServer({ key, cert }, (socket) => socket.on('error', () => {}));
server.on('tlsClientError', () => {});
let at: TestService;
let port: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = String((server.address() as AddressInfo).port);
  at = await startTestService();
});
afterAll(async () => {
  await at.close();
  server.close();
});

const sonde = async (command: Parameters<typeof runLine>[0], ...argv: string[]) => {
  const outcome = await runLine(command, argv, { env: { ...serviceAt(at.url), SONDE_API_KEY: at.apiKey } });
  expect(outcome.code, outcome.stderr).toBe(0);
  return outcome.stdout;
};

it('runs on its schedule, and its results are shown by commands and pages', async () => {
  const target = ['--hostname', 'localhost', '--port', port, '--retry-strategy', 'null'];
  const often = ['--frequency', '0', '--frequency-offset', '10', '--json'];
  const accepted = JSON.parse(
    await sonde(createSsl, '--name', 'own', ...target, ...often, '--skip-chain-validation'),
  );
  const strict = JSON.parse(await sonde(createSsl, '--name', 'strict', ...target, ...often));
  expect(accepted).toMatchObject({
    checkType: 'SSL',
    request: { sslConfig: { hostname: 'localhost', alertDaysBeforeExpiry: 20, ipFamily: 'IPv4' } },
    ...{ degradedResponseTime: 3000, maxResponseTime: 10_000, frequencyOffset: 10 },
  });
  const ended = (checkId: string) =>
    eventually(async () => {
      const { entries } = await call(at, contract.listCheckSessions, { query: { checkId } });
      const session = entries.find(({ stoppedAt }) => stoppedAt !== null);
      expect(session).toBeDefined();
      return session;
    });
  expect(await ended(strict.id)).toMatchObject({ runSource: 'SCHEDULER', status: 'FAILED' });
  const good = await ended(accepted.id);
  expect(good).toMatchObject({ runSource: 'SCHEDULER', checkType: 'SSL' });
  expect(good?.status).toMatch(/PASSED|DEGRADED/);

  const [result] = JSON.parse(await sonde(results, strict.id, '--limit', '1', '--json'));
  expect(result).toMatchObject({
    hasFailures: true,
    hasErrors: false,
    errors: [expect.stringMatching(/is not trusted, because it is self-signed: /)],
    sslCheckResult: {
      response: { chainTrusted: false, hostnameVerified: true, certificate: { subjectCN: 'localhost' } },
    },
  });
  expect(await sonde(results, strict.id)).toContain('FAILED');
  const card = await runLine(getCheck, [strict.id], {
    env: { ...serviceAt(at.url), SONDE_API_KEY: at.apiKey },
    isTTY: true,
  });
  expect(card.stdout).toContain(`localhost, port ${port}`);
  const { results: runs } = await call(at, contract.getCheckSession, {
    params: { checkSessionId: String(good?.checkSessionId) },
  });
  const link = runs?.[0]?.checkResultLink;
  const page = await (await fetch(String(link))).text();
  expect(page).toContain('<h2 id="certificate">Certificate</h2>');
  expect(page).toContain('localhost');
});

it('records the certificate that a check saw, by location, of SSL and of URL checks', async () => {
  const { fingerprint256, validTo } = new X509Certificate(cert);
  const certificate = {
    host: `localhost:${port}`,
    expiresAt: Date.parse(validTo),
    fingerprint: fingerprint256,
  };
  const retryStrategy = null;
  const ssl = await call(at, contract.createSslCheck, {
    body: {
      name: 'ssl',
      retryStrategy,
      ...byHand(),
      request: { sslConfig: { hostname: 'localhost', port: Number(port) } },
    },
  });
  const url = await call(at, contract.createUrlCheck, {
    body: { name: 'url', retryStrategy, ...byHand(), request: { url: `https://localhost:${port}/` } },
  });
  for (const { id } of [ssl, url]) {
    const checkSessionId = await startSession(at, String(id));
    await call(at, contract.awaitCheckSession, { params: { checkSessionId }, query: { maxWaitSeconds: 30 } });
    const rows = await at.store.checkLocations.ofChecks([String(id)]);
    expect(rows).toMatchObject([{ status: 'failing', certificate, phases: { connect: expect.any(Number) } }]);
  }
});
