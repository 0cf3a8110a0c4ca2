/** Looks at a service while it endures: its memory, its open files, its write-ahead log, and what it holds within. */
import { setTimeout as delay } from 'node:timers/promises';
import type { EnduringService } from './process.ts';
import { look, megabytes, type Probe, type Sample, type Stretch } from './samples.ts';

const FEWEST_PROBES = 7;

interface StretchOptions {
  readonly quietMs: number;
  readonly warmUpMs: number;
  readonly probeMs: number;
}

interface Sampling {
  /** A stretch that begins now, in which nothing is restarted. */
  stretch(options: StretchOptions): Promise<Stretch>;
  /** The largest write-ahead log there was, and the store as it is, in MB. */
  stop(): Promise<{ readonly logMb: number; readonly storeMb: number }>;
}

export function startSampling(service: EnduringService, file: string, everyMs: number): Sampling {
  let logMb = 0;
  let into: Sample[] | undefined;
  const timer = setInterval(() => {
    logMb = Math.max(logMb, megabytes(`${file}-wal`));
    const sample = service.pid === undefined ? undefined : look(service.pid, performance.now());
    if (sample !== undefined) into?.push(sample);
  }, everyMs);

  /** How many sessions have ended since its start. */
  async function ended(): Promise<number> {
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const text = await (await fetch(`${service.url}/metrics`, { headers })).text();
    const counts = [...text.matchAll(/^sonde_sessions_ended_total\{[^}]*\} (\d+)/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  }

  return {
    async stretch({ quietMs, warmUpMs, probeMs }) {
      const until = performance.now() + quietMs;
      await delay(warmUpMs);
      const samples: Sample[] = [];
      const probes: Probe[] = [];
      into = samples;
      const [from, before] = [performance.now(), await ended()];
      // On a machine that is busy each takes its time: then the stretch lasts longer.
      for (let looks = 0; performance.now() < until || looks < FEWEST_PROBES; looks += 1) {
        const probe = await service.probe();
        if (probe !== undefined) probes.push(probe);
        await delay(probeMs);
      }
      into = undefined;
      const minutes = (performance.now() - from) / 60_000;
      return { samples, probes, sessionsPerMinute: ((await ended()) - before) / minutes };
    },
    async stop() {
      clearInterval(timer);
      return { logMb, storeMb: megabytes(file) };
    },
  };
}
