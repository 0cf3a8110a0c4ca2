/** Validates input against the contract and names the flag, file line or argument of each problem. */
import type { Problem } from '../../base/errors.ts';
import { REQUIRED_FLAG } from '../../base/phrases.ts';
import type { Endpoint, RequestParts, Violation } from '../../contract/index.ts';
import { placeText, violationsOf } from '../../contract/validate.ts';
import { type FieldPath, getAtPath, type RequestField, schemaAtPath } from './request-fields.ts';

type Part = Violation['in'];

export type ValueSources = ReturnType<typeof trackValueSources>;

/** Remembers the flag, file or argument that each value came from. */
export function trackValueSources() {
  const recorded = new Map<string, string>();
  const key = (part: Part, path: FieldPath): string => JSON.stringify([part, ...path]);
  let placeInFile: (path: FieldPath) => string | undefined = () => undefined;
  return {
    /** Records the source of the value at `path` and of all values below it without a source of their own. */
    record(part: Part, path: FieldPath, place: string): void {
      recorded.set(key(part, path), place);
    },
    /** Records the file of the body; `lineOf` returns the line of the deepest part of a path that the file contains. */
    recordFile(name: string, lineOf: (path: FieldPath) => number | undefined): void {
      placeInFile = (path) => {
        const line = lineOf(path);
        return line === undefined ? name : `${name}:${line}`;
      };
    },
    /** Returns the source of a value, or else of its nearest parent. */
    find(part: Part, path: FieldPath): string | undefined {
      for (let length = path.length; length > 0; length--) {
        const place = recorded.get(key(part, path.slice(0, length)));
        if (place !== undefined) return place;
      }
      return part === 'body' ? placeInFile(path) : undefined;
    },
  };
}

export interface ValidationResult {
  /** Violations of the specification. */
  readonly problems: readonly Problem[];
  /** Violations of our reading of the gaps in the specification. */
  readonly warnings: readonly Problem[];
  /** Missing required fields that have a flag, so that sonde can prompt for them. */
  readonly missing: readonly RequestField[];
  /** Like `missing`, but required only by our reading of the gaps. */
  readonly missingByGaps: readonly RequestField[];
  /** The problems about missing required values. */
  readonly requiredProblems: ReadonlySet<Problem>;
}

export interface ValidationOptions {
  readonly fields: readonly RequestField[];
  readonly sources: ValueSources;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Validates a request. Never throws. */
export function validateInput(
  endpoint: Endpoint,
  parts: RequestParts,
  { fields, sources, now }: ValidationOptions,
): ValidationResult {
  const all = violationsOf(endpoint, parts, now);
  // `readArguments` already reports a missing ID.
  const violations = all
    .filter((violation) => violation.in !== 'path' || violation.keyword !== 'required')
    .filter((violation) => !all.some((other) => isMissingPart(other, violation)))
    .flatMap((violation) => expandMissing(violation, fields));
  const reported = violations.map((violation) => ({
    violation,
    problem: toProblem(violation, { endpoint, parts, fields, sources }),
    field: fields.find((field) => field.in === violation.in && isSamePath(field.path, violation.path)),
  }));
  const from = (origin: Violation['origin']) =>
    reported.filter(({ violation }) => violation.origin === origin).map(({ problem }) => problem);
  const required = (origin: Violation['origin']) =>
    reported.filter(({ violation }) => violation.keyword === 'required' && violation.origin === origin);
  return {
    problems: from('specification'),
    warnings: from('gaps'),
    missing: required('specification').flatMap(({ field }) => field ?? []),
    missingByGaps: required('gaps').flatMap(({ field }) => field ?? []),
    requiredProblems: new Set(required('specification').map(({ problem }) => problem)),
  };
}

/** Returns whether a missing value is part of another missing value. Only the parts are then reported. */
const isMissingPart = (part: Violation, whole: Violation): boolean =>
  part.keyword === 'required' &&
  whole.keyword === 'required' &&
  part.in === whole.in &&
  part.path.length > whole.path.length &&
  isSamePath(part.path.slice(0, whole.path.length), whole.path);

/** Replaces a missing object by its required fields if these have flags. */
function expandMissing(violation: Violation, fields: readonly RequestField[]): readonly Violation[] {
  if (violation.keyword !== 'required') return [violation];
  const { length } = violation.path;
  const inner = fields.filter(
    ({ in: part, path, isRequired }) =>
      part === violation.in &&
      isRequired &&
      path.length > length &&
      isSamePath(path.slice(0, length), violation.path),
  );
  return inner.length > 0 ? inner.map(({ path }) => ({ ...violation, path })) : [violation];
}

const isSamePath = (a: FieldPath, b: FieldPath): boolean =>
  a.length === b.length && a.every((step, index) => step === b[index]);

interface ProblemContext extends Pick<ValidationOptions, 'fields' | 'sources'> {
  readonly endpoint: Endpoint;
  readonly parts: RequestParts;
}

function toProblem(violation: Violation, { endpoint, parts, fields, sources }: ProblemContext): Problem {
  const { in: part, path, keyword, message, allowed, nearest } = violation;
  const [root, schema] =
    part === 'path'
      ? [parts.params, endpoint.params]
      : part === 'query'
        ? [parts.query, endpoint.query]
        : [parts.body, endpoint.body];
  const value = getAtPath(root, path);
  const field = fields.find((one) => one.in === part && isSamePath(one.path, path));
  const source = sources.find(part, path);
  const flag = field && `--${field.flag}`;
  const place =
    keyword === 'required'
      ? (flag ?? source ?? `--set ${placeText(path)}`)
      : (source ?? flag ?? placeText(path));
  const pathPrefix =
    place.endsWith(placeText(path)) || place === flag || part === 'path' ? '' : `${placeText(path)} `;
  const subject = keyword === 'additionalProperties' ? `"${path.at(-1)}" ` : pathPrefix;
  const shown = schemaAtPath(schema, path)?.writeOnly ? '' : formatValue(value, keyword);
  return {
    place,
    message: keyword === 'required' && place === flag ? REQUIRED_FLAG : `${subject}${message}${shown}`,
    ...(allowed ? { allowed: allowed.map(String) } : {}),
    ...(nearest === undefined ? {} : { nearest }),
  };
}

/** Returns the value if the message of the rule does not contain it. */
function formatValue(value: unknown, keyword: string): string {
  const withValue = ['enum', 'type', 'format', 'pattern', 'minimum', 'maximum', 'multipleOf'];
  if (!withValue.includes(keyword) || value === undefined || (typeof value === 'object' && value !== null))
    return '';
  return `, not ${JSON.stringify(value)}`;
}
