/** Limits what the service stores: a budget for each kind of data, and a reserve of free disk space. */
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { formatSize } from '../../base/size.ts';

const [MB, GB] = [1024 ** 2, 1024 ** 3];

/**
 * The budgets. `standard`: default limit in bytes. `effect`: the consequence while the limit is reached, as a sentence.
 * Results are always recorded and alerts always sent, even if files are rejected.
 */
export const BUDGETS = {
  artifacts: {
    flag: 'artifact-limit',
    standard: 10 * GB,
    subject: 'Screenshots and traces have',
    effect: 'The oldest files are deleted',
  },
  codeBundles: {
    flag: 'code-bundle-limit',
    standard: 2 * GB,
    subject: 'Code bundles have',
    effect: 'New code bundles are rejected',
  },
  outbox: {
    flag: 'outbox-limit',
    standard: 512 * MB,
    subject: 'Unsent messages have',
    effect: 'New messages are not sent',
  },
  database: {
    flag: 'database-limit',
    standard: 50 * GB,
    subject: 'The database has',
    effect: 'New resources are rejected, and results are stored without their details',
  },
} as const;

export type BudgetName = keyof typeof BUDGETS;
export type Limits = { readonly [N in BudgetName]: number };
const NAMES = Object.keys(BUDGETS) as BudgetName[];

export const DEFAULT_STORAGE_LIMITS = Object.fromEntries(
  NAMES.map((name) => [name, BUDGETS[name].standard]),
) as Limits;

/** Reserved space on the disk of the data folder in bytes, or a twentieth of a small disk. */
const MAX_RESERVE = 256 * MB;
const RESERVE_SHARE = 20;
/** A budget that reached its limit accepts data again below this share of it. */
const RECOVERY_SHARE = 0.9;
const MEASURE_EVERY_MS = 5000;

/** A limit is reached. The message is for users: what is full, and what to do. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull';
}

/** The storage section of `/health`. */
export interface StorageState {
  readonly state: 'OK' | 'LIMIT_REACHED' | 'DISK_FULL';
  /** Null if it cannot be determined. */
  readonly freeBytes: number | null;
  readonly budgets: readonly {
    readonly name: BudgetName;
    readonly state: 'OK' | 'LIMIT_REACHED';
    readonly usedBytes: number;
    /** Null if there is no limit. */
    readonly limitBytes: number | null;
  }[];
}

interface StorageOptions {
  readonly limits: Limits;
  /** Measure the used bytes. */
  readonly measure: { readonly [N in BudgetName]: () => number | Promise<number> };
  /** A folder on the monitored disk; undefined to monitor none. */
  readonly folder: string | undefined;
  readonly clock: Clock;
  readonly onWarn: (message: string) => void;
  readonly onError: (message: string, error: unknown) => void;
  /** Called after each measurement with the reason why the outbox is full, as a sentence; undefined if it is not. */
  readonly onOutboxChange: (refusal: string | undefined) => void;
}

export type Storage = ReturnType<typeof monitorStorage>;

/** Measures the disk of a folder, or of its nearest parent if somebody removed it. */
async function measureNearest(folder: string): Promise<StatsFs> {
  try {
    return await statfs(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    return measureNearest(dirname(folder));
  }
}

export function monitorStorage(options: StorageOptions) {
  const { limits, measure, folder, clock, onWarn, onError } = options;
  const used: Record<BudgetName, number> = { artifacts: 0, codeBundles: 0, outbox: 0, database: 0 };
  const reached = new Set<BudgetName>();
  let freeBytes: number | undefined;
  let isDiskFull = false;

  const formatDiskFull = () =>
    `The disk of the data folder has ${formatSize(freeBytes ?? 0)} left, which is reserved: free disk space`;
  function refusal(name: BudgetName): string | undefined {
    if (isDiskFull) return formatDiskFull();
    if (!reached.has(name)) return undefined;
    const { subject, flag } = BUDGETS[name];
    return `${subject} reached the limit of ${formatSize(limits[name])}: start the service with a higher --${flag}, or wait until old data is deleted`;
  }

  function setState(name: BudgetName, bytes: number, isReached: boolean): void {
    used[name] = bytes;
    if (isReached === reached.has(name)) return;
    if (isReached) reached.add(name);
    else reached.delete(name);
    const { subject, effect } = BUDGETS[name];
    onWarn(isReached ? `${refusal(name)}. ${effect}` : `${subject} space again`);
  }

  async function measureBudget(name: BudgetName): Promise<number> {
    const bytes = await measure[name]();
    const threshold = reached.has(name) ? limits[name] * RECOVERY_SHARE : limits[name];
    setState(name, bytes, bytes >= threshold);
    return bytes;
  }

  async function measureDisk(): Promise<void> {
    if (folder === undefined) return;
    const { bavail, blocks, bsize } = await measureNearest(folder);
    freeBytes = bavail * bsize;
    const reserve = Math.min(MAX_RESERVE, (blocks * bsize) / RESERVE_SHARE);
    const isFull = freeBytes < (isDiskFull ? reserve / RECOVERY_SHARE : reserve);
    if (isFull === isDiskFull) return;
    isDiskFull = isFull;
    onWarn(
      isFull
        ? `${formatDiskFull()}. New files, resources and details of results are rejected`
        : 'The disk of the data folder has enough free space again',
    );
  }

  async function measureAll(): Promise<void> {
    const measurements = [...NAMES.map((name) => measureBudget(name)), measureDisk()];
    for (const outcome of await Promise.allSettled(measurements))
      if (outcome.status === 'rejected') onError('cannot measure the storage', outcome.reason);
    options.onOutboxChange(reached.has('outbox') ? refusal('outbox') : undefined);
  }

  return {
    /** Returns why data is rejected and what to do, as a sentence; undefined if there is space. Uses the last measurement. */
    refusal,
    /** Throws StorageFull if `refusal` returns a reason. */
    assertSpace(name: BudgetName): void {
      const reason = refusal(name);
      if (reason !== undefined) throw new StorageFull(reason);
    },
    /** Measures, and throws StorageFull if a budget or the disk has no space for `bytes` more, even after `freeSpace`. */
    async admit(
      name: BudgetName,
      bytes: number,
      freeSpace?: (bytes: number) => Promise<void>,
    ): Promise<void> {
      await measureDisk().catch((error: unknown) => onError('cannot measure the storage', error));
      let excess = (await measureBudget(name)) + bytes - limits[name];
      if (excess > 0) setState(name, used[name], true);
      if (excess > 0 && !isDiskFull && freeSpace !== undefined) {
        await freeSpace(excess);
        excess = (await measure[name]()) + bytes - limits[name];
      }
      if (excess > 0 || isDiskFull) throw new StorageFull(refusal(name));
    },
    state: (): StorageState => ({
      state: isDiskFull ? 'DISK_FULL' : reached.size > 0 ? 'LIMIT_REACHED' : 'OK',
      freeBytes: freeBytes ?? null,
      budgets: NAMES.map((name) => ({
        name,
        usedBytes: used[name],
        limitBytes: Number.isFinite(limits[name]) ? limits[name] : null,
        state: reached.has(name) ? 'LIMIT_REACHED' : 'OK',
      })),
    }),
    /** Measures now and every few seconds until the signal is aborted. */
    async watch(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await measureAll();
        await clock.sleep(MEASURE_EVERY_MS, signal).catch(() => {});
      }
    },
  };
}
