/**
 * Finds how many checks a minute one service runs on time: `npm run bench:capacity [dns|https|browser…]`. It raises the rate
 * until p99 of the lateness is above a second, then narrows the rate down. About 15 minutes for each kind, on a quiet machine.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { TypedCheckBody } from '../../src/service/store/index.ts';
import { quantile, type Row } from '../gate/table.ts';
import { type Measure, measureParts, type Parts } from '../parts.ts';
import { startDelays } from './checks.ts';
import { KINDS, type Schedule } from './kinds.ts';
import { startTargets, type Targets } from './targets.ts';
import { filledStore } from './world.ts';

const MAX_LATENESS_MS = 1000;
const STEPS = 4;

interface Load {
  readonly what: string;
  readonly check: (targets: Targets, schedule: Schedule) => TypedCheckBody;
  readonly schedule: Schedule;
  readonly periodS: number;
  /** First rate, in checks per second. */
  readonly from: number;
  /** Duration of the warm-up and of the measurement, in s: a whole number of periods. */
  readonly warmS: number;
  readonly measuredS: number;
}

const EVERY_10_S = { frequency: 0, frequencyOffset: 10 };
const SCRIPT = `
const { chromium } = require('playwright');
const browser = await chromium.launch();
const page = await browser.newPage({ ignoreHTTPSErrors: true });
await page.goto(process.env.PAGE);
await browser.close();
`;

const LOADS = {
  dns: {
    ...{ what: 'DNS checks', check: KINDS.dns.check, schedule: EVERY_10_S, periodS: 10 },
    ...{ from: 400, warmS: 20, measuredS: 20 },
  },
  https: {
    ...{ what: 'HTTPS API checks', check: KINDS.api.check, schedule: EVERY_10_S, periodS: 10 },
    ...{ from: 100, warmS: 20, measuredS: 20 },
  },
  browser: {
    ...{ what: 'Browser checks', schedule: { frequency: 1 }, periodS: 60 },
    check: ({ https: { port } }, schedule) =>
      ({
        type: 'BROWSER',
        body: {
          ...{ name: 'Page', heartbeat: {}, request: {}, tags: ['bench'], locations: ['eu-west-1'] },
          script: SCRIPT,
          environmentVariables: [{ key: 'PAGE', value: `https://127.0.0.1:${port}/` }],
          ...schedule,
        },
      }) as unknown as TypedCheckBody,
    ...{ from: 0.25, warmS: 60, measuredS: 60 },
  },
} satisfies Readonly<Record<string, Load>>;

/** Returns p99 of the lateness at this rate, in ms; infinite if fewer checks ran than were due. */
async function latenessAt(load: Load, targets: Targets, rate: number): Promise<number> {
  const count = Math.round(rate * load.periodS);
  const filled = await filledStore(count, () => ({
    check: load.check(targets, load.schedule),
    nextRunAt: null,
  }));
  try {
    const service = await filled.start({ NODE_EXTRA_CA_CERTS: targets.authority });
    await delay(load.warmS * 1000);
    const from = Date.now();
    await delay(load.measuredS * 1000);
    const to = Date.now();
    // Checks that are due have time to start.
    await delay(2 * MAX_LATENESS_MS);
    await service.stop();
    const late = await startDelays(filled, from, to);
    const due = (count * load.measuredS) / load.periodS;
    const p99 = late.length < due * 0.98 ? Number.POSITIVE_INFINITY : quantile(late, 0.99);
    console.log(`${load.what}: ${(rate * 60).toFixed(0)} a minute, p99 of the lateness ${p99.toFixed(0)} ms`);
    return p99;
  } finally {
    await filled.remove();
  }
}

const measure =
  (load: Load): Measure<Targets> =>
  async (targets): Promise<readonly Row[]> => {
    const isOnTime = async (rate: number) => (await latenessAt(load, targets, rate)) <= MAX_LATENESS_MS;
    let [good, bad] = [0, load.from];
    while (await isOnTime(bad)) [good, bad] = [bad, bad * 2];
    for (let step = 0; step < STEPS; step += 1) {
      const middle = (good + bad) / 2;
      if (await isOnTime(middle)) good = middle;
      else bad = middle;
    }
    return [{ what: `${load.what} on time`, value: Math.round(good * 60), unit: 'a minute' }];
  };

const PARTS: Parts<Targets> = {
  dns: measure(LOADS.dns),
  https: measure(LOADS.https),
  browser: measure(LOADS.browser),
};

export const main = (given: readonly string[]): Promise<number> =>
  measureParts(PARTS, given, async () => {
    const targets = await startTargets();
    return { world: targets, close: targets.close };
  });
