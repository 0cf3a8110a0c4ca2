/** Finds the files that a configuration of Prometheus names by path or pattern, among files that may be elsewhere. */
import { dirname, isAbsolute, resolve } from 'node:path';
import { RE2JS } from 're2js';

/** Returns the expression of one step of a path with `*`, `?` and classes. */
const stepPattern = (step: string): RE2JS =>
  RE2JS.compile(
    step
      .replace(/[.+^${}()|\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.'),
  );

const stepsOf = (path: string): readonly string[] =>
  path.split(/[/\\]/).filter((step) => step !== '' && step !== '.');

/** Returns how many steps at the end of a path match those of a pattern. */
export function matchLength(pattern: string, path: string): number {
  const [wanted, found] = [stepsOf(pattern).toReversed(), stepsOf(path).toReversed()];
  const differs = wanted.findIndex((step, at) => {
    const name = found[at];
    return name === undefined || !stepPattern(step).testExact(name);
  });
  return differs === -1 ? wanted.length : differs;
}

/** A pattern of a configuration, and the absolute path of its file. */
export interface FilePattern {
  readonly pattern: string;
  readonly from: string;
}

const absolute = ({ pattern, from }: FilePattern): string =>
  isAbsolute(pattern) ? pattern : resolve(dirname(from), pattern);

export interface FoundFiles {
  /** The files of a pattern. */
  readonly of: (pattern: FilePattern) => readonly string[];
  /** Patterns of other folders that fit a file as well, so that nobody knows whose it is. */
  readonly rivalsOf: (pattern: FilePattern) => readonly string[];
}

/**
 * Assigns files to patterns. The configuration names paths of the machine of Prometheus, so that only the ends of the
 * paths agree: a pattern has the files that agree with it most, unless they agree as much with a pattern of another folder.
 */
export function findFiles(files: readonly string[], patterns: readonly FilePattern[]): FoundFiles {
  const paths = [...new Set(patterns.map(absolute))];
  const bestOf = (file: string): number => Math.max(0, ...paths.map((path) => matchLength(path, file)));
  const candidates = (path: string): readonly string[] => {
    const most = Math.max(0, ...files.map((file) => matchLength(path, file)));
    return most === 0
      ? []
      : files.filter((file) => matchLength(path, file) === most && bestOf(file) === most);
  };
  const rivals = (path: string, file: string): readonly string[] =>
    paths.filter(
      (other) => dirname(other) !== dirname(path) && matchLength(other, file) === matchLength(path, file),
    );
  return {
    of(pattern) {
      const path = absolute(pattern);
      return candidates(path).filter((file) => rivals(path, file).length === 0);
    },
    rivalsOf(pattern) {
      const path = absolute(pattern);
      return candidates(path).filter((file) => rivals(path, file).length > 0);
    },
  };
}
