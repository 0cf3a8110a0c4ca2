/** Packs the folder of a Playwright project into an archive. */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Zippable, zipSync } from 'fflate';
import { glob } from 'tinyglobby';
import { UsageError } from '../../../../src/base/errors.ts';

/** What is installed again where the suite runs, or was left by runs before. */
const NEVER = [
  '**/node_modules/**',
  '**/.git/**',
  '**/test-results/**',
  '**/playwright-report/**',
  '**/blob-report/**',
];
/** What the service takes as one body, Base64 and all. */
const MOST_BYTES = 24 * 1024 * 1024;
/** The same files make the same archive, whenever they were written: a ZIP's times begin here. */
const NO_TIME = new Date(1980, 0, 1);

export interface Packed {
  /** A ZIP. */
  readonly archive: Uint8Array;
  /** Hex SHA-256 of it: what the service knows it by. */
  readonly id: string;
  readonly files: number;
}

export interface Choice {
  /** Globs; none: everything. */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** Throws UsageError where there is no such folder, nothing in it to send, or more than a service takes. */
export async function pack(folder: string, { include = [], exclude = [] }: Choice): Promise<Packed> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw new UsageError(`there is no folder ${folder}`);
  const names = await glob(include.length > 0 ? [...include] : ['**'], {
    ...{ cwd: folder, ignore: [...NEVER, ...exclude], dot: true, expandDirectories: false },
    // What lies outside of the project is no part of it.
    followSymbolicLinks: false,
  });
  if (names.length === 0) {
    throw new UsageError(`there is nothing to send in ${folder}`, {
      hint: include.length > 0 ? 'none of its files is meant by include' : undefined,
    });
  }
  const contents: Zippable = {};
  for (const name of names.sort()) {
    const path = join(folder, name);
    const isProgram = ((await stat(path)).mode & 0o111) !== 0;
    // Upper half: as Unix has them; a program stays one.
    contents[name] = [
      await readFile(path),
      { mtime: NO_TIME, os: 3, attrs: (isProgram ? 0o755 : 0o644) << 16 },
    ];
  }
  const archive = zipSync(contents);
  if (archive.length > MOST_BYTES) {
    throw new UsageError(`the project is too large to be sent: ${megabytes(archive.length)}, packed`, {
      hint: `at most ${megabytes(MOST_BYTES)}: leave files out with --exclude`,
    });
  }
  return { archive, id: createHash('sha256').update(archive).digest('hex'), files: names.length };
}

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
