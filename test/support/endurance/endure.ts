/** Lets the built service endure mixed load and faults, and accounts for all that it acknowledged. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { type Fault, heldFile, smallDisk } from './faults.ts';
import { type Account, type Disturbance, judge } from './judge.ts';
import { type Ledger, ledger } from './ledger.ts';
import { leftBehind } from './left.ts';
import { holdGates, starts, worker } from './load.ts';
import { enduringService, temporaryOf } from './process.ts';
import { startReceivers } from './receiver.ts';
import { type Flatness, flatness, type Stretch } from './samples.ts';
import { startSampling } from './sampling.ts';
import { startTarget } from './target.ts';
import { coursesOf, prepare } from './world.ts';

export interface Endurance {
  /** So many cycles of faults and a stretch of peace, each so many ms. */
  readonly cycles: number;
  readonly faultsMs: number;
  readonly quietMs: number;
  /** Which faults, in turn. */
  readonly faults: readonly Fault[];
  /** How long the load lasts between two faults, in ms: from, up to. */
  readonly between: readonly [number, number];
  readonly workers: number;
  /** How long who works rests from one request to the next, in ms. */
  readonly restMs: number;
  /** In a stretch of peace: what is left out at its beginning, how often it is looked at from outside and inside, in ms. */
  readonly warmUpMs: number;
  readonly sampleMs: number;
  readonly probeMs: number;
  /** In peace all checks that people start are started so often, in ms: what is kept of each session adds up. */
  readonly startMs: number;
  /** How long what is monitored is good, about, in seconds. */
  readonly turnSeconds: number;
  readonly onStep?: (line: string) => void;
}

export interface Endured {
  /** What must not be; empty: all is well. */
  readonly wrong: readonly string[];
  readonly faults: Readonly<Record<string, number>>;
  readonly misbehaved: Readonly<Record<string, number>>;
  readonly writes: Ledger['writes'];
  readonly items: number;
  readonly account: Account;
  readonly flat: readonly Flatness[];
  /** The largest write-ahead log, and the store in the end, in MB. */
  readonly logMb: number;
  readonly storeMb: number;
  readonly seconds: number;
}

const DISK_MB = 512;
const FULL_MS = 2500;
/** The write-ahead log is emptied every thousand pages (4 MB); while somebody reads it may grow on for a while. */
const LOG_MB = 32;
/** Mail is tried again after a minute. */
const DRAIN_MS = 75_000;
/** So long after the last of it went bad a check has told of its recovery. */
const RECOVER_MS = 15_000;

export async function endure(options: Endurance): Promise<Endured> {
  const home = mkdtempSync(join(tmpdir(), 'sonde-endurance-'));
  // Scripts of browser checks run under other user ids.
  chmodSync(home, 0o711);
  mkdirSync(temporaryOf(home), { mode: 0o711 });
  const disk = smallDisk(home, DISK_MB);
  const data = join(disk.folder, 'data');
  const file = join(data, 'service.db');
  const target = await startTarget(coursesOf(options.turnSeconds));
  const receivers = await startReceivers();
  const service = enduringService({
    ...{ home, data, resolver: target.resolver, port: await freePort(), smtpPort: receivers.smtpPort },
  });
  const book = ledger(service);
  const sampling = startSampling(service, file, options.sampleMs);
  const wrong: string[] = [];
  const counted: Record<string, number> = {};
  const disturbances: Disturbance[] = [];
  const tell = options.onStep ?? (() => {});
  const over = new AbortController();
  const began = performance.now();
  try {
    await service.start();
    const world = await prepare(book, receivers, target.page);
    const people = Array.from({ length: options.workers }, (_, n) => worker(book, world, `${n}`));
    const gates = holdGates(book, world, home, over.signal, options.restMs * 40);
    let [turn, offset] = [0, 0];

    /** Load for so long; then whoever works comes to rest, answered or not. */
    async function load(ms: number, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
      const rest = new AbortController();
      const working = Promise.all(people.map((one) => one.work(rest.signal, options.restMs)));
      await delay(ms);
      await meanwhile();
      rest.abort();
      await working;
    }
    async function held(): Promise<void> {
      const found = await book.wrong();
      wrong.push(...found.map((problem) => `after ${turn} faults: ${problem}`));
    }
    async function kill(from = Date.now()): Promise<void> {
      await service.kill();
      disturbances.push({ from, to: Date.now() });
    }
    const suffer: Readonly<Record<Fault, () => Promise<boolean>>> = {
      async kill() {
        await load(pause(), kill);
        await service.start();
        return true;
      },
      async 'full disk'() {
        await load(pause(), async () => {
          const from = Date.now();
          disk.fill();
          await delay(FULL_MS);
          // Every second time it is killed while it is full.
          if ((counted['full disk'] ?? 0) % 2 === 0 || !service.isUp()) await kill(from);
          disk.free();
        });
        if (!service.isUp()) await service.start();
        return disk.isSmall;
      },
      async 'held file'() {
        await load(pause(), kill);
        const problem = await heldFile(service, file);
        if (problem !== undefined) wrong.push(problem);
        await service.start();
        return true;
      },
      async 'clock forward'() {
        offset += 90;
        service.setClock(offset);
        await load(pause());
        return true;
      },
      async 'clock back'() {
        offset -= 60;
        service.setClock(offset);
        await load(pause());
        return true;
      },
    };
    const pause = () => options.between[0] + Math.random() * (options.between[1] - options.between[0]);

    const stretches: Stretch[] = [];
    for (let cycle = 1; cycle <= options.cycles; cycle += 1) {
      const quietFrom = performance.now() + options.faultsMs;
      if (options.faultsMs > 0) await world.pause(service.now(), options.faultsMs / 3, options.faultsMs);
      // Each once, however slow the machine is.
      for (
        let happened = 0;
        performance.now() < quietFrom || happened < options.faults.length;
        happened += 1
      ) {
        const fault = options.faults[turn % options.faults.length];
        if (fault === undefined) break;
        turn += 1;
        const isPossible = await suffer[fault]();
        const name = isPossible ? fault : `${fault} (not possible here)`;
        counted[name] = (counted[name] ?? 0) + 1;
        await held();
        const { acknowledged, unanswered } = book.writes;
        tell(
          `${clockOf(began)} ${name}: ${acknowledged} writes acknowledged, ${unanswered} unanswered, ${receivers.taken.length} alerts taken, ${wrong.length} wrong`,
        );
      }
      if (cycle === options.cycles) receivers.calm();
      const stretch = sampling.stretch(options);
      const rest = new AbortController();
      const starting = starts(book, world, rest.signal, options.startMs);
      await load(options.quietMs, async () => void stretches.push(await stretch));
      rest.abort();
      await starting;
      await held();
      tell(`${clockOf(began)} peace, cycle ${cycle}: ${wrong.length} wrong`);
    }
    over.abort();
    await gates;
    target.calm();
    await delay(RECOVER_MS);
    await drained(book);
    const code = await service.stop();
    if (code !== 0) wrong.push(`told to stop it ended with ${code}`);
    wrong.push(...leftBehind(home, service.began, [disk.folder]));
    const { logMb, storeMb } = await sampling.stop();
    if (logMb > LOG_MB) wrong.push(`the write-ahead log grew to ${logMb.toFixed(0)} MB`);
    const { gates: gated } = book;
    const account = await judge({
      ...{ data, world, disturbances, gates: gated, taken: receivers.taken, now: service.now() },
    });
    const flat = flatness(stretches);
    wrong.push(...account.wrong, ...flat.filter(isGrowing).map(growthOf));
    return {
      ...{ wrong, faults: counted, misbehaved: receivers.misbehaved, writes: book.writes, account, flat },
      ...{ items: book.items.length, logMb, storeMb, seconds: (performance.now() - began) / 1000 },
    };
  } finally {
    over.abort();
    await sampling.stop();
    await service.kill();
    await receivers.close();
    await target.close();
    disk.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

export const isGrowing = ({ perMinute, bound }: Flatness): boolean => perMinute > bound;
const growthOf = ({ what, from, to, perMinute, bound, unit }: Flatness): string =>
  `${what} grew from ${from.toFixed(1)} to ${to.toFixed(1)} ${unit}, ${perMinute.toFixed(2)} a minute; the bound is ${bound.toFixed(2)}`;

/** Waits until no alert is to be sent any more. */
async function drained(book: Ledger): Promise<void> {
  for (const until = performance.now() + DRAIN_MS; performance.now() < until; await delay(1000)) {
    const answers = await Promise.all(
      ['QUEUED', 'SENDING'].map((state) => book.send('GET', `/v1/alert-notifications?state=${state}`)),
    );
    if (answers.every((answer) => answer?.status === 200 && answer.body?.length === 0)) return;
  }
}

const clockOf = (began: number): string => {
  const seconds = Math.floor((performance.now() - began) / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
};
