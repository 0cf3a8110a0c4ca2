/** Writes bug reports to files, without keys and user input. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NetworkError } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/files.ts';
import type { ReceivedAnswer } from '../../../client/config.ts';
import { mismatchOf } from '../../../contract/answer-shape.ts';
import { dataFolders } from '../../../profiles/folders.ts';
import { sanitizeBlock } from '../../../terminal/index.ts';
import { kebabCase } from '../../framework/request-fields.ts';
import type { Host } from '../../framework/types.ts';

/** The content of a bug report besides the error. */
export interface BugContext {
  readonly host: Pick<Host, 'env' | 'home' | 'clock' | 'version' | 'platform' | 'nodeVersion' | 'pid'>;
  /** The command's name; empty if the line names none. */
  readonly command: string;
  /** The flags of the line, in camel case; a report never contains their values. */
  readonly flags: readonly string[];
  /** All other words of the line, which are removed from the error. */
  readonly values: readonly string[];
  /** Removes keys from a text. */
  readonly hide: (text: string) => string;
}

export interface BugReport {
  /** The error in one line. */
  readonly message: string;
  /** The whole report. */
  readonly text: string;
  /** The file of the report; undefined if it could not be written. */
  readonly path: string | undefined;
}

const MAX_REPORTS = 10;
const MAX_CAUSES = 5;
/** An error may contain a whole response. */
const MAX_STACK_LENGTH = 200_000;
/** A shorter value occurs in many words. */
const MIN_VALUE_LENGTH = 4;
/** Matches texts that look like a key of any service. */
const TOKENS = /\b(?:Bearer|Basic)\s+\S+|\b(?:sk|pl|pk|ghp|eyJ)[_-]?[\w.~+/-]{12,}=*/gi;

/** Writes `bugs/<time>-<pid>.txt` (mode 0600) in the state folder and removes the oldest reports. Never throws. */
export async function writeBugReport(error: unknown, context: BugContext): Promise<BugReport> {
  const { host, command, flags } = context;
  const clean = createCleaner(context);
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

function stacksOf(error: unknown): readonly string[] {
  const stacks: string[] = [];
  for (let next = error; next !== undefined && stacks.length < MAX_CAUSES; ) {
    const stack = next instanceof Error ? (next.stack ?? next.message) : String(next);
    stacks.push(sanitizeBlock(stack.slice(0, MAX_STACK_LENGTH)));
    next = next instanceof Error ? next.cause : undefined;
  }
  return stacks;
}

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
    // The caller prints the text instead.
    return false;
  }
  // The names begin with the time. A report that cannot be removed remains.
  const all = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.txt')).sort();
  await Promise.allSettled(all.slice(0, -MAX_REPORTS).map((name) => rm(join(folder, name))));
  return true;
}

/** Returns an error that names the first invalid field of the latest responses; undefined if all are valid. */
export function unreadableAnswer(answers: readonly ReceivedAnswer[]): NetworkError | undefined {
  for (const { name, endpoint, body } of answers.toReversed()) {
    const mismatch = mismatchOf(name, body);
    if (mismatch === undefined) continue;
    const place = mismatch.place === '' ? 'it' : `its ${mismatch.place}`;
    return new NetworkError(
      `the response does not match the API: ${place} ${mismatch.message}`,
      { endpoint, mayHaveActed: true },
      { hint: 'check the base URL: the server may not be the API, or may have another version' },
    );
  }
  return undefined;
}
