/** What is monitored from the beginning to the end: checks of every kind, whom they alert, windows and the incidents they open. */
import type { Ledger } from './ledger.ts';
import { BAD_ADDRESS, type Course } from './target.ts';

/** A check that nobody touches, and how it is judged in the end. */
export interface Steady {
  readonly id: string;
  readonly name: string;
  /** Failed runs in a row before an alert. */
  readonly threshold: number;
  /** Reminders a minute apart, at most so many after an alert. */
  readonly reminders: number;
  /** Whether a window keeps its alerts back for ever. */
  readonly isSilenced: boolean;
  /** Whether a failure opens an incident. */
  readonly opensIncidents: boolean;
}

/** A window that pauses the checks with the tag `paused`. Instants of the service's clock. */
export interface Pause {
  readonly from: number;
  readonly to: number;
}

export interface World {
  readonly steady: readonly Steady[];
  /** Those that people start by hand: DNS checks. */
  readonly byHand: readonly string[];
  /** Public addresses that start a check or a group. */
  readonly triggers: readonly string[];
  readonly channels: readonly number[];
  readonly paused: string;
  readonly pauses: Pause[];
  /** Opens another window that pauses, for so long, after so long (ms); the service's clock is at `now`. */
  pause(now: number, after: number, lasts: number): Promise<void>;
}

type Answered = Readonly<Record<string, unknown>>;

async function must(book: Ledger, path: string, body: unknown = {}): Promise<Answered> {
  const answer = await book.write('POST', path, body);
  if (answer?.status !== 201 || answer.body === undefined) {
    throw new Error(`POST ${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`);
  }
  return answer.body;
}

export const dnsBody = (name: string, query: string, more: object = {}) => ({
  ...{ name, request: { query, assertions: [] }, heartbeat: {}, script: '' },
  ...{ maxResponseTime: 5000, degradedResponseTime: null, retryStrategy: null },
  ...more,
});

const EVERY_10_S = { frequency: 0, frequencyOffset: 10 };
const FIXED = { type: 'FIXED', maxRetries: 1, baseBackoffSeconds: 2 };
/** How many of each. */
const GOOD = 4;
const FLIPPING = 6;

/** When each turns bad: `seconds` is about the time that a turn takes. */
export function coursesOf(seconds: number): Map<string, Course> {
  const names = [
    ...Array.from({ length: FLIPPING }, (_, n) => `flip-${n}.example`),
    'silenced.example',
    'flip',
  ];
  return new Map(
    names.map((name, n) => {
      const [good, bad] = [seconds * (1 + 0.13 * n) * 1000, seconds * (0.6 + 0.09 * n) * 1000];
      return [name, { good, bad, shift: n * 7000 }];
    }),
  );
}

const plain = (page: string) => `
const { chromium } = require('playwright');
const browser = await chromium.launch();
const page = await browser.newPage();
await page.goto('${page}/shop');
if ((await page.title()) !== 'Shop') throw new Error('wrong title');
await page.screenshot({ path: 'shop.png' });
await browser.close();`;
const bare = (page: string) => `
const answer = await fetch('${page}/flip');
if (!answer.ok) throw new Error('answered ' + answer.status);`;
const testFile = (page: string) => `
import { test, expect } from '@playwright/test';
test('shop', async ({ page }) => {
  await page.goto('${page}/shop');
  await expect(page).toHaveTitle('Shop');
  await page.screenshot({ path: 'shop.png' });
});`;

interface Receiving {
  readonly url: string;
}

export async function prepare(book: Ledger, receivers: Receiving, page: string): Promise<World> {
  const steady: Steady[] = [];
  const channels: number[] = [];
  for (const channel of [
    { type: 'WEBHOOK', config: { name: 'ledger', url: receivers.url } },
    { type: 'EMAIL', config: { address: 'ops@example.com' } },
  ]) {
    const made = await must(book, '/v1/alert-channels', {
      ...{ ...channel, sendRecovery: true, sendFailure: true, sendDegraded: true },
    });
    channels.push(Number(made.id));
  }
  const service = await must(book, '/v1/status-pages/services', { name: 'Shop' });
  const group = await must(book, '/v1/check-groups', {
    name: 'steady',
    concurrency: 2,
    locations: ['eu-west-1'],
  });

  async function add(
    path: string,
    name: string,
    body: object,
    judged: Partial<Steady> = {},
  ): Promise<string> {
    const { threshold = 1, reminders = 0 } = judged;
    const made = await must(book, path, {
      ...body,
      ...{ useGlobalAlertSettings: false },
      alertSettings: {
        ...{ escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: threshold } },
        reminders: { amount: reminders, interval: 1 },
      },
      ...(judged.opensIncidents ? { triggerIncident: { serviceId: String(service.id), name } } : {}),
    });
    const id = String(made.id);
    steady.push({
      ...{ id, name, threshold, reminders, isSilenced: false, opensIncidents: false, ...judged },
    });
    book.items.push({ path: `/v1/checks/${id}`, names: new Set([name]), gone: 'no' });
    return id;
  }
  const dns = (name: string, query: string, more: object, judged?: Partial<Steady>) =>
    add('/v1/checks/dns', name, dnsBody(name, query, { tags: ['steady'], ...EVERY_10_S, ...more }), judged);

  await must(book, '/v1/maintenance-windows', {
    ...{ name: 'silence', silenceAlertsTags: ['silenced'], repeatUnit: null },
    ...{ startsAt: '2026-01-01T00:00:00Z', endsAt: '2046-11-21T00:00:00Z' },
  });
  const byHand: string[] = [];
  for (let n = 0; n < GOOD; n += 1) {
    const more = { retryStrategy: n % 2 === 0 ? null : FIXED, ...(n < 2 ? {} : { groupId: group.id }) };
    byHand.push(await dns(`good ${n}`, 'good.example', more));
  }
  byHand.push(await dns('bad', 'missing.example', { retryStrategy: FIXED }));
  byHand.push(
    await dns('parallel', 'good.example', { locations: ['eu-west-1', 'us-east-1'], runParallel: true }),
  );
  const paused = await dns('paused', 'good.example', { tags: ['steady', 'paused'] });
  const sees = {
    assertions: [{ source: 'TEXT_ANSWER', comparison: 'NOT_CONTAINS', target: BAD_ADDRESS }],
  };
  for (let n = 0; n < FLIPPING; n += 1) {
    const query = `flip-${n}.example`;
    await dns(
      `flip ${n}`,
      query,
      { request: { query, ...sees }, ...(n % 3 === 2 ? { retryStrategy: FIXED } : {}) },
      { threshold: 1 + (n % 3), reminders: n % 2 === 0 ? 0 : 2, opensIncidents: n < 3 },
    );
  }
  await dns(
    'silenced',
    'silenced.example',
    { request: { query: 'silenced.example', ...sees }, tags: ['silenced'] },
    { isSilenced: true },
  );
  const scripts = [plain(page), bare(page), testFile(page)];
  for (const [n, script] of scripts.entries()) {
    const name = `browser ${n}`;
    await add('/v1/checks/browser', name, {
      name,
      script,
      frequency: 1,
      retryStrategy: null,
      tags: ['steady'],
    });
  }

  const triggers: string[] = [];
  const [first = ''] = byHand;
  const ofCheck = await must(book, `/v1/triggers/checks/${first}`);
  triggers.push(`/checks/${first}/trigger/${ofCheck.token}`);
  const ofGroup = await must(book, `/v1/triggers/check-groups/${group.id}`);
  triggers.push(`/check-groups/${group.id}/trigger/${ofGroup.token}`);

  const pauses: Pause[] = [];
  return {
    ...{ steady, byHand, triggers, channels, paused, pauses },
    async pause(now, after, lasts) {
      const [from, to] = [now + after, now + after + lasts];
      pauses.push({ from, to });
      await book.write('POST', '/v1/maintenance-windows', {
        ...{ name: `pause ${pauses.length}`, tags: ['paused'], repeatUnit: null },
        ...{ startsAt: new Date(from).toISOString(), endsAt: new Date(to).toISOString() },
      });
    },
  };
}
