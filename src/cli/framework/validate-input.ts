/** Judges input by the contract and says each problem at the place where it was typed: a flag, a file's line, an argument. */
import type { Problem } from '../../base/errors.ts';
import { REQUIRED_FLAG } from '../../base/phrases.ts';
import type { Endpoint, RequestParts, Violation } from '../../contract/index.ts';
import { placeText, violationsOf } from '../../contract/validate.ts';
import type { Field } from './request-fields.ts';
import { getAt, type Path, schemaAtPath } from './body-paths.ts';

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
  /** As `missing`, required only by our reading of the specification's gaps. */
  readonly wanted: readonly Field[];
  /** Which of the problems say that something is required and not there. */
  readonly absences: ReadonlySet<Problem>;
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
  // A missing id has been told already, by the argument's own name.
  const found = violationsOf(endpoint, parts, now);
  const violations = found
    .filter((violation) => violation.in !== 'path' || violation.keyword !== 'required')
    .filter((violation) => !found.some((other) => isPartOf(other, violation)))
    .flatMap((violation) => whatIsMissing(violation, fields));
  const told = violations.map((violation) => ({
    violation,
    problem: toProblem(violation, { endpoint, parts, fields, places }),
    field: fields.find((field) => field.in === violation.in && samePath(field.path, violation.path)),
  }));
  const of = (origin: Violation['origin']) =>
    told.filter(({ violation }) => violation.origin === origin).map(({ problem }) => problem);
  const required = (origin: Violation['origin']) =>
    told.filter(({ violation }) => violation.keyword === 'required' && violation.origin === origin);
  return {
    problems: of('specification'),
    warnings: of('gaps'),
    missing: required('specification').flatMap(({ field }) => field ?? []),
    wanted: required('gaps').flatMap(({ field }) => field ?? []),
    absences: new Set(required('specification').map(({ problem }) => problem)),
  };
}

/** Whether what is missing belongs to something that is missing as a whole: then its parts are told. */
const isPartOf = (part: Violation, whole: Violation): boolean =>
  part.keyword === 'required' &&
  whole.keyword === 'required' &&
  part.in === whole.in &&
  part.path.length > whole.path.length &&
  samePath(part.path.slice(0, whole.path.length), whole.path);

/** Of a missing object whose required fields have flags of their own, those are what is missing. */
function whatIsMissing(violation: Violation, fields: readonly Field[]): readonly Violation[] {
  if (violation.keyword !== 'required') return [violation];
  const { length } = violation.path;
  const inner = fields.filter(
    ({ in: part, path, required }) =>
      part === violation.in &&
      required &&
      path.length > length &&
      samePath(path.slice(0, length), violation.path),
  );
  return inner.length > 0 ? inner.map(({ path }) => ({ ...violation, path })) : [violation];
}

const samePath = (a: Path, b: Path): boolean =>
  a.length === b.length && a.every((step, index) => step === b[index]);

interface Scene {
  readonly endpoint: Endpoint;
  readonly parts: RequestParts;
  readonly fields: readonly Field[];
  readonly places: Places;
}

function toProblem(violation: Violation, { endpoint, parts, fields, places }: Scene): Problem {
  const { in: part, path, keyword, message, allowed, nearest } = violation;
  const [root, schema] =
    part === 'path'
      ? [parts.params, endpoint.params]
      : part === 'query'
        ? [parts.query, endpoint.query]
        : [parts.body, endpoint.body];
  const given = getAt(root, path);
  const field = fields.find((one) => one.in === part && samePath(one.path, path));
  const known = places.of(part, path);
  const flag = field && `--${field.flag}`;
  const place =
    keyword === 'required'
      ? (flag ?? known ?? `--set ${placeText(path)}`)
      : (known ?? flag ?? placeText(path));
  const inside =
    place.endsWith(placeText(path)) || place === flag || part === 'path' ? '' : `${placeText(path)} `;
  const what = keyword === 'additionalProperties' ? `"${path.at(-1)}" ` : inside;
  const shown = schemaAtPath(schema, path)?.writeOnly ? '' : typed(given, keyword);
  return {
    place,
    message: keyword === 'required' && place === flag ? REQUIRED_FLAG : `${what}${message}${shown}`,
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
