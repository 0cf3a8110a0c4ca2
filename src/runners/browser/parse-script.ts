/** Parses the script of a browser check: its files and its entry. Pure. */
import { posix } from 'node:path';
import { CannotRun } from '../core/runner.ts';
import type { ScriptFile, ScriptKind } from './protocol.ts';

export interface ScriptSource {
  readonly script?: string | null;
  readonly scriptPath?: string | null;
  readonly dependencies?: readonly ScriptFile[] | null;
}

export interface Script {
  /** The probable kind, for the warm-up of a program. The program decides the kind (`child/script-kind.ts`). */
  readonly likelyKind: ScriptKind;
  readonly entry: string;
  readonly files: readonly ScriptFile[];
}

const DEFAULT_ENTRY = 'check.spec.ts';
const CODE = /\.[cm]?[jt]sx?$/;
const PLAYWRIGHT_TEST = /\bplaywright\/test\b/;
/** Returns the script with its files. Throws CannotRun if there is no script or a path leaves the folder. */
export function parseScript({ script, scriptPath, dependencies }: ScriptSource): Script {
  if (script === undefined || script === null || script.trim() === '')
    throw new CannotRun('the check has no script');
  const entry = resolveEntry(scriptPath);
  const dependencyFiles = (dependencies ?? []).map(({ path, content }) => ({
    path: normalizePath(path, 'the dependency'),
    content,
  }));
  const files = [...dependencyFiles.filter(({ path }) => path !== entry), { path: entry, content: script }];
  assertDistinctPaths(files);
  const mayBeTest = files.some(({ content }) => PLAYWRIGHT_TEST.test(content));
  return { likelyKind: mayBeTest ? 'test' : 'script', entry, files };
}

function resolveEntry(scriptPath: string | null | undefined): string {
  if (scriptPath === undefined || scriptPath === null || scriptPath.trim() === '') return DEFAULT_ENTRY;
  const path = normalizePath(scriptPath, 'scriptPath');
  return CODE.test(path) ? path : `${path}.ts`;
}

function normalizePath(path: string, what: string): string {
  const plain = path.replaceAll('\\', '/');
  const normal = posix.normalize(plain);
  if (plain.startsWith('/') || /^[A-Za-z]:/.test(plain))
    throw new CannotRun(`${what} "${path}" must be relative to the script's folder`);
  if (normal === '..' || normal.startsWith('../'))
    throw new CannotRun(`${what} "${path}" points outside the script's folder`);
  if (normal === '.' || normal.endsWith('/')) throw new CannotRun(`${what} "${path}" is not a file name`);
  if (normal.includes('\0')) throw new CannotRun(`${what} contains a NUL character`);
  if (/(?:^|\/)node_modules(?:\/|$)/.test(normal))
    throw new CannotRun(`${what} "${path}" must not be in node_modules, which belongs to the runtime`);
  return normal;
}

function assertDistinctPaths(files: readonly ScriptFile[]): void {
  const names = new Set<string>();
  for (const { path } of files) {
    if (names.has(path)) throw new CannotRun(`two dependencies have the path "${path}"`);
    names.add(path);
  }
  for (const path of names) {
    for (let above = posix.dirname(path); above !== '.'; above = posix.dirname(above)) {
      if (names.has(above))
        throw new CannotRun(`"${above}" cannot be both a file and the folder of "${path}"`);
    }
  }
}
