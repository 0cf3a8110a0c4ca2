/** Keeps what is needed to find a fault of our own in a file, without keys and without what the user gave. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../../base/folder.ts';
import { dataFolders } from '../../../profiles/folders.ts';
import { sanitizeBlock } from '../../../terminal/index.ts';
import { kebabCase } from '../../framework/request-fields.ts';
import type { Host } from '../../framework/types.ts';

/** What a report tells besides the fault. */
export interface BugContext {
  readonly host: Pick<Host, 'env' | 'home' | 'clock' | 'version' | 'platform' | 'nodeVersion' | 'pid'>;
  /** The command's name; empty where there was none. */
  readonly command: string;
  /** The flags that were given, in camel case; their values are never told. */
  readonly flags: readonly string[];
  /** What else was typed: taken out of what the fault says. */
  readonly values: readonly string[];
  /** Takes keys out of a text. */
  readonly hide: (text: string) => string;
}

export interface BugReport {
  /** What the fault says, on one line. */
  readonly message: string;
  /** All that is known. */
  readonly text: string;
  /** The file that holds it; undefined where none could be written. */
  readonly path: string | undefined;
}

/** The newest are kept. */
const MAX_REPORTS = 10;
/** Causes of causes. */
const MAX_CAUSES = 5;
/** A fault may hold a whole answer. */
const MAX_STACK_LENGTH = 200_000;
/** What is shorter stands in many words. */
const MIN_VALUE_LENGTH = 4;
/** What looks like a key, whoever it belongs to. */
const TOKENS = /\b(?:Bearer|Basic)\s+\S+|\b(?:sk|pl|pk|ghp|eyJ)[_-]?[\w.~+/-]{12,}=*/gi;

/** Writes `bugs/<time>-<pid>.txt` (mode 0600) in the state folder and drops the oldest. Never throws. */
export async function writeBugReport(error: unknown, circumstances: BugContext): Promise<BugReport> {
  const { host, command, flags } = circumstances;
  const clean = createCleaner(circumstances);
  const time = new Date(host.clock.now()).toISOString();
  const stacks = stacksOf(error).map(clean).join('\ncaused by: ');
  const text = [
    `sonde ${host.version} on ${host.platform}, Node ${host.nodeVersion}, ${time}`,
    `command: ${['sonde', command, ...flags.map((flag) => `--${kebabCase(flag)}`)].filter(Boolean).join(' ')}`,
    '',
    stacks,
    '',
  ].join('\n');
  const folder = join(dataFolders(host.env, host.home).state, 'bugs');
  const path = join(folder, `${time.replaceAll(':', '-')}-${host.pid}.txt`);
  return {
    message: stacks.split('\n')[0] ?? '',
    text,
    path: (await saveReport(folder, path, text)) ? path : undefined,
  };
}

/** The stack of a fault and of its causes. */
function stacksOf(error: unknown): readonly string[] {
  const stacks: string[] = [];
  for (let next = error; next !== undefined && stacks.length < MAX_CAUSES; ) {
    const stack = next instanceof Error ? (next.stack ?? next.message) : String(next);
    stacks.push(sanitizeBlock(stack.slice(0, MAX_STACK_LENGTH)));
    next = next instanceof Error ? next.cause : undefined;
  }
  return stacks;
}

/** Takes out keys, what looks like one, what was typed, and the name of the user's home. */
function createCleaner({ host, values, hide }: BugContext): (stack: string) => string {
  const typed = values
    .filter((value) => value.length >= MIN_VALUE_LENGTH)
    .sort((a, b) => b.length - a.length);
  const isFrame = (line: string): boolean => /^\s+at /.test(line);
  const cleanLine = (line: string): string =>
    isFrame(line) ? line : typed.reduce((shown, value) => shown.replaceAll(value, '<value>'), line);
  return (stack) => {
    const shown = hide(stack).replaceAll(TOKENS, '***').split('\n').map(cleanLine).join('\n');
    return host.home.length > 1 ? shown.replaceAll(host.home, '~') : shown;
  };
}

async function saveReport(folder: string, path: string, text: string): Promise<boolean> {
  try {
    makeFolder(folder);
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  } catch {
    // The text is told instead.
    return false;
  }
  // Their names begin with their time. What cannot be dropped stays.
  const all = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.txt')).sort();
  await Promise.allSettled(all.slice(0, -MAX_REPORTS).map((name) => rm(join(folder, name))));
  return true;
}
