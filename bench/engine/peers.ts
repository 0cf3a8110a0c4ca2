/** Prometheus' blackbox exporter on the same name server: it asks and judges as often, and neither schedules nor stores. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knot } from '../../test/support/dns/knot.ts';
import { findProgram } from '../../test/support/needs.ts';
import { peakMemory, processorSeconds } from '../gate/process.ts';
import type { Row } from '../gate/table.ts';
import { load, steadyLoad } from './load.ts';
import { until, ZONE } from './world.ts';

const PROBES = 10_000;
const PROGRAM = 'prometheus-blackbox-exporter';

const CONFIGURATION = `modules:
  dns:
    prober: dns
    timeout: 5s
    dns:
      transport_protocol: udp
      preferred_ip_protocol: ip4
      query_name: www.${ZONE}
      query_type: A
      valid_rcodes: [NOERROR]
      validate_answer_rrs:
        fail_if_not_matches_regexp: ['.*192\\.0\\.2\\.7']
`;

interface Peer {
  /** Asks for a probe. */
  readonly url: string;
  readonly pid: number;
  /** Seconds on the processor since its start. */
  cpu(): number;
}

/** Runs it, warm, as long as `work` does; undefined where it is not installed. */
async function beside<T>(names: Knot, work: (peer: Peer) => Promise<T>): Promise<T | undefined> {
  const program = findProgram(PROGRAM);
  if (program === undefined) {
    console.log(`${PROGRAM} is not there (apt-get install ${PROGRAM}): nothing to compare with.`);
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'sonde-bench-peer-'));
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  await writeFile(join(folder, 'blackbox.yml'), CONFIGURATION);
  const flags = [
    `--config.file=${join(folder, 'blackbox.yml')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ];
  const child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'inherit'] });
  const closed = once(child, 'close');
  try {
    const target = encodeURIComponent(`${names.address}:${names.port}`);
    const url = `http://127.0.0.1:${port}/probe?module=dns&target=${target}`;
    const found = async () => /^probe_success 1$/m.test(await (await fetch(url)).text());
    await until(() => found().catch(() => false), 100, 10_000);
    await load([url], {}, 500);
    const pid = child.pid ?? 0;
    return await work({ url, pid, cpu: () => processorSeconds(pid) ?? Number.NaN });
  } finally {
    child.kill();
    await closed;
    await rm(folder, { recursive: true, force: true });
  }
}

/** Seconds on the processor for 10,000 probes at so many a second for so long; undefined where it is not installed. */
export const peerAtSteadyLoad = (
  names: Knot,
  perSecond: number,
  seconds: number,
): Promise<number | undefined> =>
  beside(names, async ({ url, cpu }) => {
    const before = cpu();
    await steadyLoad(url, perSecond, seconds);
    return ((cpu() - before) / (perSecond * seconds)) * 10_000;
  });

export async function measurePeers(names: Knot): Promise<readonly Row[]> {
  const rows = await beside(names, async ({ url, pid, cpu }): Promise<Row[]> => {
    const before = cpu();
    const seconds = await load([url], {}, PROBES);
    const note = 'schedules and stores nothing';
    return [
      { what: 'blackbox_exporter: probes', value: PROBES / seconds, unit: '/s' },
      { what: 'blackbox_exporter: processor for 10,000 probes', value: cpu() - before, unit: 's', note },
      { what: 'blackbox_exporter: memory', value: peakMemory(pid) ?? 0, unit: 'MB' },
    ];
  });
  return rows ?? [];
}
