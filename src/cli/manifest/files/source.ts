/** Parses one file of a project: its position texts, its project, its defaults and its sections. */
import { posix } from 'node:path';
import type { Problem } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../base/object.ts';
import { findNearest } from '../../../base/suggest.ts';
import { formatPosition, parseYamlDocument } from '../../framework/lazy/yaml-document.ts';
import { SECTIONS, type Section } from '../kinds.ts';
import type { Path } from '../manifest.ts';
import { pathFrom } from './file-tree.ts';

/** A file of the manifest. */
export interface Source {
  readonly path: string;
  /** The folder in which its defaults hold. */
  readonly folder: string;
  readonly value: JsonObject;
  /** Whether the file is the body of one check. */
  readonly isCheck: boolean;
  /** Returns file, line and column of a path, or of its deepest part. */
  readonly formatLocation: (path: Path) => string;
  /** Returns a value as the file has it, without quotes: `012`. */
  readonly writtenText: (path: Path) => string | undefined;
}

export type AddProblem = (place: string, message: string, more?: Partial<Problem>) => void;

const TOP_LEVEL = ['project', 'defaults', ...SECTIONS];

const isSection = (name: string): name is Section => (SECTIONS as readonly string[]).includes(name);

/** Returns the file; undefined if its text is no map. The body of one check is a file with this check. */
export function parseSource(path: string, text: string, addProblem: AddProblem): Source | undefined {
  const shown = path === '-' ? 'stdin' : path;
  const { value, problems, positionOf, textOf } = parseYamlDocument(text);
  for (const problem of problems) addProblem(formatPosition(shown, problem), problem.message);
  if (problems.length > 0) return undefined;
  const isCheck = Object.hasOwn(value, 'checkType');
  return {
    path,
    isCheck,
    folder: path === '-' ? '.' : posix.dirname(path),
    value: isCheck ? { checks: [value] } : value,
    formatLocation: (at) => formatPosition(shown, positionOf(isCheck ? at.slice(2) : at)),
    writtenText: (at) => textOf(isCheck ? at.slice(2) : at),
  };
}

/** Reports the parts of a file that are neither a section, nor the project, nor defaults, and sections that are no list. */
export function validateStructure({ value, formatLocation }: Source, addProblem: AddProblem): void {
  const names = Object.keys(value);
  if (!names.some((name) => TOP_LEVEL.includes(name) || findNearest(name, TOP_LEVEL) !== undefined)) {
    addProblem(
      formatLocation([]),
      `is not a monitoring file: it has none of the keys ${TOP_LEVEL.join(', ')}; move other files to another folder`,
    );
    return;
  }
  for (const [name, part] of Object.entries(value)) {
    if (['project', 'defaults', '$schema'].includes(name) || name.startsWith('x-') || part === null) continue;
    if (isSection(name)) {
      if (!Array.isArray(part)) addProblem(formatLocation([name]), `${name} must be a list (- name: value)`);
      continue;
    }
    addProblem(formatLocation([name]), ...unknownSection(name, TOP_LEVEL));
  }
}

/** Returns the message for an unknown section, with the names that it may have. */
export function unknownSection(name: string, known: readonly string[]): [string, Partial<Problem>] {
  const nearest = findNearest(name, known);
  const message = `unknown section "${name}"`;
  return nearest === undefined ? [`${message}; known: ${known.join(', ')}`, {}] : [message, { nearest }];
}

/** Returns the entries of a section as the file has them. Reports entries that are no map. */
export function listEntries(
  source: Source,
  section: Section,
  addProblem: AddProblem,
): readonly { readonly index: number; readonly fields: JsonObject }[] {
  const list = source.value[section];
  return (Array.isArray(list) ? (list as readonly unknown[]) : []).flatMap((fields, index) => {
    if (isObject(fields)) return [{ index, fields }];
    // A text allows the files to read a variable of the environment.
    if (section === 'variables' && typeof fields === 'string') return [];
    addProblem(source.formatLocation([section, index]), 'must contain fields with values (name: value)');
    return [];
  });
}

/** Returns the folders of the suites that a file names, unless the file is in them. */
export function listSuites({ path, value }: Source): readonly string[] {
  const { checks, defaults } = value;
  const shared = isObject(defaults) ? defaults.checks : undefined;
  return [shared, ...(Array.isArray(checks) ? (checks as readonly unknown[]) : [])].flatMap((fields) => {
    if (!isObject(fields) || typeof fields.suite !== 'string') return [];
    const folder = pathFrom(path, fields.suite).replace(/\/$/, '');
    return path.startsWith(`${folder}/`) || folder === '.' ? [] : [folder];
  });
}
