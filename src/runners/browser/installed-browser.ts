/** Reads the record of the browser that `sonde browser install` put into a data folder. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../base/object.ts';

export interface InstalledBrowser {
  readonly executablePath: string;
  /** Folder with all files of the browser. */
  readonly folder: string;
  /** Browser version: `147.0.7727.0`. */
  readonly version: string;
  /** Source package: `@sparticuz/chromium@147.0.0`. */
  readonly from: string;
}

/** File that names the current browser. It is replaced atomically. */
export const RECORD = 'installed.json';

/** Content of the file. */
export interface InstallRecord {
  /** Name of the browser's folder, beside the file. */
  readonly folder: string;
  /** Path of the program in that folder. */
  readonly program: string;
  readonly version: string;
  readonly from: string;
  /** Previous folder, which running checks may still need. */
  readonly previous: string | null;
}

/** Returns the record; undefined if there is no readable one. `browsers`: the folder of browsers in a data folder. */
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

/** Returns the browser in the record, without checking that it exists. */
export async function readInstalled(browsers: string): Promise<InstalledBrowser | undefined> {
  const record = await readRecord(browsers);
  if (record === undefined) return undefined;
  const folder = join(browsers, record.folder);
  const { program, version, from } = record;
  return { executablePath: join(folder, program), folder, version, from };
}
