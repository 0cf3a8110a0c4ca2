/** Parses one file of a project: its position texts, its project, its defaults and its sections. */
import { posix } from 'node:path';
import { CORE_SCHEMA } from 'js-yaml';
import type { Problem } from '../../../base/errors.ts';
import { loadYaml } from '../../../base/load-yaml.ts';
import { isObject, type JsonObject } from '../../../base/object.ts';
import { findNearest } from '../../../base/suggest.ts';
import { formatPosition, parseYamlDocument, type YamlDocument } from '../../framework/lazy/yaml-document.ts';
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
  let parsed: YamlDocument | undefined;
  const parse = (): YamlDocument => {
    parsed ??= parseYamlDocument(text);
    return parsed;
  };
  const value = readMap(text) ?? parse().value;
  const problems = parsed?.problems ?? [];
  for (const problem of problems) addProblem(formatPosition(shown, problem), problem.message);
  if (problems.length > 0) return undefined;
  const isCheck = Object.hasOwn(value, 'checkType');
  return {
    path,
    isCheck,
    folder: path === '-' ? '.' : posix.dirname(path),
    value: isCheck ? { checks: [value] } : value,
    formatLocation: (at) => formatPosition(shown, parse().positionOf(isCheck ? at.slice(2) : at)),
    writtenText: (at) => parse().textOf(isCheck ? at.slice(2) : at),
  };
}

/** Syntax that the fast parser reads in another way: aliases, merge keys, numbers of YAML 1.1, and keys without a name. */
const UNUSUAL = new RegExp(
  [
    /[\s[{,]\*\w|<</,
    /\d_\d|\b0b[01]|[\s[{,:-][+-]\.\d|(?<![\w.])-0\b/,
    /(?:null|Null|NULL|~|[}\]])\s*:(?=\s|$)/,
    /[\s[{,][:?](?=[\s[\]{},]|$)/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** Returns the map in a text. Undefined: the parser that knows positions must read the text, which takes several times as long. */
function readMap(text: string): JsonObject | undefined {
  if (UNUSUAL.test(text)) return undefined;
  try {
    const value = loadYaml(text, CORE_SCHEMA);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
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
