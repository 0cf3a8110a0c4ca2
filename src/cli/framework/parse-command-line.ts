/** Parses a tokenized command line into the validated invocation that a command's `run` gets. Sends no request and never prompts. */
import { type Problem, UsageError } from '../../base/errors.ts';
import { formatProblem, helpHint, NEEDS_VALUE, REQUIRED_FLAG, usageError } from '../../base/phrases.ts';
import type { Endpoint, RequestParts } from '../../contract/index.ts';
import { resolveOutput } from '../../terminal/index.ts';
import { labelOfParam, NO_NAMES, type ParsedArguments, paramsOf, readArguments } from './arguments.ts';
import { type CommandSpec, globalOptions, outputOptions, successorOf } from './command-spec.ts';
import type { ReportProblem } from './options.ts';
import { parseFlagValues } from './parse-flag-values.ts';
import { hasUnknownFlag, type TokenizedLine } from './program.ts';
import { type GivenBody, type ParseContext, readRequestBody } from './read-request-body.ts';
import { camelCase, type FieldPath, kebabCase, type RequestField } from './request-fields.ts';
import type { Command, InputOf, Invocation, Options, OptionValues } from './types.ts';
import { trackValueSources, type ValueSources, validateInput } from './validate-input.ts';

/** A line without problems. */
export interface ParsedLine {
  readonly invocation: Invocation;
  /** The endpoint that the input is for. */
  readonly endpoint: Endpoint | undefined;
  /** Warnings for stderr: deprecated flags, and values that only our reading of the specification forbids. */
  readonly warnings: readonly string[];
}

/** A line with its problems. */
export interface ParseResult extends ParsedLine {
  readonly problems: readonly Problem[];
  /** Problems by our reading of the gaps in the specification only; they are also among the warnings. */
  readonly gapProblems: readonly Problem[];
  /** Missing required fields that have a flag, so that sonde can prompt for them. */
  readonly missing: readonly RequestField[];
  /** Like `missing`, but required only by our reading of the gaps. */
  readonly missingByGaps: readonly RequestField[];
  readonly missingArguments: ParsedArguments['missing'];
  /** The command as hints name it: `sonde checks run`. */
  readonly commandName: string;
  /** Whether a word may be the value of an unknown flag instead of an argument; problems of arguments may then be wrong. */
  readonly hasUnknownFlag: boolean;
}

/** Returns whether all problems are missing values that sonde can prompt for. */
export function isOnlyIncomplete({ problems, missing, missingArguments }: ParseResult): boolean {
  const open = new Set([
    ...missing.map(({ flag }) => `--${flag}`),
    ...missingArguments.map(({ place }) => place),
  ]);
  return open.size > 0 && problems.every(({ place }) => open.has(place));
}

/**
 * Returns the parsed line if it has no problems.
 *
 * @throws UsageError with every problem at once
 */
export function requireValid(result: ParseResult): ParsedLine {
  const { problems, gapProblems, missing, commandName } = result;
  if (problems.length === 0) return result;
  const lacksValue = problems.some(({ message }) => message === NEEDS_VALUE);
  if (missing.length > 0 && missing.length === problems.length && !lacksValue) {
    const [flags, them] = problems.length > 1 ? ['flags', 'them'] : ['flag', 'it'];
    throw new UsageError(`required ${flags}: ${problems.map(({ place }) => place).join(', ')}`, {
      details: problems,
      hint: `pass ${them}, or pass a file with -f; to print an example file, run: ${commandName} --example\n${helpHint(commandName)}`,
    });
  }
  const certain = problems.filter(({ place }) => !result.hasUnknownFlag || !place.startsWith('<'));
  throw usageError([...certain, ...gapProblems], commandName);
}

/** Parses a tokenized line and collects all problems. Throws UsageError for files that cannot be read. */
export async function parseCommandLine(
  command: Command,
  spec: CommandSpec,
  line: TokenizedLine,
  context: ParseContext,
): Promise<ParseResult> {
  const problems: Problem[] = [...line.problems];
  const texts = (name: string) => line.texts.get(name);
  const reportAtFlag =
    (name: string): ReportProblem =>
    (problem) =>
      problems.push({ place: `--${kebabCase(name)}`, ...problem });

  const readOptions = <O extends Options>(options: O): OptionValues<O> =>
    Object.fromEntries(
      Object.entries(options).map(([name, option]) => [name, option.read(texts(name), reportAtFlag(name))]),
    ) as OptionValues<O>;
  const globals = readOptions(globalOptions);
  const output = await resolveOutput(readOptions(outputOptions), command.formats, context.env).catch(
    (error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      problems.push(
        ...(error.details.length > 0 ? error.details : [{ place: '--output', message: error.message }]),
      );
      return { utc: false };
    },
  );
  const options = readOptions(command.options ?? {});
  const parsedArguments = await readArguments(spec, line, context, problems);

  const chosen = Object.entries(command.instead ?? {}).find(([name]) => texts(name)?.at(-1) === 'true');
  const endpoint = chosen?.[1] ?? command.endpoint;
  const validated = endpoint
    ? await readInputs(endpoint, command, spec, line, context, { ...parsedArguments, problems, options })
    : NO_INPUTS;

  const invocation: Invocation = {
    args: parsedArguments.args,
    options,
    input: validated.inputs[0],
    inputs: validated.inputs,
    responseOnly: validated.responseOnly,
    many: parsedArguments.many,
    all: texts('all')?.at(-1) === 'true',
    dryRun: texts('dryRun')?.at(-1) === 'true',
    resolved: line.resolved ?? NO_NAMES,
    output,
    globals,
  };
  return {
    invocation,
    endpoint,
    warnings: [...deprecations(command, endpoint, spec, line), ...validated.warnings],
    problems,
    gapProblems: validated.gapProblems,
    missing: validated.missing,
    missingByGaps: validated.missingByGaps,
    missingArguments: parsedArguments.missing,
    hasUnknownFlag: hasUnknownFlag(line),
    commandName: `sonde ${command.name}`,
  };
}

interface ValidatedInputs
  extends Pick<ParseResult, 'warnings' | 'gapProblems' | 'missing' | 'missingByGaps'>,
    Pick<Invocation, 'inputs' | 'responseOnly'> {}

const NO_INPUTS: ValidatedInputs = {
  inputs: [],
  responseOnly: {},
  warnings: [],
  gapProblems: [],
  missing: [],
  missingByGaps: [],
};

interface ParseState extends Pick<ParsedArguments, 'args' | 'lists'> {
  readonly problems: Problem[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** A printed check or group lists all its subscriptions, so that the new one gets no others. */
function subscriptionsOfPrinted({ method, query }: Endpoint, given: GivenBody | undefined) {
  const isPrinted =
    given?.responseOnly.id !== undefined && Array.isArray(given.values.alertChannelSubscriptions);
  return isPrinted && method === 'POST' && query.properties?.autoAssignAlerts
    ? { autoAssignAlerts: false }
    : {};
}

async function readInputs(
  endpoint: Endpoint,
  command: Command,
  spec: CommandSpec,
  line: TokenizedLine,
  context: ParseContext,
  { problems, args, lists, options }: ParseState,
): Promise<ValidatedInputs> {
  const sources = trackValueSources();
  const warnings = new Set<string>();
  const gapProblems: Problem[] = [];
  const written = readQuery(endpoint, spec, line, context, sources, problems);
  const warn = (sentence: string) => warnings.add(sentence);
  const given = endpoint.body
    ? await readRequestBody({
        ...{ endpoint, schema: endpoint.body, command, spec, line, context, sources, problems, warn },
      })
    : undefined;
  if (given === 'unreadable') return NO_INPUTS;
  const values = given?.values;
  const responseOnly = given?.responseOnly ?? {};
  const query = { ...subscriptionsOfPrinted(endpoint, given), ...written };
  const bodySource = {
    args,
    options,
    reportProblem: (problem: Problem) => problems.push(problem),
    warn,
    responseOnly,
    placeOf: (path: FieldPath) => sources.find('body', path),
    recordSource: (path: FieldPath, place: string) => sources.record('body', path, place),
  };
  const body = values && command.makeBody ? command.makeBody(values, bodySource) : values;

  const params = paramsOf(endpoint, spec, args, lists);
  const inputs = params.map((each): RequestParts => ({ params: each, query, body }));
  const problemsBefore = problems.length;
  let missing: readonly RequestField[] = [];
  let missingByGaps: readonly RequestField[] = [];
  const seen = new Set<string>();
  for (const parts of inputs) {
    for (const [name, value] of Object.entries(parts.params)) {
      const place = labelOfParam(spec, name);
      sources.record('path', [name], place);
      // These values would address another resource.
      if (value === '') problems.push({ place, message: 'must not be empty' });
      if (value === '.' || value === '..')
        problems.push({ place, message: `must not be "${value}": it would change the path of the request` });
    }
    const result = validateInput(endpoint, parts, { fields: spec.fields, sources, now: context.now });
    // Query and body are the same for every ID, so each of their problems is reported once.
    for (const problem of result.problems) {
      const key = JSON.stringify(problem);
      if (seen.has(key)) continue;
      seen.add(key);
      if (!(result.requiredProblems.has(problem) && problems.some(({ place }) => place === problem.place))) {
        problems.push(problem);
      }
    }
    for (const { place, message } of result.warnings) {
      const rule = message === REQUIRED_FLAG ? 'is required' : message;
      const problem = { place, message: `${rule} (the service will probably reject this)` };
      if (warnings.has(formatProblem(problem))) continue;
      warnings.add(formatProblem(problem));
      gapProblems.push(problem);
    }
    ({ missing, missingByGaps } = result);
  }
  return {
    responseOnly,
    inputs:
      problems.length > problemsBefore
        ? []
        : inputs.map(({ params: ids, ...rest }) => toInput(endpoint, ids, rest)),
    warnings: [...warnings],
    gapProblems,
    missing,
    missingByGaps,
  };
}

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
  // The contract validated it, so it has the endpoint's type.
  return input as InputOf<Endpoint>;
}

function readQuery(
  endpoint: Endpoint,
  spec: CommandSpec,
  { texts }: TokenizedLine,
  { env }: ParseContext,
  sources: ValueSources,
  problems: Problem[],
): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const field of spec.fields) {
    const [name] = field.path;
    const fieldTexts = texts.get(camelCase(field.flag));
    if (field.in !== 'query' || fieldTexts === undefined || name === undefined) continue;
    const place = `--${field.flag}`;
    if (!endpoint.query.properties?.[name]) {
      problems.push({ place, message: `is not a parameter of ${endpoint.method} ${endpoint.path}` });
      continue;
    }
    query[name] = parseFlagValues(field, fieldTexts, {
      env,
      reportProblem: (problem) => problems.push({ place, ...problem }),
    });
    sources.record('query', [name], place);
  }
  return query;
}

function deprecations(
  command: Command,
  endpoint: Endpoint | undefined,
  spec: CommandSpec,
  line: TokenizedLine,
): readonly string[] {
  const warning = (name: string, successor: string) =>
    `${name} is deprecated${successor ? `; use ${successor} instead` : ''}`;
  const successor = successorOf(command, endpoint);
  const flags = spec.flags
    .filter(({ flag, option }) => option.deprecated !== undefined && line.texts.has(camelCase(flag)))
    .map(({ flag, option, field }) =>
      warning(`--${flag}`, field ? `--${kebabCase(option.deprecated ?? '')}` : (option.deprecated ?? '')),
    );
  return [
    ...(command.deprecated === undefined ? [] : [warning(`sonde ${command.name}`, command.deprecated)]),
    ...(endpoint === undefined || successor === undefined
      ? []
      : [warning(`${endpoint.method} ${endpoint.path}`, successor)]),
    ...flags,
  ];
}
