/** Judges input by the contract and says each problem at the place where it was typed: a flag, a file's line, an argument. */
import type { Problem } from '../../src/base/errors.ts';
import type { Endpoint, RequestParts, Violation } from '../../src/contract/index.ts';
import { placeText, violationsOf } from '../../src/contract/validate.ts';
import type { Field } from './fields.ts';
import { getAt, type Path } from './paths.ts';

type Part = Violation['in'];

/** Remembers where each value came from. */
export interface Places {
  /** The value at `path` (and all below it, unless said otherwise) was given at `place`. */
  note(part: Part, path: Path, place: string): void;
  /** The body came from this file; `lineOf` gives the line of the deepest part of a path that is there. */
  file(name: string, lineOf: (path: Path) => number | undefined): void;
  /** The place of a value, or of what would hold it. */
  of(part: Part, path: Path): string | undefined;
}

export function trackPlaces(): Places {
  const noted = new Map<string, string>();
  const key = (part: Part, path: Path): string => JSON.stringify([part, ...path]);
  let inFile: (path: Path) => string | undefined = () => undefined;
  return {
    note: (part, path, place) => noted.set(key(part, path), place),
    file(name, lineOf) {
      inFile = (path) => {
        const line = lineOf(path);
        return line === undefined ? name : `${name}:${line}`;
      };
    },
    of(part, path) {
      for (let length = path.length; length > 0; length--) {
        const place = noted.get(key(part, path.slice(0, length)));
        if (place !== undefined) return place;
      }
      return part === 'body' ? inFile(path) : undefined;
    },
  };
}

/** What was found: what must be mended, and what only our reading of the specification's gaps forbids. */
export interface Judgement {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Required fields that are missing and have a flag: what a person could be asked for. */
  readonly missing: readonly Field[];
}

export interface JudgeOptions {
  readonly fields: readonly Field[];
  readonly places: Places;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Judges a request. Nothing is thrown. */
export function judge(
  endpoint: Endpoint,
  parts: RequestParts,
  { fields, places, now }: JudgeOptions,
): Judgement {
  const violations = violationsOf(endpoint, parts, now);
  const told = violations.map((violation) => ({
    violation,
    problem: toProblem(violation, parts, fields, places),
    field: fields.find((field) => field.in === violation.in && samePath(field.path, violation.path)),
  }));
  const of = (origin: Violation['origin']) =>
    told.filter(({ violation }) => violation.origin === origin).map(({ problem }) => problem);
  return {
    problems: of('specification'),
    warnings: of('gaps'),
    missing: told.flatMap(({ violation, field }) =>
      violation.keyword === 'required' && field ? [field] : [],
    ),
  };
}

const samePath = (a: Path, b: Path): boolean =>
  a.length === b.length && a.every((step, index) => step === b[index]);

function toProblem(
  violation: Violation,
  parts: RequestParts,
  fields: readonly Field[],
  places: Places,
): Problem {
  const { in: part, path, keyword, message, allowed, nearest } = violation;
  const root = part === 'path' ? parts.params : part === 'query' ? parts.query : parts.body;
  const given = getAt(root, path);
  const absent = keyword === 'required' || given === undefined;
  const place = (absent ? wayIn(part, path, fields) : undefined) ?? places.of(part, path) ?? placeText(path);
  const inside = places.of(part, path) === undefined || absent ? '' : beyond(part, path, fields);
  return {
    place: absent && keyword !== 'required' ? (places.of(part, path) ?? place) : place,
    message: `${inside}${keyword === 'additionalProperties' ? `"${path.at(-1)}" ` : ''}${message}${typed(given, keyword)}`,
    ...(allowed ? { allowed: allowed.map(String) } : {}),
    ...(nearest === undefined ? {} : { nearest }),
  };
}

/** What was given, where the rule doesn't tell it by itself. */
function typed(given: unknown, keyword: string): string {
  const telling = ['enum', 'type', 'format', 'pattern', 'minimum', 'maximum', 'multipleOf'];
  if (!telling.includes(keyword) || given === undefined || (typeof given === 'object' && given !== null))
    return '';
  return `, not ${JSON.stringify(given)}`;
}

/** The field inside of what one flag or line gave, where it isn't the whole. */
function beyond(part: Part, path: Path, fields: readonly Field[]): string {
  if (fields.some((field) => field.in === part && samePath(field.path, path))) return '';
  return part === 'path' ? '' : `${placeText(path)} `;
}

/** The flag that would give a missing value. */
function wayIn(part: Part, path: Path, fields: readonly Field[]): string | undefined {
  const field = fields.find((one) => one.in === part && samePath(one.path, path));
  if (field) return `--${field.flag}`;
  return part === 'body' && path.length > 0 ? `--set ${placeText(path)}` : undefined;
}
