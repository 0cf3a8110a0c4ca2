/** The record of the browser that `sonde browser install` put into a data folder. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../base/object.ts';

export interface InstalledBrowser {
  readonly executablePath: string;
  /** The folder that holds all of the browser. */
  readonly folder: string;
  /** Of the browser: `147.0.7727.0`. */
  readonly version: string;
  /** What brought it: `@sparticuz/chromium@147.0.0`. */
  readonly from: string;
}

/** The file in the folder of browsers that names the one in use: it is replaced in one step. */
export const RECORD = 'installed.json';

/** What the file holds. */
export interface InstallRecord {
  /** The name of the browser's folder, beside the file. */
  readonly folder: string;
  /** The program's path in that folder. */
  readonly program: string;
  readonly version: string;
  readonly from: string;
  /** The folder that was in use before: runs that began with it may still need it. */
  readonly previous: string | null;
}

/** Returns the record; undefined if there is none that can be read. `browsers`: the folder of browsers in a data folder. */
export async function readRecord(browsers: string): Promise<InstallRecord | undefined> {
  const text = await readFile(join(browsers, RECORD), 'utf8').catch(() => '');
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(record)) return undefined;
  const { folder, program, version, from, previous } = record;
  return typeof folder === 'string' &&
    typeof program === 'string' &&
    typeof version === 'string' &&
    typeof from === 'string'
    ? { folder, program, version, from, previous: typeof previous === 'string' ? previous : null }
    : undefined;
}

/** Returns the browser that the record names, without a look at whether it is there. */
export async function readInstalled(browsers: string): Promise<InstalledBrowser | undefined> {
  const record = await readRecord(browsers);
  if (record === undefined) return undefined;
  const folder = join(browsers, record.folder);
  const { program, version, from } = record;
  return { executablePath: join(folder, program), folder, version, from };
}
