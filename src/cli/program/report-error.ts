/** Prints errors and maps them to exit codes. No other file prints errors. */
import { type ApiError, type Problem, SondeError } from '../../base/errors.ts';
import { EXIT } from '../../base/exits.ts';
import { withoutOwnFrames } from '../../base/own-frames.ts';
import { formatProblem, formatSuggestion, REQUIRED_FLAG } from '../../base/phrases.ts';
import { createKeyRedactor } from '../../client/redact.ts';
import { createTerminal, sanitizeBlock, sanitizeLine, type Terminal, toJson } from '../../terminal/index.ts';
import type { TokenizedLine } from '../framework/program.ts';
import type { Host } from '../framework/types.ts';
import type { BugContext, BugReport } from './lazy/bug-report.ts';

/** Returns whether the line has a switch. */
export const isFlagSet = ({ texts }: TokenizedLine, name: string): boolean =>
  texts.get(name)?.at(-1) === 'true';
const isFlagNegated = ({ texts }: TokenizedLine, name: string): boolean =>
  texts.get(name)?.at(-1) === 'false';

/** Returns stdin for prompts. If it is not a terminal, it is opened on first use only, because that takes milliseconds. */
function lazyStdin(host: Host): Host['stdin'] {
  if (host.stdinIsTTY) return host.stdin;
  return new Proxy({} as Host['stdin'], {
    get(_, key) {
      if (key === 'isTTY') return false;
      const value: unknown = Reflect.get(host.stdin, key);
      return typeof value === 'function' ? value.bind(host.stdin) : value;
    },
  });
}

/** A shorter key is not a secret and occurs in many words. */
const MIN_KEY_LENGTH = 8;

function createKeyRemover({ usedKeys, env }: Host, minLength: number): (text: string) => string {
  const removers = new Map<string, (text: string) => string>();
  const removerOf = (key: string) => {
    const remover = removers.get(key) ?? createKeyRedactor(key);
    removers.set(key, remover);
    return remover;
  };
  return (text) =>
    [...usedKeys, env.SONDE_API_KEY ?? '']
      .filter((key) => key.length >= minLength)
      .reduce((shown, key) => removerOf(key)(shown), text);
}

/** Opens the terminal as the flags configure it, even if the rest of the line is invalid. */
export function openTerminal(host: Host, line: TokenizedLine): Terminal {
  const { stdout, stderr, env, clock, onLeave, runBlocking } = host;
  const flags = {
    color: !isFlagNegated(line, 'color'),
    input: !isFlagNegated(line, 'input'),
    quiet: isFlagSet(line, 'quiet'),
    plain: isFlagSet(line, 'plain'),
  };
  const hide = createKeyRemover(host, MIN_KEY_LENGTH);
  return createTerminal({
    stdin: lazyStdin(host),
    stdout,
    stderr,
    env,
    clock,
    flags,
    onSuspend: onLeave,
    blocking: runBlocking,
    hide,
  });
}

/** Returns whether to print errors as JSON: with JSON output, and with `--jq` unless stderr is a terminal. */
function wantsJsonErrors(line: TokenizedLine, { stderrIsTTY }: Terminal): boolean {
  const format = line.texts.get('output')?.at(-1);
  if (isFlagSet(line, 'json') || format === 'json' || format === 'jsonl') return true;
  return line.texts.has('jq') && !stderrIsTTY;
}

/** Recognizes errors by their properties too, because a lazy-loaded bundle has its own copies of the classes. */
export function isSondeError(error: unknown): error is SondeError {
  if (error instanceof SondeError) return true;
  return (
    error instanceof Error &&
    typeof (error as Partial<SondeError>).kind === 'string' &&
    typeof (error as Partial<SondeError>).exitCode === 'number'
  );
}

/** The command line that failed. */
export interface FailureContext {
  readonly line: TokenizedLine;
  /** The command's name; empty if the line names none. */
  readonly command: string;
  readonly host: Host;
}

/** Prints an error in the format that the line selects, and returns the exit code. */
export async function reportError(
  error: unknown,
  terminal: Terminal,
  context: FailureContext,
): Promise<number> {
  const { line } = context;
  if (!isSondeError(error)) {
    const unreadable = await findUnreadableAnswer(context.host);
    if (unreadable) return reportError(unreadable, terminal, context);
    await printBug(error, terminal, context);
    return EXIT.bug;
  }
  // The plan or the job says the same, and it is no error of sonde.
  if (error.kind === 'changes-pending' || error.kind === 'job') return error.exitCode;
  if (wantsJsonErrors(line, terminal)) {
    // A verdict is a result: its sessions are on stdout, and a program needs nothing more.
    if (error.kind !== 'verdict') await terminal.err(`${toJson({ error: errorFields(error) })}\n`);
    return error.exitCode;
  }
  await printError(error, terminal, isFlagSet(line, 'trace'));
  return error.exitCode;
}

/** Returns the error of a response that does not match the API, if any. Never rejects, because the bug report must follow. */
async function findUnreadableAnswer({ answers }: Host): Promise<SondeError | undefined> {
  if (answers.length === 0) return undefined;
  return import('./lazy/bug-report.ts')
    .then(({ unreadableAnswer }) => unreadableAnswer(answers))
    .catch(() => undefined);
}

const formatSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const MAX_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 600;

/** Prints the message, the details and the hint of an error. */
export async function printError(error: SondeError, terminal: Terminal, isTraced: boolean): Promise<void> {
  // A user who cancels or declines made no error.
  if (error.kind === 'cancelled' || error.kind === 'declined')
    await terminal.lines(formatSentence(error.message));
  else await terminal.error(error.message);
  const styles = await terminal.styles('stderr');
  const problems = problemsToList(error);
  const maxProblems = terminal.stderrIsTTY ? MAX_PROBLEMS : problems.length;
  for (const problem of problems.slice(0, maxProblems)) {
    const place = sanitizeLine(problem.place);
    const text = formatDetail(problem);
    const shown =
      terminal.stderrIsTTY && text.length > MAX_PROBLEM_LENGTH
        ? `${text.slice(0, MAX_PROBLEM_LENGTH)}…`
        : text;
    const bold = (rows: string): string => rows.replace(place, () => styles.bold(place));
    await terminal.lines(shown, place === '' ? undefined : bold, '  ', '    ');
    if (problem.excerpt) await terminal.lines(problem.excerpt, undefined, '    ');
  }
  if (problems.length === 0)
    for (const { excerpt } of error.details) if (excerpt) await terminal.lines(excerpt, undefined, '    ');
  const hidden = problems.length - maxProblems;
  if (hidden > 0) await terminal.lines(`and ${hidden} more; --json lists all`, styles.dim, '  ');
  const response = formatResponse(error);
  if (response) await terminal.lines(response, styles.dim, '', '  ');
  if (error.hint) await terminal.lines(error.hint, undefined, '', '  ');
  if (!isTraced && isTraceUseful(error))
    await terminal.lines(
      'To see the requests and responses, run the command again with --trace.',
      styles.dim,
      '',
      '  ',
    );
}

/** Formats the response of an error, `GET /v1/x: 502 Bad Gateway, request id r-1`, without the parts in the message. */
function formatResponse(error: SondeError): string | undefined {
  const { status, statusText, endpoint, requestId } = error as Partial<ApiError>;
  if (status === undefined || endpoint === undefined) return undefined;
  const isInMessage = new RegExp(`\\b${status}\\b`).test(error.message);
  const statusLine = isInMessage ? undefined : sanitizeLine(`${status} ${statusText ?? ''}`.trim());
  const id = requestId === undefined ? undefined : `request id ${sanitizeLine(requestId)}`;
  const details = [statusLine, id].filter((part) => part !== undefined).join(', ');
  return details === '' ? endpoint : `${endpoint}: ${details}`;
}

/** Returns whether the response may explain the error: not if the API gave its reasons, or there was no response. */
function isTraceUseful(error: SondeError): boolean {
  const { status, fromApi } = error as Partial<ApiError>;
  if (status === undefined) return false;
  return error.kind === 'network' || status >= 500 || fromApi === false;
}

/** Returns the problems that the message does not contain. */
function problemsToList({ details, message }: SondeError): readonly Problem[] {
  const [only] = details;
  if (!only) return details;
  if (details.length > 1) {
    const areInMessage = details.every(
      (each) =>
        each.nearest === undefined &&
        message.includes(each.message === REQUIRED_FLAG ? each.place : formatProblem(each)),
    );
    return areInMessage ? [] : details;
  }
  return message.includes(only.message) || (only.place !== '' && message.includes(only.place)) ? [] : details;
}

const MAX_ALLOWED = 12;

function formatDetail({ place, message, nearest, allowed = [] }: Problem): string {
  const isNamed = nearest !== undefined || allowed.every((one) => message.includes(one));
  const values =
    isNamed || allowed.length > MAX_ALLOWED ? '' : `; allowed: ${allowed.map(sanitizeLine).join(', ')}`;
  const near = nearest === undefined ? '' : formatSuggestion(sanitizeLine(nearest));
  return `${formatProblem({ place: sanitizeLine(place), message: sanitizeLine(message) })}${values}${near}`;
}

function errorFields(error: SondeError): Record<string, unknown> {
  const { kind, message, status = null, endpoint = null, requestId = null } = error as Partial<ApiError>;
  return {
    kind,
    message,
    status,
    endpoint,
    requestId,
    // A program uses the line and column instead of the excerpt.
    details: error.details.map(({ excerpt: _, ...problem }) => problem),
    hint: error.hint ?? null,
  };
}

/** Prints a bug in one line, with the path of its report; or the whole report if it could not be written. */
async function printBug(
  error: unknown,
  terminal: Terminal,
  { line, command, host }: FailureContext,
): Promise<void> {
  const {
    message: summary,
    text,
    path,
  } = await createBugReport(error, {
    host,
    command,
    // Users send the report to others, so it contains no key of any length.
    hide: createKeyRemover(host, 1),
    flags: [...line.texts.keys()],
    values: [...line.texts.values(), ...line.arguments].flatMap((typed) => typed ?? []),
  });
  const attachment =
    path === undefined
      ? 'and include the lines above'
      : `and attach ${path}: the file contains no keys or values`;
  const hint = `Report it as described in README.md, ${attachment}.`;
  const message = `bug in sonde ${host.version}: ${summary}`;
  if (wantsJsonErrors(line, terminal)) {
    const fields = { kind: 'bug', message, status: null, endpoint: null, requestId: null, details: [], hint };
    const report = path === undefined ? { report: null, stack: withoutOwnFrames(text) } : { report: path };
    return terminal.err(`${toJson({ error: { ...fields, ...report } })}\n`);
  }
  await terminal.error(message);
  if (path === undefined) await terminal.err(withoutOwnFrames(text));
  await terminal.lines(hint, undefined, '', '  ');
}

/** Returns the bug report; or a report without a file if its module cannot be loaded. */
async function createBugReport(error: unknown, context: BugContext): Promise<BugReport> {
  try {
    const { writeBugReport } = await import('./lazy/bug-report.ts');
    return await writeBugReport(error, context);
  } catch {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const text = context.hide(stack);
    return {
      message: sanitizeLine(text.split('\n')[0] ?? ''),
      text: `${sanitizeBlock(text)}\n`,
      path: undefined,
    };
  }
}
