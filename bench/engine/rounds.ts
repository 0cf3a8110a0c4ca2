/** Compares the processor time of checks with that of blackbox_exporter and of a bare loop, in alternating rounds. */
import budgets from '../budgets.json';
import { peakMemory } from '../gate/process.ts';
import { quantile, type Row } from '../gate/table.ts';
import { runBareLoop } from './bare-loop.ts';
import { withBlackbox } from './blackbox.ts';
import { KINDS, type Kind } from './kinds.ts';
import { load } from './load.ts';
import type { Targets } from './targets.ts';
import { type Filled, filledStore, untilEnded } from './world.ts';

const ROUNDS = 3;
type Limits = Pick<Row, 'most' | 'least'>;
const ONCE_A_DAY = { frequency: 1440, frequencyOffset: 1 };

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export interface Burst {
  /** Processor time of the service, in s. */
  readonly cpu: number;
  /** Checks per second. */
  readonly rate: number;
  /** Highest memory of the service, in MB. */
  readonly peak: number;
}

/** Throws if a session is missing or did not pass; returns when the last one ended, in ms since the epoch. */
async function lastEnd(filled: Filled, count: number): Promise<number> {
  const store = await filled.open();
  try {
    const { passed, last } = await store.db
      .selectFrom('check_sessions')
      .select(({ fn }) => [fn.countAll<number>().as('passed'), fn.max('stopped_at').as('last')])
      .where('status', '=', 'PASSED')
      .executeTakeFirstOrThrow();
    if (Number(passed) !== count) throw new Error(`${passed} of ${count} sessions passed`);
    return Number(last);
  } finally {
    await store.close();
  }
}

/** Runs this many checks that are due at the start. */
export async function measureBurst(kind: Kind, targets: Targets, count = kind.count): Promise<Burst> {
  const due = Date.now() - 1000;
  const filled = await filledStore(count, () => ({ check: kind.check(targets, ONCE_A_DAY), nextRunAt: due }));
  try {
    const service = await filled.start({ NODE_EXTRA_CA_CERTS: targets.authority });
    const [began, before] = [Date.now(), service.cpu()];
    await untilEnded(service, count);
    const [cpu, peak] = [service.cpu() - before, peakMemory(service.pid) ?? Number.NaN];
    await service.stop();
    return { cpu, peak, rate: (count * 1000) / ((await lastEnd(filled, count)) - began) };
  } finally {
    await filled.remove();
  }
}

/** Returns the processor time of this many probes, in s. */
const probe = (kind: Kind, targets: Targets, count: number): Promise<number> =>
  withBlackbox(kind, targets, async ({ url, cpu }) => {
    const before = cpu();
    await load([url], {}, count);
    return cpu() - before;
  });

/** Returns the row of a kind: the median of the rounds beside that of blackbox_exporter. */
async function compare(what: string, kind: Kind, targets: Targets, limits: Limits = {}) {
  const [bursts, probes]: [Burst[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    bursts.push(await measureBurst(kind, targets));
    probes.push(await probe(kind, targets, kind.count));
  }
  const [cpu, peer] = [median(bursts.map((burst) => burst.cpu)), median(probes)];
  const note = `${cpu.toFixed(2)} s and ${peer.toFixed(2)} s for ${kind.count}`;
  const row: Row = { what: `${what}, blackbox_exporter = 1`, value: cpu / peer, unit: '', ...limits, note };
  return { row, bursts, cpu };
}

export async function measureDns(targets: Targets): Promise<readonly Row[]> {
  const { row, bursts, cpu } = await compare('DNS checks', KINDS.dns, targets, budgets.dns.burstOfBlackbox);
  const bare = await runBareLoop(targets.names, KINDS.dns.count);
  const rate = Math.max(...bursts.map((burst) => burst.rate));
  return [
    row,
    { what: 'DNS checks, bare loop = 1', value: cpu / bare, unit: '', note: `${bare.toFixed(2)} s` },
    { what: 'DNS checks, best of the rounds', value: rate, unit: '/s', ...budgets.dns.burstRate },
    {
      ...{ what: 'Memory at most during DNS checks', unit: 'MB', ...budgets.memory.burstPeak },
      value: median(bursts.map(({ peak }) => peak)),
    },
  ];
}

export async function measureHttps(targets: Targets): Promise<readonly Row[]> {
  const url = await compare('HTTPS URL checks', KINDS.url, targets, budgets.https.urlOfBlackbox);
  const api = await compare('HTTPS API checks', KINDS.api, targets, budgets.https.apiOfBlackbox);
  return [url.row, api.row];
}

export async function measureOthers(targets: Targets): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const kind of ['ssl', 'tcp', 'icmp'] as const)
    rows.push((await compare(`${kind.toUpperCase()} checks`, KINDS[kind], targets)).row);
  return rows;
}
