/** Holds the requests of the CLI against what the published API requires. */
import { Ajv, type ValidateFunction } from 'ajv';
import { isObject } from '../../../src/base/object.ts';
import { readPublishedDocument } from './document.ts';
import { PUBLISHED_REQUESTS, type PublishedRequest } from './requests.ts';

/** Methods that change something. */
const WRITES = ['POST', 'PUT', 'PATCH'];

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

/** Returns what is wrong at a path: `request.recordType is undefined instead of string`. */
function problemsAt(value: unknown, steps: readonly string[], type: string, place: string): string[] {
  const [step = '', ...rest] = steps;
  const [name = '', ...lists] = step.split('[]');
  if (!isObject(value)) return [];
  const found = value[name];
  const here = place === '' ? name : `${place}.${name}`;
  if (lists.length > 0) {
    const items = Array.isArray(found) ? found : [];
    return items.flatMap((item, index) => problemsAt(item, rest, type, `${here}[${index}]`));
  }
  if (rest.length > 0) return problemsAt(found, rest, type, here);
  const isAllowed = typeOf(found) === type.replace('?', '') || (type.endsWith('?') && found === null);
  return isAllowed ? [] : [`${here} is ${typeOf(found)} instead of ${type}`];
}

function violationsOfFacts({ required, closed }: PublishedRequest, body: unknown): string[] {
  if (!isObject(body)) return [`the body is ${typeOf(body)}`];
  const others = closed ? Object.keys(body).filter((name) => !closed.includes(name)) : [];
  return [
    ...required.flatMap(([path, type]) => problemsAt(body, path.split('.'), type, '')),
    ...others.map((name) => `${name} is not a field`),
  ];
}

/** Returns the paths that two APIs share: without the names of parameters. */
const shapeOf = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');
const matches = (shape: string, path: string): boolean =>
  new RegExp(`^${shape.replaceAll('{}', '[^/]+')}$`).test(path);

type Validators = ReadonlyMap<string, ValidateFunction | undefined>;

/** The request schemas of a published OpenAPI document, by method and shape. */
function requestsOf(file: string): Validators {
  const document = readPublishedDocument(file);
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  return new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { requestBody }]) => {
        const schema = requestBody && Object.values(requestBody.content)[0]?.schema;
        return [
          `${method.toUpperCase()} ${shapeOf(path)}`,
          schema === undefined ? undefined : ajv.compile(schema),
        ] as const;
      }),
    ),
  );
}

/** A copy of the published document, for a stricter run by hand: it is not part of this repository. */
const file = process.env.SONDE_PUBLISHED_OPENAPI;
const documented: Validators = file === undefined ? new Map() : requestsOf(file);

/** Returns what the published API refuses in a request; undefined for an endpoint that it does not have. */
export function publishedViolations(method: string, path: string, text: string): string[] | undefined {
  if (!WRITES.includes(method)) return [];
  const found = Object.keys(PUBLISHED_REQUESTS)
    .filter((line) => line.startsWith(`${method} `) && matches(line.slice(method.length + 1), path))
    // The path with the fewest parameters is the one that a router takes.
    .sort((a, b) => a.split('{}').length - b.split('{}').length)[0];
  const facts = found === undefined ? undefined : PUBLISHED_REQUESTS[found];
  if (found === undefined || facts === undefined) return undefined;
  const hasBody = !found.includes('/triggers/');
  if (!hasBody) return [];
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  const validate = documented.get(found);
  const isValid = validate?.(body) ?? true;
  const errors = isValid ? [] : (validate?.errors ?? []);
  return [
    ...violationsOfFacts(facts, body),
    ...errors.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    ),
  ];
}
