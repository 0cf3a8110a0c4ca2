/** Which custom domains pages are served at, with a real name server that has the records. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import * as contract from '../../../../src/contract/index.ts';
import { startLoopbackNameServer } from '../../../../src/runners/dns/loopback-server.ts';
import { createDomainProofs } from '../../../../src/service/http/api/domain-proofs.ts';
import { ask, call } from '../../../support/call.ts';
import { type Knot, needsKnot, startKnot } from '../../../support/dns/knot.ts';
import { makeDashboard } from './dashboards-world.ts';
import { makePage, startWorld, type World } from './world.ts';

type Domain = {
  readonly customDomainStatus?: string;
  readonly customDomainChallenge?: { recordValue: string };
};

let world: World;
let other: World;
/** The resolver that the service asks at this moment. */
let resolver = '';
const closers: (() => Promise<unknown>)[] = [];

/** Publishes TXT records, each a name and its values, until the next call. */
async function publish(records: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const server = await startLoopbackNameServer({
    records: Object.fromEntries(
      Object.entries(records).map(([name, values]) => [
        `_sonde-challenge.${name}`,
        values.map((data) => ({ type: 'TXT' as const, data })),
      ]),
    ),
  });
  closers.push(() => server.close());
  resolver = `${server.address}:${server.port}`;
}

const at = async (host: string, url = '/', headers = {}) =>
  world.service.app.inject({ url, headers: { host, accept: 'text/html', ...headers } });

const body = (url: string, customDomain: string | null) => ({
  name: `Page ${url}`,
  url,
  cards: [],
  customDomain,
});

/** The token of an account, as the service tells it. */
async function tokenOf(of: World): Promise<string> {
  const page = (await makePage(of, `token-${of.accountId}`, [], {
    customDomain: 'token.example',
  })) as Domain & {
    readonly id: string;
  };
  await call(of, contract.deleteStatusPage, { params: { statusPageId: page.id } });
  return page.customDomainChallenge?.recordValue ?? '';
}

let mine = '';
let theirs = '';
beforeAll(async () => {
  await publish({});
  world = await startWorld({
    publicUrl: 'https://monitoring.example.com',
    trustCustomDomains: false,
    engine: { resolvers: () => [resolver], denyAddress: (address) => `${address} is denied` },
  });
  other = { ...world, ...(await world.newAccount()) };
  [mine, theirs] = [await tokenOf(world), await tokenOf(other)];
});
afterAll(async () => {
  await world.close();
  for (const close of closers) await close();
});

describe('a domain', () => {
  it('is stored and not served without a proof, and the answer has the record to create', async () => {
    const { id } = await makePage(world, 'unproved', [], { customDomain: 'Unproved.example' });
    const shown = await call(world, contract.getStatusPage, { params: { statusPageId: id } });
    expect(shown).toMatchObject({
      customDomain: 'Unproved.example',
      customDomainStatus: 'UNVERIFIED',
      customDomainChallenge: {
        recordName: '_sonde-challenge.unproved.example',
        recordType: 'TXT',
        recordValue: mine,
        fileUrl: 'http://unproved.example/.well-known/sonde-challenge',
      },
    });
    expect((await at('unproved.example')).body).not.toContain('Example Shop');
    for (const path of ['/status.json', '/feed.atom', '/subscribe'])
      expect((await at('unproved.example', path)).statusCode).toBe(404);
    // The page itself is there, under the address of the service.
    expect((await at('monitoring.example.com', '/status/unproved')).body).toContain('Example Shop');
  });

  it.each([
    ['among other records', ['v=spf1 -all', 'TOKEN']],
    ['with spaces around it', [' TOKEN ']],
  ])('is served once the record has the token, %s', async (_, values) => {
    const name = `proved-${values.length}.example`;
    await publish({ [name]: values.map((value) => value.replace('TOKEN', mine)) });
    const page = await makePage(world, `proved-${values.length}`, [], { customDomain: name.toUpperCase() });
    expect(page).toMatchObject({ customDomainStatus: 'VERIFIED' });
    expect(page).not.toHaveProperty('customDomainChallenge');
    expect((await at(`${name}:8443`)).body).toContain('Example Shop');
  });

  it.each([
    ['the token of another account', () => [theirs]],
    ['a part of the token', () => [mine.slice(1)]],
    ['a text that contains the token', () => [`x${mine}`]],
    ['no value', () => ['']],
  ])('is not served by a record with %s', async (what, values) => {
    const name = `wrong-${what.replaceAll(' ', '-')}.example`;
    await publish({ [name]: values() });
    const page = await makePage(world, name, [], { customDomain: name });
    expect(page).toMatchObject({ customDomainStatus: 'UNVERIFIED' });
    expect((await at(name)).body).not.toContain('Example Shop');
  });

  it('is verified by a request after the record was created, and not before', async () => {
    const { id } = await makePage(world, 'later', [], { customDomain: 'later.example' });
    const verify = () => call(world, contract.verifyStatusPageDomain, { params: { statusPageId: id } });
    expect(await verify()).toMatchObject({ customDomainStatus: 'UNVERIFIED' });
    await publish({ 'later.example': [mine] });
    expect(await verify()).toMatchObject({ customDomainStatus: 'VERIFIED' });
    // It stays verified when the record is removed, also when the page is saved again.
    await publish({});
    expect(await verify()).toMatchObject({ customDomainStatus: 'VERIFIED' });
    const saved = await call(world, contract.updateStatusPage, {
      params: { statusPageId: id },
      body: body('later', 'LATER.example'),
    });
    expect(saved).toMatchObject({ customDomainStatus: 'VERIFIED' });
    const moved = await call(world, contract.updateStatusPage, {
      params: { statusPageId: id },
      body: body('later', 'moved.example'),
    });
    expect(moved).toMatchObject({ customDomainStatus: 'UNVERIFIED' });
    for (const host of ['later.example', 'moved.example'])
      expect((await at(host)).body).not.toContain('Page later');
  });

  it('that is missing cannot be verified, nor that of a page of another account', async () => {
    const { id } = await makePage(world, 'none', []);
    const params = { statusPageId: id };
    expect((await ask(world, contract.verifyStatusPageDomain, { params })).status).toBe(400);
    expect((await ask(other, contract.verifyStatusPageDomain, { params })).status).toBe(404);
  });

  it('of a dashboard follows the same rules, and excludes a status page', async () => {
    const board = await makeDashboard(world, 'board', { header: 'Board', customDomain: 'board.example' });
    expect(board).toMatchObject({ customDomainStatus: 'UNVERIFIED' });
    expect((await at('board.example')).body).not.toContain('<title>Board</title>');
    await publish({ 'board.example': [mine, theirs] });
    const { dashboardId } = board;
    expect(await call(world, contract.verifyDashboardDomain, { params: { dashboardId } })).toMatchObject({
      customDomainStatus: 'VERIFIED',
    });
    expect((await at('board.example')).body).toContain('<title>Board</title>');
    const claim = await ask(other, contract.createStatusPage, { body: body('claim', 'board.example') });
    expect(claim.status).toBe(409);
    await call(world, contract.updateDashboard, { params: { dashboardId }, body: { customDomain: null } });
    expect(
      (await ask(other, contract.createStatusPage, { body: body('claim', 'board.example') })).body,
    ).toMatchObject({ customDomainStatus: 'VERIFIED' });
  });

  it('of a batch and of a project is looked up before their transactions', async () => {
    await publish({ 'batch.example': [mine], 'project.example': [mine] });
    const requests = ['batch.example', 'not-batch.example'].map((domain) => ({
      operation: 'createStatusPage' as const,
      body: body(domain, domain),
    }));
    const { responses } = await call(world, contract.runBatch, { body: { requests } });
    expect(responses.map(({ body: page }) => (page as Domain).customDomainStatus)).toEqual([
      'VERIFIED',
      'UNVERIFIED',
    ]);
    await call(world, contract.deployProject, {
      body: {
        project: { logicalId: 'shop', name: 'Shop' },
        resources: [
          {
            type: 'dashboard',
            logicalId: 'wall',
            member: true,
            payload: { customUrl: 'wall', header: 'Wall', customDomain: 'project.example' },
          },
        ],
      } as never,
    });
    expect((await at('project.example')).body).toContain('<title>Wall</title>');
    // A batch moves a domain of its account, although no record proves it any more.
    await publish({});
    const { entries } = await call(world, contract.listStatusPages, { query: { limit: 100 } });
    const statusPageId = entries.find(({ url }) => url === 'batch.example')?.id ?? '';
    const moved = await call(world, contract.runBatch, {
      body: {
        requests: [
          { operation: 'deleteStatusPage', params: { statusPageId } },
          { operation: 'createStatusPage', body: body('successor', 'batch.example') },
        ],
      },
    });
    expect(moved.responses[1]?.body).toMatchObject({ customDomainStatus: 'VERIFIED' });
  });
});

describe('the proof', () => {
  const proofs = (options: Partial<Parameters<typeof createDomainProofs>[0]>) =>
    createDomainProofs({
      ...{ secret: 'a secret', trustsAll: false, resolvers: () => [resolver], denyAddress: undefined },
      ...{ clock: systemClock, random: systemRandom, stopping: new AbortController().signal },
      ...options,
    });

  it.each([
    ['a line of the file', (token: string) => [200, `another\n${token}\r\n`], true],
    ['another text', () => [200, 'nothing'], false],
    ['a part of a line', (token: string) => [200, `x${token}`], false],
    ['an error with the token', (token: string) => [404, token], false],
    ['a redirect with the token', (token: string) => [302, token], false],
  ] as const)('is %s', async (_, answer, isProof) => {
    await publish({});
    const paths: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url);
      const [status, text] = answer(token);
      response.writeHead(Number(status), { location: '/elsewhere' }).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const of = proofs({});
    const domain = `localhost:${port}`;
    const { token } = of.challenge('account', domain);
    expect(await of.hasProof('account', domain)).toBe(isProof);
    expect(paths).toEqual(['/.well-known/sonde-challenge']);
    // The policy for webhooks applies to the file.
    expect(await proofs({ denyAddress: () => 'denied' }).hasProof('account', domain)).toBe(false);
    expect(paths).toHaveLength(1);
    server.close();
  });

  it('needs an answer: without a resolver there is none', async () => {
    expect(await proofs({ resolvers: () => [] }).hasProof('account', 'a.invalid')).toBe(false);
  });

  it('differs between accounts and services', () => {
    const tokens = [proofs({}), proofs({ secret: 'another' })].flatMap(({ challenge }) =>
      ['one', 'two'].map((account) => challenge(account, 'a.example').token),
    );
    expect(new Set(tokens).size).toBe(4);
  });

  it('is found in the zone of an authoritative server, also behind an alias', async (context) => {
    needsKnot(context);
    const of = proofs({});
    const { token } = of.challenge('account', 'a.example');
    const zone = [
      '$ORIGIN example.',
      '$TTL 60',
      '@ SOA ns hostmaster 1 60 60 60 60',
      '@ NS ns',
      'ns A 127.0.0.1',
      `_sonde-challenge.a TXT "${token.slice(0, 10)}" "${token.slice(10)}"`,
      '_sonde-challenge.b CNAME _sonde-challenge.a',
      '_sonde-challenge.c TXT "another"',
    ].join('\n');
    const knot = (await startKnot({ example: `${zone}\n` })) as Knot;
    resolver = `${knot.address}:${knot.port}`;
    const found = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => of.hasProof('account', `${name}.example`)),
    );
    await knot.stop();
    expect(found).toEqual([true, true, false, false]);
  });
});
