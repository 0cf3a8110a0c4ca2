/** The rule for texts that no run could send or contact: URLs, headers, hosts and names. */
import type { RequestParts, Violation } from './endpoint.ts';
import {
  controlCharacterProblem,
  domainProblem,
  headerNameProblem,
  headerValueProblem,
  hostProblem,
  nameServerProblem,
  urlProblem,
} from './sendable.ts';

const EVERY = '*';
type Problem = (text: string) => string | undefined;

/** Texts in the body of a check or a group, and what makes them invalid. */
const TEXTS: readonly (readonly [path: readonly string[], problem: Problem])[] = [
  ...[['request'], ['apiCheckDefaults']].flatMap((owner): (readonly [readonly string[], Problem])[] => [
    [[...owner, 'url'], partialUrlProblem],
    [[...owner, 'headers', EVERY, 'key'], optionalHeaderNameProblem],
    [[...owner, 'headers', EVERY, 'value'], headerValueProblem],
  ]),
  [['request', 'hostname'], hostProblem],
  [['request', 'sslConfig', 'hostname'], hostProblem],
  [['request', 'sslConfig', 'serverName'], hostProblem],
  [['request', 'nameServer'], nameServerProblem],
  [['request', 'query'], domainProblem],
];

export const sendableTexts = ({ body }: RequestParts): readonly Violation[] =>
  TEXTS.flatMap(([path, problem]) => findViolations(body, path, problem, []));

function findViolations(
  value: unknown,
  [step, ...rest]: readonly string[],
  problem: Problem,
  path: Violation['path'],
): readonly Violation[] {
  if (step === undefined) {
    const message = typeof value === 'string' ? problem(value) : undefined;
    return message === undefined
      ? []
      : [{ in: 'body', path, keyword: 'sendableTexts', message, origin: 'gaps' }];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (step !== EVERY) return findViolations(Reflect.get(value, step), rest, problem, [...path, step]);
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.flatMap((item, index) => findViolations(item, rest, problem, [...path, index]));
}

/** The base URL of a group or a variable may complete a URL without a scheme. */
function partialUrlProblem(url: string): string | undefined {
  const isPartial = !/^[a-z][a-z\d+.-]*:\/\//i.test(url.trim());
  return isPartial ? controlCharacterProblem(url) : urlProblem(url);
}

/** A header without a name is not sent. */
function optionalHeaderNameProblem(name: string): string | undefined {
  return name.trim() === '' ? undefined : headerNameProblem(name);
}
