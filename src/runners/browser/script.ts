/** What a browser check's script is made of: its files, its entry, and of which kind it is. Pure. */
import { posix } from 'node:path';
import { CannotRun } from '../types.ts';
import type { ScriptFile, ScriptKind } from './protocol.ts';

/** The parts of a browser check that its script is read off. */
export interface Scripted {
  readonly script?: string | null;
  readonly scriptPath?: string | null;
  readonly dependencies?: readonly ScriptFile[] | null;
}

export interface Script {
  readonly kind: ScriptKind;
  readonly entry: string;
  readonly files: readonly ScriptFile[];
}

/** What a script without a path is called: TypeScript, of which JavaScript is a part. */
const ENTRY = 'check.spec.ts';
const CODE = /\.[cm]?[jt]sx?$/;
const PLAYWRIGHT_TEST =
  /(?:\bfrom\s*|\brequire\s*\(\s*|\bimport\s*\(?\s*)(['"`])(?:@playwright\/test|playwright\/test)\1/;
const DECLARES_TESTS = /(?<![\w$.])(?:test|it)\s*(?:\.\s*\w+\s*)*\(/;

/**
 * The script with its files. It is one of Playwright Test where it, or a file beside it, imports that and the script
 * declares tests. Throws CannotRun where there is nothing to run or a path leads out of the folder.
 */
export function scriptOf({ script, scriptPath, dependencies }: Scripted): Script {
  if (script === undefined || script === null || script.trim() === '')
    throw new CannotRun('the check has no script: there is nothing to run');
  const entry = entryOf(scriptPath);
  const others = (dependencies ?? []).map(({ path, content }) => ({
    path: inside(path, 'the dependency'),
    content,
  }));
  const files = [...others.filter(({ path }) => path !== entry), { path: entry, content: script }];
  refuseClashes(files);
  const isTest =
    DECLARES_TESTS.test(withoutComments(script)) &&
    files.some(({ content }) => PLAYWRIGHT_TEST.test(withoutComments(content)));
  return { kind: isTest ? 'test' : 'script', entry, files };
}

function entryOf(scriptPath: string | null | undefined): string {
  if (scriptPath === undefined || scriptPath === null || scriptPath.trim() === '') return ENTRY;
  const path = inside(scriptPath, 'scriptPath');
  return CODE.test(path) ? path : `${path}.ts`;
}

/** A path within the script's folder, without `.` and `..`. */
function inside(path: string, what: string): string {
  const plain = path.replaceAll('\\', '/');
  const normal = posix.normalize(plain);
  if (plain.startsWith('/') || /^[A-Za-z]:/.test(plain))
    throw new CannotRun(`${what} "${path}" must be relative to the script's folder`);
  if (normal === '..' || normal.startsWith('../'))
    throw new CannotRun(`${what} "${path}" leads out of the script's folder`);
  if (normal === '.' || normal.endsWith('/')) throw new CannotRun(`${what} "${path}" names no file`);
  if (normal.includes('\0')) throw new CannotRun(`${what} holds a NUL`);
  if (/(?:^|\/)node_modules(?:\/|$)/.test(normal))
    throw new CannotRun(`${what} "${path}" must not lie in node_modules: that is the runtime's own`);
  return normal;
}

/** Two files of one name, or a file where another needs a folder. */
function refuseClashes(files: readonly ScriptFile[]): void {
  const names = new Set<string>();
  for (const { path } of files) {
    if (names.has(path)) throw new CannotRun(`two dependencies are called "${path}"`);
    names.add(path);
  }
  for (const path of names) {
    for (let above = posix.dirname(path); above !== '.'; above = posix.dirname(above)) {
      if (names.has(above))
        throw new CannotRun(`"${above}" cannot be both a file and the folder of "${path}"`);
    }
  }
}

/** Roughly: what stands in comments imports nothing. Neither `//` within an address nor `/*` within a pattern begins one. */
function withoutComments(code: string): string {
  return code.replace(/(^|[\s;{}(),])\/\*[\s\S]*?\*\//g, '$1').replace(/(^|[\s;{}()])\/\/.*$/gm, '$1');
}
