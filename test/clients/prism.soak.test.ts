/** Every endpoint through Prism, a proxy that validates with `docs/openapi.json`: no request and no response violates the document. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../src/contract/index.ts';
import type { Runner } from '../../src/runners/core/runner.ts';
import { NOBODY, paramsOf } from '../service/http/api/any-request.ts';
import { parseExposition } from '../service/http/server/exposition.ts';
import { BAD } from '../service/notify/alerts/outcomes.ts';
import { ask } from '../support/call.ts';
import { answer, serveWith } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { formatRows } from './compatibility.ts';
import {
  createDrive,
  driveAgents,
  driveChecks,
  driveResources,
  driveRuns,
  driveStatusPages,
} from './every-endpoint.ts';
import {
  driveAccount,
  driveBatch,
  driveDetachedRuns,
  driveHeartbeat,
  driveLists,
  drivePageDetails,
  driveProjects,
  driveStatistics,
  driveTestResult,
} from './every-neighbour.ts';
import { PRISM_VERSION, type Prism, startPrism } from './prism.ts';

const endpoints: readonly contract.Endpoint[] = Object.values(contract);
const DNS: Runner<unknown> = async () => BAD;

const RUNTIMES = [{ id: '2026.04', nodeVersion: process.versions.node, playwrightVersion: '1.65.1' }];

/** Nothing listens there: subscriptions need a mail server, but no answer depends on it. */
const MAIL = {
  ...{ host: '127.0.0.1', port: 9, secure: false, requireTls: false },
  from: 'sonde@example.com',
};

let service: TestService;
let strict: Prism;
let reporting: Prism;
beforeAll(async () => {
  service = await startTestService({
    runtimes: async () => RUNTIMES,
    delivery: { mail: MAIL },
    engine: { runners: { DNS } },
  });
  strict = await startPrism(service.url, { strict: true });
  reporting = await startPrism(service.url, { strict: false });
});
afterAll(() => Promise.all([strict?.close(), reporting?.close(), service?.close()]));

const throughStrict = () => ({ url: strict.url, apiKey: service.apiKey });

describe('every endpoint succeeds without a violation', () => {
  it('checks of every type', () => driveChecks(createDrive(throughStrict())));
  it('resources', () => driveResources(createDrive(throughStrict())));
  it('status pages', () => driveStatusPages(createDrive(throughStrict())));
  it('agents and private locations', () => driveAgents(throughStrict()));
  it('groups, runs, results and alerts', async () => {
    const hook = await serveWith((_, response) => answer(response, {}));
    await driveRuns(createDrive(throughStrict()), hook.url);
  });

  it('lists', () => driveLists(createDrive(throughStrict())));
  it('the account', () => driveAccount(createDrive(throughStrict()), service.accountId));
  it('statistics', () => driveStatistics(createDrive(throughStrict())));
  it('details of status pages', () => drivePageDetails(createDrive(throughStrict())));

  it('a result of a test session', () => driveTestResult(createDrive(throughStrict())));
  it('heartbeats', () => driveHeartbeat(createDrive(throughStrict()), service.url));
  it('projects', () => driveProjects(createDrive(throughStrict())));
  it('detached runs', () => driveDetachedRuns(throughStrict(), service.url));
  it('a batch', () => driveBatch(createDrive(throughStrict())));

  it('and none is forgotten', async () => {
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const families = parseExposition(await (await fetch(`${service.url}/metrics`, { headers })).text());
    const requests = families.find(({ name }) => name === 'sonde_http_requests_total')?.samples ?? [];
    const succeeded = new Set(
      requests
        .filter(({ labels }) => labels.status?.startsWith('2'))
        .map(({ labels }) => `${labels.method} ${labels.route?.replaceAll(/:(\w+)/g, '{$1}')}`),
    );
    const forgotten = endpoints.filter(({ method, path }) => !succeeded.has(`${method} ${path}`));
    expect(forgotten.map(({ name }) => name)).toEqual([]);
  });
});

it('is a row of docs/compatibility.md', async () => {
  const area = 'Every endpoint of `docs/openapi.json` without a violation';
  const rows = [{ area, works: true, since: 'next', note: '' }];
  const file = {
    client: 'Prism, as a validating proxy',
    version: PRISM_VERSION,
    direction: 'client',
    rows,
  } as const;
  await expect(formatRows(file)).toMatchFileSnapshot('./rows/prism.json');
});

interface PrismViolation {
  readonly location: readonly string[];
  readonly message: string;
}
/** Returns the violations of a response that Prism reports. */
function responseViolations(headers: Headers): readonly PrismViolation[] {
  const all = JSON.parse(headers.get('sl-violations') ?? '[]') as PrismViolation[];
  return all.filter(({ location }) => location[0] === 'response');
}

describe.each(endpoints)('refusals of $name', (endpoint) => {
  const at = (apiKey: string) => ({ url: reporting.url, apiKey });
  it('follow the document', async () => {
    const params = paramsOf(endpoint);
    const nobody = { params, query: {}, body: endpoint.body === undefined ? undefined : {} };
    const refusals = [
      await ask(at('a-key-that-does-not-exist'), endpoint, nobody),
      await ask(at(service.apiKey), endpoint, nobody),
      await ask(at(service.apiKey), endpoint, { ...nobody, query: { surplus: NOBODY } }),
    ];
    expect(refusals[0]?.status).toBe(401);
    for (const { status, headers, body } of refusals)
      expect(responseViolations(headers), `${status} ${JSON.stringify(body)}`).toEqual([]);
  });
});
