/** Lets the built service endure mixed load and faults, and accounts for all that it acknowledged. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startLoopbackNameServer } from '../../../src/runners/dns/loopback-server.ts';
import { type Audit, audit } from './audit.ts';
import { type Fault, heldFile, smallDisk } from './faults.ts';
import { type Ledger, ledger } from './ledger.ts';
import { prepare, worker } from './load.ts';
import { enduringService } from './process.ts';
import { startReceiver } from './receiver.ts';

interface Endurance {
  readonly minutes: number;
  /** Which faults, in turn. */
  readonly faults: readonly Fault[];
  /** How long the load lasts between two faults, in ms: from, up to. */
  readonly between: readonly [number, number];
  readonly workers: number;
  readonly onStep?: (line: string) => void;
}

export interface Endured {
  /** What must not be; empty: all is well. */
  readonly wrong: readonly string[];
  readonly faults: Readonly<Record<string, number>>;
  readonly writes: Ledger['writes'];
  readonly items: number;
  readonly alerts: number;
  readonly audit: Audit;
  /** Megabytes, a sample a second of the last stretch, in which nothing is killed. */
  readonly memory: readonly number[];
}

const DISK_MB = 512;
/** The part of the time, at its end, in which the service is left in peace but for the load. */
const QUIET = 0.3;
const SAMPLE_MS = 1000;
const FULL_MS = 2500;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function endure(options: Endurance): Promise<Endured> {
  const home = mkdtempSync(join(tmpdir(), 'sonde-endurance-'));
  const disk = smallDisk(home, DISK_MB);
  const data = join(disk.folder, 'data');
  const file = join(data, 'service.db');
  const names = await startLoopbackNameServer({
    records: { 'good.example': [{ type: 'A', data: '192.0.2.7' }] },
  });
  const receiver = await startReceiver();
  const service = enduringService(home, data, `${names.address}:${names.port}`, await freePort());
  const book = ledger(service);
  const wrong: string[] = [];
  const counted: Record<string, number> = {};
  const memory: number[] = [];
  const tell = options.onStep ?? (() => {});
  try {
    await service.start();
    const steady = await prepare(book, receiver.url);
    const began = performance.now();
    const quietFrom = began + options.minutes * 60_000 * (1 - QUIET);
    let [turn, offset] = [0, 0];

    /** Load for so long; then whoever works comes to rest, answered or not. */
    async function load(ms: number, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
      const rest = new AbortController();
      const working = Promise.all(
        Array.from({ length: options.workers }, (_, n) => worker(book, steady, `${turn}.${n}`, rest.signal)),
      );
      await delay(ms);
      await meanwhile();
      rest.abort();
      await working;
    }
    async function held(): Promise<void> {
      const found = await book.wrong();
      wrong.push(...found.map((problem) => `after ${turn} faults: ${problem}`));
    }
    async function restart(): Promise<void> {
      await service.kill();
      receiver.disturbed();
    }
    const suffer: Readonly<Record<Fault, () => Promise<boolean>>> = {
      async kill() {
        await load(pause(), restart);
        await service.start();
        return true;
      },
      async 'full disk'() {
        await load(pause(), async () => {
          disk.fill();
          await delay(FULL_MS);
          // Every second time it is killed while it is full.
          if (turn % 2 === 0) await restart();
          disk.free();
          receiver.disturbed();
        });
        if (!service.isUp()) await service.start();
        return disk.isSmall;
      },
      async 'held file'() {
        await load(pause(), restart);
        const problem = await heldFile(service, file);
        if (problem !== undefined) wrong.push(problem);
        await service.start();
        return true;
      },
      async 'clock forward'() {
        offset += 90;
        const isSet = service.setClock(offset);
        await load(pause());
        return isSet;
      },
      async 'clock back'() {
        offset -= 60;
        const isSet = service.setClock(offset);
        await load(pause());
        return isSet;
      },
    };
    const pause = () => options.between[0] + Math.random() * (options.between[1] - options.between[0]);

    while (performance.now() < quietFrom) {
      const fault = options.faults[turn % options.faults.length];
      if (fault === undefined) break;
      turn += 1;
      const happened = await suffer[fault]();
      const name = happened ? fault : `${fault} (not possible here)`;
      counted[name] = (counted[name] ?? 0) + 1;
      await held();
      const { acknowledged, unanswered } = book.writes;
      tell(
        `${seconds(performance.now() - began)}: ${name}; ${acknowledged} writes acknowledged, ${unanswered} unanswered, ${wrong.length} wrong`,
      );
    }
    const sampling = setInterval(() => {
      const now = service.memory();
      if (now !== undefined) memory.push(now);
    }, SAMPLE_MS);
    await load(Math.max(0, began + options.minutes * 60_000 - performance.now()));
    clearInterval(sampling);
    await held();
    const code = await service.stop();
    if (code !== 0) wrong.push(`told to stop it ended with ${code}`);
    const accounted = await audit(file, steady);
    wrong.push(...accounted.wrong, ...receiver.duplicates);
    return {
      ...{ wrong, faults: counted, writes: book.writes, items: book.items.length, memory },
      ...{ alerts: receiver.received(), audit: accounted },
    };
  } finally {
    await service.kill();
    await receiver.close();
    await names.close();
    disk.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`;
