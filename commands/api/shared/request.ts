/** Builds the request of `sonde api`, and reports all problems before anything is sent. */
import { describeExcess, explainExcess, findExcess } from '../../../src/base/depth.ts';
import { type Problem, UsageError } from '../../../src/base/errors.ts';
import { formatProblem, formatProblemCount, formatSuggestion } from '../../../src/base/phrases.ts';
import { findNearest } from '../../../src/base/suggest.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import { getAtPath, parsePath, setAtPath } from '../../../src/cli/framework/request-fields.ts';
import type { RawInput } from '../../../src/client/index.ts';

export interface ApiArguments {
  readonly method: string;
  readonly path: string;
  readonly queries: readonly string[];
  readonly headers: readonly string[];
  /** `path=value`; JSON values are parsed. */
  readonly fields: readonly string[];
  /** `path=value`; always text. */
  readonly rawFields: readonly string[];
  readonly file: string | undefined;
  readonly accountHeader: string;
}

export interface ApiRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly input: RawInput;
}

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];
const BODYLESS = ['GET', 'HEAD'];
/** Headers that sonde or HTTP sets. */
const RESERVED_HEADERS =
  `authorization proxy-authorization host content-length transfer-encoding connection keep-alive te trailer
  upgrade expect accept-encoding`.split(/\s+/);

/** Throws UsageError with every problem at once. */
export async function readApiRequest(words: ApiArguments, deps: Deps): Promise<ApiRequest> {
  const problems: Problem[] = [];
  const reportProblem = (place: string, message: string, more: Partial<Problem> = {}): void => {
    problems.push({ place, message, ...more });
  };
  const method = words.method.toUpperCase();
  if (!METHODS.includes(method)) {
    const near = findNearest(method, METHODS);
    const rule = `must be one of ${METHODS.join(', ')}, not "${words.method}"`;
    reportProblem('<method>', rule, { allowed: METHODS, ...(near === undefined ? {} : { nearest: near }) });
  }
  const wrong = findPathProblem(words.path);
  if (wrong !== undefined) reportProblem('<path>', wrong);
  const query = words.queries.flatMap((text) => {
    const [name, value] = splitPair(text);
    if (value === undefined || name === '') reportProblem('--query', `must be name=value, not "${text}"`);
    return value === undefined ? [] : [`${encodeQueryName(name)}=${encodeURIComponent(value)}`];
  });
  const headers = readHeaders(words, reportProblem);
  const hasBody = words.file !== undefined || words.fields.length > 0 || words.rawFields.length > 0;
  if (hasBody && BODYLESS.includes(method)) {
    const place = words.file === undefined ? (words.fields.length > 0 ? '--field' : '--raw-field') : '--file';
    reportProblem(place, `sets a body, but ${method} has no body: use --query`);
  }
  const body = hasBody ? await readBody(words, headers, deps, reportProblem) : undefined;
  if (problems.length > 0) throw toUsageError(problems);
  const mark = query.length === 0 ? '' : words.path.includes('?') ? '&' : '?';
  return { method, path: `${words.path}${mark}${query.join('&')}`, input: { headers, body } };
}

type Complain = (place: string, message: string, more?: Partial<Problem>) => void;

function toUsageError(problems: readonly Problem[]): UsageError {
  const [first] = problems;
  if (first !== undefined && problems.length === 1) {
    return new UsageError(
      `${formatProblem(first)}${formatSuggestion(...(first.nearest === undefined ? [] : [first.nearest]))}`,
      {
        details: problems,
      },
    );
  }
  return new UsageError(formatProblemCount(problems.length), { details: problems });
}

/** Returns the problem of a path, which must stay below the base URL. */
function findPathProblem(path: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path) || path.startsWith('//')) {
    return 'must be a path such as /v1/checks; to select a service, use --base-url or a profile';
  }
  if (!path.startsWith('/')) return `must begin with /, as in /${path}`;
  if (/[\s\p{Cc}\\]/u.test(path)) {
    return 'must not contain spaces, line breaks or backslashes: percent-encode them';
  }
  if (path.includes('#')) return 'must not contain a fragment; percent-encode # as %23';
  const [pathname = ''] = path.split('?');
  const plain = pathname.replace(/%2e/gi, '.').replace(/%2f|%5c/gi, '/');
  if (plain.split('/').some((segment) => segment === '.' || segment === '..')) {
    return 'must not contain the segments . and ..';
  }
  const placeholder = /\{[^/{}]*\}/.exec(pathname)?.[0];
  return placeholder === undefined ? undefined : `contains the placeholder ${placeholder}`;
}

const splitPair = (text: string): [name: string, value: string | undefined] => {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
};

/** Encodes a parameter name, but not its brackets: `startsAt[gte]`. */
const encodeQueryName = (name: string): string =>
  encodeURIComponent(name).replace(/%5B/g, '[').replace(/%5D/g, ']');

function readHeaders(
  { headers, accountHeader }: ApiArguments,
  reportProblem: Complain,
): Record<string, string> {
  const read: Record<string, string> = {};
  for (const text of headers) {
    const [, name, value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/s.exec(text) ?? [];
    if (name === undefined) {
      // Do not repeat the input, which may be a secret.
      reportProblem('--header', "must be 'Name: value'");
      continue;
    }
    const lower = name.toLowerCase();
    if (lower === accountHeader.toLowerCase() || lower === 'x-service-account') {
      reportProblem('--header', `${name} is for the account: use --account`);
    } else if (lower === 'authorization') {
      reportProblem('--header', `${name} is for the key: use a profile or SONDE_API_KEY`);
    } else if (RESERVED_HEADERS.includes(lower)) reportProblem('--header', `${name} is set by sonde`);
    else if (!/^[\t\x20-\x7e]*$/.test(value))
      reportProblem('--header', `${name} contains characters that are not allowed in a header`);
    else read[lower] = value.trim();
  }
  return read;
}

async function readBody(
  words: ApiArguments,
  headers: Readonly<Record<string, string>>,
  deps: Deps,
  reportProblem: Complain,
): Promise<unknown> {
  const { file, fields, rawFields } = words;
  const type = headers['content-type'];
  const isJson = type === undefined || /\bjson\b/i.test(type);
  const read = file === undefined ? { value: {} } : await readFileBody(file, isJson, deps, reportProblem);
  if (fields.length === 0 && rawFields.length === 0) return read.text ?? read.value;
  if (typeof read.value !== 'object' || read.value === null || Array.isArray(read.value)) {
    reportProblem('--field', 'requires an object as the body, but the file has another type');
    return undefined;
  }
  const body = read.value as Record<string, unknown>;
  for (const text of fields) setField(body, '--field', text, typedValue, reportProblem);
  for (const text of rawFields) setField(body, '--raw-field', text, (value) => ({ value }), reportProblem);
  return body;
}

interface FileBody {
  readonly value: unknown;
  /** Text to send unchanged. */
  readonly text?: string;
}

/** Reads a body file. JSON is sent unchanged, YAML as JSON, and other types as text. */
async function readFileBody(
  name: string,
  isJson: boolean,
  { readFile, readStdin }: Deps,
  reportProblem: Complain,
): Promise<FileBody> {
  const shown = name === '-' ? 'stdin' : name;
  const text = (name === '-' ? await readStdin() : await readFile(name)).replace(/^\ufeff/, '');
  if (!isJson) return { value: undefined, text };
  if (text.trim() === '') {
    reportProblem(shown, 'is empty');
    return { value: {} };
  }
  const excess = findExcess(text);
  if (excess && /^\s*[[{]/.test(text)) {
    reportProblem(`${shown}:${excess.line}:${excess.column}`, describeExcess());
    return { value: {} };
  }
  try {
    return { value: JSON.parse(text), text };
  } catch {
    const { formatPosition, parseYamlDocument } = await import(
      '../../../src/cli/framework/lazy/yaml-document.ts'
    );
    const { value, problems } = parseYamlDocument(text);
    for (const problem of problems) reportProblem(formatPosition(shown, problem), problem.message);
    return { value };
  }
}

type TypedValue = { readonly value: unknown } | { readonly problem: string };

/** Parses text that looks like JSON (`true`, `5`, `null`, `[…]`, `{…}`, `"5"`); returns other text unchanged. */
function typedValue(text: string): TypedValue {
  const number = Number(text);
  const isNumber = /^-?\d/.test(text) && String(number) === text;
  if (isNumber || ['true', 'false', 'null'].includes(text)) return { value: JSON.parse(text) };
  if (!/^\s*[[{"]/.test(text)) return { value: text };
  const excess = explainExcess(text);
  if (excess !== undefined) return { problem: excess };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: 'is not valid JSON; to send text, use --raw-field' };
  }
}

function setField(
  body: Record<string, unknown>,
  place: string,
  text: string,
  read: (value: string) => TypedValue,
  reportProblem: Complain,
): void {
  const [name, input] = splitPair(text);
  const path = parsePath(name.trim());
  if (input === undefined || path === undefined) {
    // Do not repeat the input: without a name, it may be a secret value.
    reportProblem(place, 'must be path=value, such as name=x, request.port=53 or tags[0]=web');
    return;
  }
  const last = path.at(-1);
  const list = getAtPath(body, path.slice(0, -1));
  if (typeof last === 'number' && last > (Array.isArray(list) ? list.length : 0)) {
    reportProblem(`${place} ${name.trim()}`, 'would leave a gap in the list');
    return;
  }
  const value = read(input);
  if ('problem' in value) reportProblem(`${place} ${name.trim()}`, value.problem);
  else setAtPath(body, path, value.value);
}
