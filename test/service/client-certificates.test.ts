/** Client certificates through the whole service: stored without a trace of their keys, and presented by service and agents. */
import { createPrivateKey } from 'node:crypto';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as contract from '../../src/contract/index.ts';
import { run as runUrlCheck } from '../../src/runners/http/url-runner.ts';
import { agentAt, going } from '../agent/support.ts';
import { byHand } from '../support/by-hand.ts';
import { ask, call } from '../support/call.ts';
import { eventually } from '../support/eventually.ts';
import { type Authority, encryptKey, makeAuthority, needsOpenssl } from '../support/fault-proxy/authority.ts';
import { temporaryFolder } from '../support/folder.ts';
import { credentialsOf, serveMutualTls } from '../support/mutual-tls.ts';
import { findProgram } from '../support/needs.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createAgent, createPlace, startSession } from './agents/support.ts';
import { violations } from './http/api/support.ts';

const PASSPHRASE = 'correct horse battery staple';

let authority: Authority;
let at: TestService;
let logged = '';
beforeEach(needsOpenssl);
beforeAll(async () => {
  if (findProgram('openssl') !== undefined) authority = await makeAuthority();
  const sink = new Writable({
    write(chunk, _, done) {
      logged += chunk;
      done();
    },
  });
  at = await startTestService({ logger: pino({ level: 'trace' }, sink) });
});
afterAll(async () => {
  await at.close();
  await authority?.remove();
});

const encrypted = (key: string, passphrase = PASSPHRASE): string =>
  String(createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }));
const create = (body: contract.BodyOf<typeof contract.createClientCertificate>) =>
  call(at, contract.createClientCertificate, { body });
const createUrlCheck = async (url: string, more: object = {}) => {
  const body = { name: 'mutual', request: { url }, ...byHand(), retryStrategy: null, ...more };
  return String((await call(at, contract.createUrlCheck, { body })).id);
};
/** The final result of a new session of a check. */
async function resultOf(checkId: string) {
  const checkSessionId = await startSession(at, checkId);
  await call(at, contract.awaitCheckSession, { params: { checkSessionId }, query: { maxWaitSeconds: 30 } });
  const { entries } = await call(at, contract.listCheckResults, { params: { checkId }, query: { limit: 1 } });
  return entries[0];
}

describe('a client certificate', () => {
  it('is presented by the checks of its host until it is deleted, and its key is told to nobody', async () => {
    const server = await serveMutualTls(authority);
    const check = await createUrlCheck(server.url);
    expect(await resultOf(check)).toMatchObject({ hasFailures: true, hasErrors: false });
    const { cert, key, ca } = await credentialsOf(authority, 'good');
    const made = await create({ host: '127.0.0.1', cert, ca, key: encrypted(key), passphrase: PASSPHRASE });
    expect(made).toEqual({
      ...{ id: expect.any(String), host: '127.0.0.1', cert, ca },
      created_at: expect.stringMatching(/Z$/),
    });
    const params = { id: made.id };
    expect(await call(at, contract.getClientCertificate, { params })).toEqual(made);
    expect(await call(at, contract.listClientCertificates, {})).toEqual([made]);
    const passed = await resultOf(check);
    expect(passed).toMatchObject({ hasFailures: false, hasErrors: false, errors: [] });
    expect(server.presented).toEqual(['good']);
    await call(at, contract.deleteClientCertificate, { params });
    const trusting = await createUrlCheck(server.url, { request: { url: server.url, skipSSL: true } });
    const failed = await resultOf(trusting);
    expect(failed?.hasFailures).toBe(true);
    expect(JSON.stringify(failed?.errors)).toContain('requires a client certificate');
    expect((await ask(at, contract.deleteClientCertificate, { params })).status).toBe(404);
    const secrets = [key.split('\n')[1] ?? '', 'PRIVATE KEY', PASSPHRASE];
    for (const secret of secrets) expect(logged + JSON.stringify(passed)).not.toContain(secret);
  });

  it('is presented by runs of the schedule', async () => {
    const server = await serveMutualTls(authority);
    const { id } = await create({ host: '127.0.0.1', ...(await credentialsOf(authority, 'good')) });
    const checkId = await createUrlCheck(server.url, { frequency: 0, frequencyOffset: 10 });
    await eventually(async () => {
      const { entries } = await call(at, contract.listCheckSessions, { query: { checkId } });
      const status = expect.stringMatching(/^(?:PASSED|DEGRADED)$/);
      expect(entries[0]).toMatchObject({ runSource: 'SCHEDULER', status });
    });
    await call(at, contract.deleteCheck, { params: { id: checkId } });
    await call(at, contract.deleteClientCertificate, { params: { id } });
  });

  it('of the most specific name is presented, and the newest one of a name', async () => {
    const server = await serveMutualTls(authority, undefined, { rejectUnauthorized: false });
    const good = await credentialsOf(authority, 'good');
    const own = { ...(await credentialsOf(authority, 'self-signed')), ca: good.ca };
    const host = 'localhost';
    const check = await createUrlCheck(server.url.replace('127.0.0.1', host), {
      request: { url: server.url.replace('127.0.0.1', host), skipSSL: true },
    });
    const first = await create({ host, ...good });
    expect((await resultOf(check))?.errors).toEqual([]);
    // Of certificates that are created within one millisecond, either may be the newest.
    await at.store.db.updateTable('client_certificates').set({ created_at: 1 }).execute();
    const second = await create({ host, ...own });
    expect((await resultOf(check))?.errors).toEqual([]);
    expect(server.presented).toEqual(['good', 'self']);
    for (const { id } of [first, second])
      await call(at, contract.deleteClientCertificate, { params: { id } });
  });
});

describe('an agent', () => {
  it('presents the certificate of its account', async () => {
    const server = await serveMutualTls(authority);
    const { id } = await create({ host: '127.0.0.1', ...(await credentialsOf(authority, 'good')) });
    const place = await createPlace(at, 'mutual');
    const agent = agentAt(place, { spoolFolder: await temporaryFolder(), runners: { URL: runUrlCheck } });
    await agent.start(going);
    try {
      const check = await createUrlCheck(server.url, { privateLocations: [place.slug], locations: null });
      expect(await resultOf(check)).toMatchObject({ runLocation: 'mutual', hasFailures: false, errors: [] });
      expect(server.presented).toEqual(['good']);
    } finally {
      await agent.stop();
      await call(at, contract.deleteClientCertificate, { params: { id } });
    }
    expect(JSON.stringify(agent.logged) + logged).not.toContain('PRIVATE KEY');
  });

  it('gets certificates only with runs that may present them', async () => {
    const { id } = await create({ host: 'a.test', ...(await credentialsOf(authority, 'good')) });
    const place = await createPlace(at, 'both');
    const agent = createAgent(place);
    const where = { privateLocations: [place.slug], locations: null };
    const dns = {
      name: 'd',
      request: { query: 'example.com' },
      heartbeat: {},
      script: '',
      ...byHand(),
      ...where,
    };
    const claimFor = async (checkId: string, type: string) => {
      await startSession(at, checkId);
      const asked = { capacity: 1, waitSeconds: 0, checkTypes: [type], runtimes: [] };
      const claimId = crypto.randomUUID();
      return eventually(async () => {
        const body = { agentId: agent.agentId, claimId, ...asked };
        const claimed = await call(place.asAgent, contract.claimRuns, { body });
        expect(claimed.runs).toHaveLength(1);
        return claimed.clientCertificates;
      });
    };
    const dnsCheck = String((await call(at, contract.createDnsCheck, { body: dns })).id);
    expect(await claimFor(dnsCheck, 'DNS')).toEqual([]);
    const held = await claimFor(await createUrlCheck('https://a.test', where), 'URL');
    expect(held).toMatchObject([{ host: 'a.test', key: expect.stringContaining('PRIVATE KEY') }]);
    await call(at, contract.deleteClientCertificate, { params: { id } });
  });
});

describe('a client certificate is refused', () => {
  const refusalOf = async (changes: object) => {
    const body = { host: 'api.a.test', ...(await credentialsOf(authority, 'good')), ...changes };
    const refused = await ask(at, contract.createClientCertificate, { body });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).not.toMatch(/PRIVATE KEY-----\n|battery/);
    return violations(refused.body).map(({ path, message }) => `${path} ${message}`);
  };

  it.each(['https://a.test', 'a.test:8443', 'a.test/x', '*', '*.', 'a.*.test', '*.127.0.0.1', '-.test', ''])(
    'for the host %j',
    async (host) => {
      expect(await refusalOf({ host })).toEqual([expect.stringMatching(/^host must /)]);
    },
  );

  it('with a reason for each part that is wrong', async () => {
    const { key, cert } = await credentialsOf(authority, 'good');
    const other = await credentialsOf(authority, 'self-signed');
    const expired = await credentialsOf(authority, 'expired');
    const slow = await encryptKey(key, PASSPHRASE, 1_000_001);
    const scrypt = (p: number) =>
      encryptKey(key, PASSPHRASE, ['-scrypt', '-scrypt_N', '1024', '-scrypt_r', '8', '-scrypt_p', String(p)]);
    // The product of 1024, 8 and 122 is within the limit.
    const bearable = { host: 'api.a.test', cert, key: await scrypt(122), passphrase: PASSPHRASE };
    expect((await ask(at, contract.createClientCertificate, { body: bearable })).status).toBe(201);
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ cert: 'no certificate' }, /^cert must be a certificate in PEM format/],
      [{ cert: cert.replace(/^MII/m, 'AAA') }, /^cert contains a certificate that cannot be read/],
      [{ ...expired }, /^cert expired on \d{4}-\d\d-\d\d$/],
      [{ key: 'no key' }, /^key must be one private key in PEM format/],
      [{ key: key + other.key }, /^key must be one private key in PEM format/],
      [{ key: key.replace(/^MI/m, 'AA') }, /^key cannot be read/],
      [{ key: other.key }, /^key does not belong to the certificate/],
      [{ key: encrypted(key) }, /^passphrase is required: the private key is encrypted$/],
      [
        { key: encrypted(key), passphrase: `${PASSPHRASE}!` },
        /^passphrase does not decrypt the private key$/,
      ],
      [{ key: slow, passphrase: PASSPHRASE }, /^key takes too long to decrypt/],
      [{ key: await scrypt(123), passphrase: PASSPHRASE }, /^key takes too long to decrypt/],
      [{ ca: 'no authority' }, /^ca must be a certificate in PEM format/],
    ];
    for (const [changes, expected] of cases)
      expect(await refusalOf(changes)).toEqual([expect.stringMatching(expected)]);
    const { key: _, ...rest } = await credentialsOf(authority, 'good');
    const missing = await ask(at, contract.createClientCertificate, { body: { host: 'a.test', ...rest } });
    expect(violations(missing.body).map(({ path }) => path)).toEqual(['key']);
  });

  it('beyond a hundred', async () => {
    const as = { ...at, ...(await at.newAccount()) };
    const { cert, key } = await credentialsOf(authority, 'good');
    for (let number = 0; number < 100; number += 1)
      await at.store.clientCertificates.create(as.accountId, { host: `${number}.test`, cert, key, ca: null });
    const body = { host: '*.Bücher.test', cert, key };
    const refused = await ask(as, contract.createClientCertificate, { body });
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { message: expect.stringContaining('at most 100') },
    ]);
    const [last] = await call(as, contract.listClientCertificates, {});
    await call(as, contract.deleteClientCertificate, { params: { id: last?.id ?? '' } });
    expect(await call(as, contract.createClientCertificate, { body })).toMatchObject({
      host: '*.xn--bcher-kva.test',
    });
  });
});
