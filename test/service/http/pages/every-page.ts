/** Every kind of page that a service shows to people, each with something on it: for eyes and for rules. */
import type { Page } from '@playwright/test';
import type { BodyOf } from '../../../../src/contract/index.ts';
import * as contract from '../../../../src/contract/index.ts';
import type { Runner } from '../../../../src/runners/core/runner.ts';
import { type LoopbackRecord, startLoopbackNameServer } from '../../../../src/runners/dns/loopback-server.ts';
import { createCapability } from '../../../../src/service/engine/sessions/capability.ts';
import { call } from '../../../support/call.ts';
import { type Left, leaving, PIXEL, runBrowserCheck } from './browser-runs.ts';
import { makeBoardChecks, makeDashboard } from './dashboards-world.ts';
import { statusPages, type Way } from './every-status-page.ts';
import { SUITE_REPORTS, signedInPages } from './signed-in-pages.ts';
import { suiteRunner } from './suite-runs.ts';
import { answered, ended, LONG, pathOf, runOf, typePages } from './type-runs.ts';
import { startWorld, type World } from './world.ts';

export interface EveryPage {
  readonly world: World;
  readonly names: Readonly<
    Record<'runs' | 'services' | 'subscribers' | 'dashboards' | 'signedIn', readonly string[]>
  >;
  /** Opens a page; that of a name may be opened once. */
  open(page: Page, name: string): Promise<void>;
  close(): Promise<void>;
}

const RECORDS: LoopbackRecord[] = [
  ...Array.from({ length: 30 }, (_, index): LoopbackRecord => ({ type: 'A', data: `192.0.2.${index + 1}` })),
  { type: 'TXT', data: `v=spf1 ${'include:_spf.example.com '.repeat(8)}-all` },
];

/** What a browser check leaves that fails. */
const left = (picture: Buffer): Left => ({
  errors: ['Error: expect(locator).toBeVisible() failed\n\nLocator: getByRole("button", { name: "Buy" })'],
  artifacts: [
    { kind: 'screenshot', name: 'failure.png', contentType: 'image/png', contents: picture },
    { kind: 'trace', name: 'trace.zip', contentType: 'application/zip', contents: PIXEL },
  ],
  details: {
    isolation: { level: 'uid', chromiumSandbox: true },
    ...{ browser: 'Chromium 141.0.7390.107', playwright: '1.56.1', runtime: '2026.04' },
    sslCheck: { domain: 'shop.example.com', daysLeft: 41 },
    tests: ['passed', 'failed', 'skipped'].map((status, index) => ({
      ...{ title: ['signs in', LONG, 'pays'][index], status, durationMs: 1200 },
    })),
    console: ['log', 'warning', 'error'].map((level) => ({
      ...{ from: 'page', level, text: `Failed to load https://shop.example.com/${LONG}`, atMs: 5312 },
    })),
  },
});

type Check = BodyOf<typeof contract.createDnsCheck>;

async function run(world: World, body: Pick<Check, 'name' | 'request'> & Partial<Check>): Promise<string> {
  return runOf(world, 'DNS', { heartbeat: {}, script: '', ...body });
}

/** Dashboards in each form. */
async function dashboardPages(world: World): Promise<Record<string, Way>> {
  const check = await makeBoardChecks(world, LONG);
  const text = 'Everything that customers see.\nCall us at +49 30 1234567.';
  await makeDashboard(world, 'board', { description: text, showCheckRunLinks: true });
  await makeDashboard(world, 'charts', { expandChecks: true, sortByStatus: true, enableIncidents: true });
  await makeDashboard(world, 'bare', {
    ...{ showHeader: false, hideTags: true, showGroupNames: false, showP95: false, showP99: false },
    ...{ width: '960PX', checksPerPage: 3 },
  });
  await makeDashboard(world, 'none', { tags: ['nothing'] });
  await makeDashboard(world, 'secret', { isPrivate: true });
  return {
    board: { path: '/dashboards/board' },
    boardCharts: { path: '/dashboards/charts' },
    boardBare: { path: '/dashboards/bare?page=2' },
    boardFailing: { path: '/dashboards/board?status=failing&sort=response' },
    boardFiltered: { path: '/dashboards/none?status=degraded' },
    boardEmpty: { path: '/dashboards/none' },
    boardCheck: { path: `/dashboards/board?check=${check}` },
    boardSecret: { path: '/dashboards/secret' },
    boardWrongKey: { path: '/dashboards/secret', typed: [['key', 'dk_wrong']] },
  };
}

/** Of subscribers: each is another's, since what was confirmed or unsubscribed is not asked again. */
async function subscriberPages(world: World): Promise<Record<string, Way>> {
  const pageId = (await world.store.statusPages.bySlug('full'))?.id ?? '';
  const secret = await world.store.settings.linkSecret();
  const ask = async (who: string) => {
    const asked = await world.store.subscribers.requestSubscription(pageId, 'EMAIL', `${who}@example.com`);
    const id = asked?.subscriber.id ?? '';
    return {
      confirm: `/status/full/confirm/${asked?.token}`,
      unsubscribe: `/status/full/unsubscribe/${id}/${createCapability(secret, 'unsubscribe', id)}`,
    };
  };
  const [one, other] = [await ask('one'), await ask('other')];
  return {
    subscribe: { path: '/status/full/subscribe' },
    wrongAddress: { path: '/status/full/subscribe', typed: [['email', 'name@localhost']] },
    asked: { path: '/status/full/subscribe', typed: [['email', 'a@example.com']] },
    confirm: { path: one.confirm },
    confirmed: { path: one.confirm, typed: [] },
    gone: { path: '/status/full/confirm/none' },
    unsubscribe: { path: other.unsubscribe },
    unsubscribed: { path: other.unsubscribe, typed: [] },
  };
}

type NameServer = Readonly<{ address: string; port: number }>;

/** Where runs never end. */
const SILENT = 'ap-south-1';

/** The runners there are, but for what never ends and what a browser check leaves. */
function runnersOf(picture: Buffer): ReturnType<typeof leaving>['runners'] & {
  API: Runner<never>;
  PLAYWRIGHT: Runner<unknown>;
} {
  const { runners } = leaving(left(picture));
  return {
    ...runners,
    API: async () => answered,
    PLAYWRIGHT: suiteRunner([...SUITE_REPORTS]),
    DNS: (check, context, signal) =>
      context.location === SILENT
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        : runners.DNS(check, context, signal),
  };
}

/** Of runs: DNS and browser checks, good, bad and under way. */
async function runPages(world: World, server: NameServer): Promise<Record<string, Way>> {
  const asked = { query: 'www.example', nameServer: server.address, port: server.port };
  const good = await ended(
    world,
    await run(world, {
      ...{ name: 'www.example resolves', locations: ['eu-west-1', 'us-east-1'], runParallel: true },
      request: {
        ...asked,
        assertions: [{ source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' }],
      },
    }),
  );
  const target = `v=spf1 ${LONG} -all`;
  const bad = await ended(
    world,
    await run(world, {
      ...{ name: LONG, retryStrategy: { type: 'FIXED', maxRetries: 2, baseBackoffSeconds: 0 } },
      request: {
        ...{ ...asked, recordType: 'TXT' },
        assertions: [
          { source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' },
          { source: 'TEXT_ANSWER', comparison: 'CONTAINS', target },
          { source: 'JSON_ANSWER', property: '$.Answer[0].data', comparison: 'EQUALS', target },
          { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '10000' },
        ],
      },
    }),
  );
  const refused = await ended(
    world,
    await run(world, {
      name: 'nobody answers',
      request: { query: 'a.example', nameServer: '127.0.0.1', port: 9 },
    }),
  );
  const goesOn = await run(world, {
    ...{ name: 'silence', locations: ['eu-west-1', SILENT], runParallel: true, activated: true },
    request: { ...asked },
  });
  const secret = await world.store.settings.linkSecret();
  const under = `/check-sessions/${goesOn}/${createCapability(secret, 'check-session', goesOn)}`;
  const checks = await call(world, contract.listChecks, { query: {} });
  const checkId = checks.map(({ id }) => String(id)).slice(0, 4);
  const tests = await call(world, contract.triggerTestSessions, {
    body: {
      ...{ name: 'release 7', runLocation: 'eu-west-1', target: { checkId } },
      metadata: { branchName: LONG, commitMessage: 'Show the price' },
    },
  });
  const tested = await call(world, contract.awaitTestSession, {
    params: { testSessionId: tests.testSessionId },
    query: { maxWaitSeconds: 20 },
  });
  const browser = await runBrowserCheck(world, 'Sign in and buy');
  return {
    session: { path: good.session },
    result: { path: good.result },
    badSession: { path: bad.session },
    badResult: { path: bad.result },
    refusedResult: { path: refused.result },
    underWay: { path: under },
    runNow: { path: `${good.session}/run` },
    wrongRunKey: { path: `${good.session}/run`, typed: [['key', 'sk_wrong']] },
    testSession: { path: pathOf(tested.testSessionLink) },
    browserSession: { path: browser.session },
    browserResult: { path: browser.result },
    ...(await typePages(world)),
    missing: { path: '/status/none' },
    wrongLink: { path: `${good.session.slice(0, -1)}` },
  };
}

/** Starts a service with all of them. `picture`: what a browser check showed last. */
export async function everyPage({ picture = PIXEL }: { readonly picture?: Buffer } = {}): Promise<EveryPage> {
  const records = { 'www.example': RECORDS };
  const server = await startLoopbackNameServer({ records });
  const world = await startWorld({ engine: { runners: runnersOf(picture) } });
  const runs = await runPages(world, server);
  const services = await statusPages(world);
  const subscribers = await subscriberPages(world);
  const dashboards = await dashboardPages(world);
  const signedIn = await signedInPages(world);
  const ways: Record<string, Way> = { ...runs, ...services, ...subscribers, ...dashboards, ...signedIn };
  const names = {
    runs: Object.keys(runs),
    services: Object.keys(services),
    subscribers: Object.keys(subscribers),
    dashboards: Object.keys(dashboards),
    signedIn: Object.keys(signedIn),
  };
  return {
    ...{ world, names },
    async open(page, name) {
      const { path, typed } = ways[name] ?? { path: '' };
      // The session and the keys of other pages.
      await page.context().clearCookies();
      await page.goto(world.url + path);
      for (const [field, text] of typed ?? []) await page.locator(`#${field}`).fill(text);
      if (typed === undefined) return;
      // What a browser would refuse itself is not its page's to show.
      await page.locator('form').first().evaluate('(form) => { form.noValidate = true; }');
      await page.locator('form button').first().click();
      await page.waitForLoadState('load');
    },
    async close() {
      await world.close();
      await server.close();
    },
  };
}
