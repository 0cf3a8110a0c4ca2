/** Runs of each check type in a world, and where their pages are. */
import * as contract from '../../../../src/contract/index.ts';
import type { RunOutcome } from '../../../../src/runners/core/runner.ts';
import { byHand } from '../../../support/by-hand.ts';
import { call } from '../../../support/call.ts';
import type { World } from './world.ts';

/** What no page may be widened by. */
export const LONG = 'Recommendations_and_search_with_a_name_that_never_ends_and_has_no_space_to_break_at';

/** What an API check leaves. */
export const answered: RunOutcome = {
  ...{ hasFailures: false, hasErrors: false, isDegraded: true, overMaxResponseTime: false },
  ...{ isNetworkError: false, responseTime: 1312.5, errors: [] },
  details: {
    request: { method: 'POST', url: `https://shop.example.com/${LONG}`, body: '{"book": 7}' },
    response: {
      ...{ status: 201, statusText: 'Created', bytes: 48_213, body: `{"id": "${LONG}"}`, isBodyCut: true },
      headers: { 'content-type': 'application/json', 'set-cookie': `a=1\n${LONG}` },
    },
    address: '192.0.2.7:443',
    tls: { protocol: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256', daysLeft: 41 },
    timing: { dns: 2.1, connect: 9.3, tls: 21, firstByte: 1200, download: 80, total: 1312.5 },
    redirects: [{ url: 'http://shop.example.com/', status: 301 }],
    scripts: [
      {
        ...{ phase: 'setup', names: ["the group's setup snippet"], errors: [], durationMs: 41 },
        console: [{ text: LONG }],
      },
    ],
    notes: ['the address was asked over IPv4: there is no IPv6 here', 'took 1.3 s (degraded from 1 s)'],
  },
};

/** Makes a check of the type, and starts it; answers its session. */
export async function runOf(world: World, checkType: string, body: object): Promise<string> {
  const check = await call(world, contract.createCheck, {
    body: { ...byHand(), retryStrategy: null, checkType, ...body } as { checkType: 'DNS' },
  });
  const target = { checkId: [check.id] };
  const [started] = (await call(world, contract.triggerCheckSessions, { body: { target } })).sessions;
  return started?.checkSessionId ?? '';
}

export const pathOf = (link = '') => new URL(link).pathname;

/** Where the pages of a session are, once it has ended. */
export async function ended(world: World, checkSessionId: string) {
  const query = { maxWaitSeconds: 20 };
  const session = await call(world, contract.awaitCheckSession, { params: { checkSessionId }, query });
  return { session: pathOf(session.checkSessionLink), result: pathOf(session.results[0]?.checkResultLink) };
}

/** The pages of results, a type each; API checks must leave what is `answered`. */
export async function typePages(world: World): Promise<Record<string, { readonly path: string }>> {
  const of = async (type: string, body: object) => ({
    path: (await ended(world, await runOf(world, type, body))).result,
  });
  const data = `GET /${LONG} HTTP/1.1\r\n\r\n`;
  const talks = { hostname: '127.0.0.1', port: world.port, data };
  return {
    urlResult: await of('URL', { name: 'the shop answers', request: { url: `${world.url}/nowhere` } }),
    apiResult: await of('API', {
      name: 'orders',
      degradedResponseTime: 1000,
      request: { url: 'https://shop.example.com' },
    }),
    tcpResult: await of('TCP', { name: 'it talks', request: talks }),
    sslResult: await of('SSL', {
      name: 'it is trusted',
      request: { sslConfig: { hostname: '127.0.0.1', port: world.port, securityBaseline: {} } },
    }),
    icmpResult: await of('ICMP', { name: 'pings', request: { hostname: '127.0.0.1', pingCount: 1 } }),
    heartbeatResult: { path: await pingedPage(world) },
  };
}

/** The page of a heartbeat that was pinged. */
async function pingedPage(world: World): Promise<string> {
  const heartbeat = { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours' } as const;
  const check = await call(world, contract.createHeartbeatCheck, { body: { name: 'backup', heartbeat } });
  await fetch(`${world.url}${pathOf(check.heartbeat?.pingUrl)}`);
  const query = { checkId: String(check.id) };
  const { entries } = await call(world, contract.listCheckSessions, { query });
  return (await ended(world, entries[0]?.checkSessionId ?? '')).result;
}
