/** From a command line to one typed, judged object: what a command's `run` is given. Sends nothing and asks nobody. */
import { type Problem, UsageError } from '../../base/errors.ts';
import { NEEDS_VALUE, phraseOf, REQUIRED_FLAG } from '../../base/phrases.ts';
import type { Endpoint, RequestParts } from '../../contract/index.ts';
import { resolveOutput } from '../../terminal/index.ts';
import { paramsOf, placeOfParam, type ReadArguments, readArguments } from './read-arguments.ts';
import { camel, type Field, kebab } from './request-fields.ts';
import type { Path } from './body-paths.ts';
import { type Shape, successorOf } from './command-spec.ts';
import { readField } from './parse-flag-values.ts';
import { readGlobals } from './global-flags.ts';
import type { Complain } from './options.ts';
import type { ParseContext } from './parse-context.ts';
import { readBody } from './read-request-body.ts';
import { NO_NAMES } from './resolved-names.ts';
import { type Collected, hasUnknownOption } from './tokenize-argv.ts';
import type { Command, InputOf, Invocation } from './types.ts';
import { helpHint, toError } from './usage-error.ts';
import { judge, type Places, trackPlaces } from './validate-input.ts';

/** What parsing came to. */
export interface Parsed {
  readonly invocation: Invocation;
  /** The endpoint that the input is for. */
  readonly endpoint: Endpoint | undefined;
  /** What to say on stderr: deprecated flags, and what only our reading of the specification forbids. */
  readonly warnings: readonly string[];
}

/** What a line comes to, and what is wrong with it. */
export interface Examined extends Parsed {
  readonly problems: readonly Problem[];
  /** What only our reading of the specification forbids; among the warnings, too. */
  readonly doubts: readonly Problem[];
  /** Required fields that have a flag and were not given: what a person could be asked for. */
  readonly missing: readonly Field[];
  /** As `missing`, required only by our reading of the specification. */
  readonly wanted: readonly Field[];
  readonly absent: ReadArguments['absent'];
  /** What is said of the command in hints: `sonde checks run`. */
  readonly said: string;
  /** Whether a word after an unknown option may be its value: what is said of arguments could then be wrong. */
  readonly unsure: boolean;
}

/** Whether something is left open that a person could be asked for, and nothing else is wrong. */
export function isOnlyIncomplete({ problems, missing, absent }: Examined): boolean {
  const open = new Set([...missing.map(({ flag }) => `--${flag}`), ...absent.map(({ place }) => place)]);
  return open.size > 0 && problems.every(({ place }) => open.has(place));
}

/**
 * What was examined, where nothing is wrong with it.
 *
 * @throws UsageError with every problem at once
 */
export function settle(examined: Examined): Parsed {
  const { problems, doubts, missing, unsure, said } = examined;
  if (problems.length === 0) return examined;
  const isGiven = problems.some(({ message }) => message === NEEDS_VALUE);
  if (missing.length > 0 && missing.length === problems.length && !isGiven) {
    const [flags, them] = problems.length > 1 ? ['flags', 'them'] : ['flag', 'it'];
    throw new UsageError(`required ${flags}: ${problems.map(({ place }) => place).join(', ')}`, {
      details: problems,
      hint: `pass ${them}, or pass a file with -f; to print an example file, run: ${said} --example\n${helpHint(said)}`,
    });
  }
  throw toError([...problems.filter(({ place }) => !unsure || !place.startsWith('<')), ...doubts], said);
}

/** Parses what was collected, and takes down all that is wrong. Throws UsageError for files that cannot be read. */
export async function examine(
  command: Command,
  shape: Shape,
  collected: Collected,
  context: ParseContext,
): Promise<Examined> {
  const problems: Problem[] = [...collected.mistakes];
  const complainAt =
    (place: string): Complain =>
    (complaint) =>
      problems.push({ place, ...complaint });
  const texts = (name: string) => collected.texts.get(name);
  const complainAtFlag = (name: string): Complain => complainAt(`--${kebab(name)}`);

  const { globals, output: outputFlags } = readGlobals(texts, complainAtFlag);
  const output = await resolveOutput(outputFlags, command.formats).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    problems.push(
      ...(error.details.length > 0 ? error.details : [{ place: '--output', message: error.message }]),
    );
    return { utc: false };
  });
  const options = Object.fromEntries(
    Object.entries(command.options ?? {}).map(([name, option]) => [
      name,
      option.read(texts(name), complainAtFlag(name)),
    ]),
  );
  const { args, many, lists, absent } = await readArguments(shape, collected, context, problems);

  const chosen = Object.entries(command.instead ?? {}).find(([name]) => texts(name)?.at(-1) === 'true');
  const endpoint = chosen?.[1] ?? command.endpoint;
  const judged = endpoint
    ? await readInputs(endpoint, command, shape, collected, context, { problems, args, lists, options })
    : NOTHING;

  const invocation: Invocation = {
    args,
    options,
    input: judged.inputs[0],
    inputs: judged.inputs,
    many,
    all: texts('all')?.at(-1) === 'true',
    dryRun: texts('dryRun')?.at(-1) === 'true',
    resolved: collected.resolved ?? NO_NAMES,
    output,
    globals,
  };
  const { doubts, missing, wanted } = judged;
  return {
    invocation,
    endpoint,
    warnings: [...deprecations(command, endpoint, shape, collected), ...judged.warnings],
    ...{ problems, doubts, missing, wanted, absent },
    unsure: hasUnknownOption(collected),
    said: `sonde ${command.name}`,
  };
}

interface Judged {
  readonly inputs: readonly InputOf<Endpoint>[];
  readonly warnings: readonly string[];
  /** What earns a warning by itself, and is told among the problems where there are any. */
  readonly doubts: readonly Problem[];
  readonly missing: readonly Field[];
  readonly wanted: readonly Field[];
}

const NOTHING: Judged = { inputs: [], warnings: [], doubts: [], missing: [], wanted: [] };

interface Gathered {
  readonly problems: Problem[];
  readonly args: ReadArguments['args'];
  readonly lists: ReadArguments['lists'];
  readonly options: Readonly<Record<string, unknown>>;
}

async function readInputs(
  endpoint: Endpoint,
  command: Command,
  shape: Shape,
  collected: Collected,
  context: ParseContext,
  { problems, args, lists, options }: Gathered,
): Promise<Judged> {
  const places = trackPlaces();
  const warnings = new Set<string>();
  const doubts: Problem[] = [];
  const query = readQuery(endpoint, shape, collected, context, places, problems);
  const given = endpoint.body
    ? await readBody({ schema: endpoint.body, command, shape, collected, context, places, problems })
    : undefined;
  if (given === 'unreadable') return NOTHING;
  const source = {
    args,
    options,
    complain: (problem: Problem) => problems.push(problem),
    warn: (sentence: string) => warnings.add(sentence),
    note: (path: Path, place: string) => places.note('body', path, place),
  };
  const body = given && command.makeBody ? command.makeBody(given, source) : given;

  const params = paramsOf(endpoint, shape, args, lists);
  const inputs = params.map((each): RequestParts => ({ params: each, query, body }));
  const before = problems.length;
  let missing: readonly Field[] = [];
  let wanted: readonly Field[] = [];
  const seen = new Set<string>();
  for (const parts of inputs) {
    for (const [name, value] of Object.entries(parts.params)) {
      const place = placeOfParam(shape, name);
      places.note('path', [name], place);
      // They would address something else.
      if (value === '') problems.push({ place, message: 'must not be empty' });
      if (value === '.' || value === '..')
        problems.push({ place, message: `must not be "${value}": it would change the path of the request` });
    }
    const judgement = judge(endpoint, parts, { fields: shape.fields, places, now: context.now });
    // Query and body are the same for every id: their problems are told once. So is a missing id, by readArguments.
    for (const problem of judgement.problems) {
      const key = JSON.stringify(problem);
      if (seen.has(key)) continue;
      seen.add(key);
      if (!(judgement.absences.has(problem) && problems.some(({ place }) => place === problem.place))) {
        problems.push(problem);
      }
    }
    for (const { place, message } of judgement.warnings) {
      const rule = message === REQUIRED_FLAG ? 'is required' : message;
      const doubt = { place, message: `${rule} (the service will probably reject this)` };
      if (warnings.has(phraseOf(doubt))) continue;
      warnings.add(phraseOf(doubt));
      doubts.push(doubt);
    }
    ({ missing, wanted } = judgement);
  }
  return {
    inputs:
      problems.length > before ? [] : inputs.map(({ params: ids, ...rest }) => toInput(endpoint, ids, rest)),
    warnings: [...warnings],
    doubts,
    missing,
    wanted,
  };
}

/** Only what the endpoint has is there. */
function toInput(
  endpoint: Endpoint,
  params: RequestParts['params'],
  { query, body }: Omit<RequestParts, 'params'>,
) {
  const input = {
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(Object.keys(query).length > 0 ? { query } : {}),
    ...(endpoint.body ? { body } : {}),
  };
  // The contract has judged it: from here on it has the endpoint's type.
  return input as InputOf<Endpoint>;
}

function readQuery(
  endpoint: Endpoint,
  shape: Shape,
  { texts }: Collected,
  { env }: ParseContext,
  places: Places,
  problems: Problem[],
): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const field of shape.fields) {
    const [name] = field.path;
    const given = texts.get(camel(field.flag));
    if (field.in !== 'query' || given === undefined || name === undefined) continue;
    const place = `--${field.flag}`;
    if (!endpoint.query.properties?.[name]) {
      problems.push({ place, message: `is not a parameter of ${endpoint.method} ${endpoint.path}` });
      continue;
    }
    query[name] = readField(field, given, {
      env,
      complain: (complaint) => problems.push({ place, ...complaint }),
    });
    places.note('query', [name], place);
  }
  return query;
}

/** What is deprecated in what was typed. */
function deprecations(
  command: Command,
  endpoint: Endpoint | undefined,
  shape: Shape,
  collected: Collected,
): readonly string[] {
  const instead = (what: string, use: string) => `${what} is deprecated${use ? `; use ${use} instead` : ''}`;
  const successor = successorOf(command, endpoint);
  const flags = shape.flags
    .filter(({ flag, option }) => option.deprecated !== undefined && collected.texts.has(camel(flag)))
    .map(({ flag, option, field }) =>
      instead(`--${flag}`, field ? `--${kebab(option.deprecated ?? '')}` : (option.deprecated ?? '')),
    );
  return [
    ...(command.deprecated === undefined ? [] : [instead(`sonde ${command.name}`, command.deprecated)]),
    ...(endpoint === undefined || successor === undefined
      ? []
      : [instead(`${endpoint.method} ${endpoint.path}`, successor)]),
    ...flags,
  ];
}
