/** The pages of who is signed in, with something on each, and the form that leads there. */
import * as contract from '../../../../src/contract/index.ts';
import { byHand } from '../../../support/by-hand.ts';
import { call } from '../../../support/call.ts';
import { createSuite, type ReportedTest, runSuite } from './suite-runs.ts';
import { LONG } from './type-runs.ts';
import type { World } from './world.ts';

interface TypedWay {
  readonly path: string;
  readonly typed?: readonly (readonly [field: string, text: string])[];
}

/** The tests of the runs of a Playwright suite: slow, flaky, failing and skipped ones, and one with a long title. */
export const SUITE_REPORTS: ReportedTest[][] = Array.from({ length: 12 }, (_, run) => [
  ...['signs in', 'searches', 'pays by card', 'pays by invoice', 'exports', `[wide] › ${LONG}`].map(
    (title, test): ReportedTest => ({
      ...{
        title: `shop.spec.ts › the shop › ${title}`,
        durationMs: (test + 1) * 900 + ((run * 7 + test) % 5) * 350,
      },
      ...(test === 2 && run % 4 === 1
        ? { status: 'passed', isFlaky: true }
        : { status: (test === 0 && run % 5 === 3) || (test === 4 && run > 8) ? 'failed' : 'passed' }),
    }),
  ),
  { title: 'shop.spec.ts › returns', status: 'skipped', durationMs: 0 },
]);

const NOT_SENT = 'the host refused the connection';

/** Makes what the home page shows besides checks, sessions, incidents and windows. */
async function fillHome(world: World): Promise<void> {
  await call(world, contract.createPrivateLocation, { body: { name: 'Cellar', slugName: 'cellar' } });
  const private_ = await call(world, contract.createPrivateLocation, {
    body: { name: LONG, slugName: 'office' },
  });
  await world.store.privateLocations.recordSeen(String(private_.id), 'agent-1');
  const [check] = await world.store.checks.list(world.accountId, { limit: 1 });
  for (const [kind, recipient, checkId] of [
    ['webhook', 'hooks.example.com', null],
    ['email', `${LONG}@example.com`, check?.id ?? null],
  ] as const)
    await world.store.outbox.insert(
      {
        ...{ account_id: world.accountId, kind, payload: '{}', idempotency_key: recipient },
        ...{ destination: recipient, lane: recipient, not_before: world.now(), recipient },
        ...{ channel_id: null, check_id: checkId, alert_type: 'ALERT_FAILURE' },
      },
      NOT_SENT,
    );
  for (let index = 0; index < 30; index += 1)
    await call(world, contract.createUrlCheck, {
      body: {
        ...{
          name: `Page ${index}`,
          ...byHand(),
          activated: index % 7 !== 0,
          tags: ['shop', `page-${index}`],
        },
        request: { url: `https://shop.example.com/${index}` },
      },
    });
}

/** Needs the checks, incidents and windows of the other pages. */
export async function signedInPages(world: World): Promise<Record<string, TypedWay>> {
  await fillHome(world);
  const suite = await createSuite(world, 'Shop suite');
  await runSuite(world, suite, 12);
  const { apiKey: newKey } = await world.newAccount();
  const checks = await call(world, contract.listChecks, { query: { limit: 100 } });
  const pathOf = (type: string, name?: string) => {
    const found = checks.find(
      (check) => check.checkType === type && (name === undefined || check.name === name),
    );
    return `/checks/${found?.id}`;
  };
  const signedIn = (path: string, key = world.apiKey): TypedWay => ({ path, typed: [['key', key]] });
  const link = await call(world, contract.createSignInLink, { body: {} });
  return {
    signIn: { path: '/' },
    signInLink: { path: new URL(link.url).pathname },
    wrongApiKey: signedIn('/', 'sk_wrong'),
    home: signedIn('/'),
    homeFiltered: signedIn('/?tag=shop&status=passing'),
    homeInZone: signedIn('/?tz=America/Argentina/Buenos_Aires'),
    homeOfNewService: signedIn('/', newKey),
    badCheck: signedIn(pathOf('DNS', LONG)),
    apiCheck: signedIn(pathOf('API')),
    suiteCheck: signedIn(`/checks/${suite}`),
    newCheck: signedIn(pathOf('URL', 'Page 1')),
  };
}
