/** Where errors become messages and exit codes: the one place that prints them. */
import { type ApiError, type Problem, SondeError } from '../../base/errors.ts';
import { EXIT } from '../../base/exits.ts';
import { nearText, phraseOf, REQUIRED_FLAG } from '../../base/phrases.ts';
import { keyRemover } from '../../client/redact.ts';
import { createTerminal, sanitizeBlock, sanitizeLine, type Terminal, toJson } from '../../terminal/index.ts';
import type { Collected } from '../framework/tokenize-argv.ts';
import type { Host } from '../framework/types.ts';
import type { BugReport, Circumstances } from './lazy/bug-report.ts';

/** Whether a switch was given. */
export const isGiven = ({ texts }: Collected, name: string): boolean => texts.get(name)?.at(-1) === 'true';
const isRefused = ({ texts }: Collected, name: string): boolean => texts.get(name)?.at(-1) === 'false';

/** Stdin for those who ask a person. Where none is there it is opened on first use only: that takes milliseconds. */
function stdinOf(host: Host): Host['stdin'] {
  if (host.stdinIsTTY) return host.stdin;
  return new Proxy({} as Host['stdin'], {
    get(_, key) {
      if (key === 'isTTY') return false;
      const value: unknown = Reflect.get(host.stdin, key);
      return typeof value === 'function' ? value.bind(host.stdin) : value;
    },
  });
}

/** What is shorter is no secret, and stands in many words. */
const SHORTEST_KEY = 8;

/** Takes the keys that were put to use out of a text, whoever it came from. `shortest`: how many characters make a key. */
function keyHider({ usedKeys, env }: Host, shortest: number): (text: string) => string {
  const removers = new Map<string, (text: string) => string>();
  const removerOf = (key: string) => {
    const remover = removers.get(key) ?? keyRemover(key);
    removers.set(key, remover);
    return remover;
  };
  return (text) =>
    [...usedKeys, env.SONDE_API_KEY ?? '']
      .filter((key) => key.length >= shortest)
      .reduce((shown, key) => removerOf(key)(shown), text);
}

/** The terminal as the flags want it, also where the rest of the line cannot be understood. */
export function openTerminal(host: Host, line: Collected): Terminal {
  const { stdout, stderr, env, clock, onLeave, blocking } = host;
  const flags = {
    color: !isRefused(line, 'color'),
    input: !isRefused(line, 'input'),
    quiet: isGiven(line, 'quiet'),
    plain: isGiven(line, 'plain'),
  };
  const hide = keyHider(host, SHORTEST_KEY);
  return createTerminal({
    stdin: stdinOf(host),
    stdout,
    stderr,
    env,
    clock,
    flags,
    onSuspend: onLeave,
    blocking,
    hide,
  });
}

/** Who reads results as JSON reads errors as JSON; what `--jq` makes is read by a person, too, where there is one. */
function wantsJsonErrors(line: Collected, { stderrIsTTY }: Terminal): boolean {
  const format = line.texts.get('output')?.at(-1);
  if (isGiven(line, 'json') || format === 'json' || format === 'jsonl') return true;
  return line.texts.has('jq') && !stderrIsTTY;
}

/** Errors of a bundle that was loaded late are of classes of its own: they are known by what they carry. */
function isSondeError(error: unknown): error is SondeError {
  if (error instanceof SondeError) return true;
  return (
    error instanceof Error &&
    typeof (error as Partial<SondeError>).kind === 'string' &&
    typeof (error as Partial<SondeError>).exitCode === 'number'
  );
}

/** Where it went wrong. */
export interface Scene {
  readonly line: Collected;
  /** The command's name; empty where the line named none. */
  readonly command: string;
  readonly host: Host;
}

/** Says what went wrong, as the line wants it, and gives the exit code. */
export async function tell(error: unknown, terminal: Terminal, scene: Scene): Promise<number> {
  const { line } = scene;
  if (!isSondeError(error)) {
    const unreadable = await unreadableIn(scene.host);
    if (unreadable) return tell(unreadable, terminal, scene);
    await tellBug(error, terminal, scene);
    return EXIT.bug;
  }
  if (wantsJsonErrors(line, terminal)) {
    // A verdict is a result: its sessions are on stdout, and there is nothing to add for a program.
    if (error.kind !== 'verdict') await terminal.err(`${toJson({ error: fieldsOf(error) })}\n`);
    return error.exitCode;
  }
  await tellPerson(error, terminal, isGiven(line, 'trace'));
  return error.exitCode;
}

/** The error for an answer that is not the API's, where there was one. Never fails: a report of the fault is to follow. */
async function unreadableIn({ answers }: Host): Promise<SondeError | undefined> {
  if (answers.length === 0) return undefined;
  const late = import('./lazy/unreadable-answer.ts');
  return late.then(({ unreadableAnswer }) => unreadableAnswer(answers)).catch(() => undefined);
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** So many problems are listed in a terminal, and so much of each. */
const MOST_PROBLEMS = 20;
const LONGEST_PROBLEM = 600;

/** What happened, what is wrong where, what answered, and what to do. */
async function tellPerson(error: SondeError, terminal: Terminal, isTraced: boolean): Promise<void> {
  // Whoever stopped it or said no made no mistake.
  if (error.kind === 'cancelled' || error.kind === 'declined') await terminal.lines(sentence(error.message));
  else await terminal.error(error.message);
  const styles = await terminal.styles('stderr');
  const problems = listed(error);
  const most = terminal.stderrIsTTY ? MOST_PROBLEMS : problems.length;
  for (const problem of problems.slice(0, most)) {
    const place = sanitizeLine(problem.place);
    const text = problemText(problem);
    const shown =
      terminal.stderrIsTTY && text.length > LONGEST_PROBLEM ? `${text.slice(0, LONGEST_PROBLEM)}…` : text;
    const bold = (rows: string): string => rows.replace(place, () => styles.bold(place));
    await terminal.lines(shown, place === '' ? undefined : bold, '  ', '    ');
    if (problem.excerpt) await terminal.lines(problem.excerpt, undefined, '    ');
  }
  if (problems.length === 0)
    for (const { excerpt } of error.details) if (excerpt) await terminal.lines(excerpt, undefined, '    ');
  const left = problems.length - most;
  if (left > 0) await terminal.lines(`and ${left} more; --json lists all`, styles.dim, '  ');
  const answer = answerText(error);
  if (answer) await terminal.lines(answer, styles.dim, '', '  ');
  if (error.hint) await terminal.lines(error.hint, undefined, '', '  ');
  if (!isTraced && traceHelps(error))
    await terminal.lines(
      'To see the requests and responses, run the command again with --trace.',
      styles.dim,
      '',
      '  ',
    );
}

/** `GET /v1/x: 502 Bad Gateway, request id r-1`, of an error that an answer brought; without what its message says. */
function answerText(error: SondeError): string | undefined {
  const { status, statusText, endpoint, requestId } = error as Partial<ApiError>;
  if (status === undefined || endpoint === undefined) return undefined;
  const isTold = new RegExp(`\\b${status}\\b`).test(error.message);
  const statusLine = isTold ? undefined : sanitizeLine(`${status} ${statusText ?? ''}`.trim());
  const id = requestId === undefined ? undefined : `request id ${sanitizeLine(requestId)}`;
  const told = [statusLine, id].filter((part) => part !== undefined).join(', ');
  return told === '' ? endpoint : `${endpoint}: ${told}`;
}

/** Whether what was answered is the riddle: not where the API itself gave its reasons, or nothing came back. */
function traceHelps(error: SondeError): boolean {
  const { status, fromApi } = error as Partial<ApiError>;
  if (status === undefined) return false;
  return error.kind === 'network' || status >= 500 || fromApi === false;
}

/** Problems that the message says already aren't said again. */
function listed({ details, message }: SondeError): readonly Problem[] {
  const [only] = details;
  if (!only) return details;
  if (details.length > 1) {
    const isTold = details.every(
      (each) =>
        each.nearest === undefined &&
        message.includes(each.message === REQUIRED_FLAG ? each.place : phraseOf(each)),
    );
    return isTold ? [] : details;
  }
  return message.includes(only.message) || (only.place !== '' && message.includes(only.place)) ? [] : details;
}

/** So many values are named that would be accepted, where the rule doesn't name them itself. */
const MOST_ALLOWED = 12;

function problemText({ place, message, nearest, allowed = [] }: Problem): string {
  const isNamed = nearest !== undefined || allowed.every((one) => message.includes(one));
  const values =
    isNamed || allowed.length > MOST_ALLOWED ? '' : `; allowed: ${allowed.map(sanitizeLine).join(', ')}`;
  const near = nearest === undefined ? '' : nearText(sanitizeLine(nearest));
  return `${phraseOf({ place: sanitizeLine(place), message: sanitizeLine(message) })}${values}${near}`;
}

/** What an error object on stderr holds; what isn't known is null. */
function fieldsOf(error: SondeError): Record<string, unknown> {
  const { status, endpoint, requestId } = error as {
    readonly status?: number | undefined;
    readonly endpoint?: string | undefined;
    readonly requestId?: string | undefined;
  };
  return {
    kind: error.kind,
    message: error.message,
    status: status ?? null,
    endpoint: endpoint ?? null,
    requestId: requestId ?? null,
    // The place is told in numbers: a picture of it is for people.
    details: error.details.map(({ excerpt: _, ...problem }) => problem),
    hint: error.hint ?? null,
  };
}

/** A fault of our own: one line, and where the file is that holds the rest; all of it where there is none. */
async function tellBug(error: unknown, terminal: Terminal, { line, command, host }: Scene): Promise<void> {
  const {
    message: fault,
    text,
    path,
  } = await reportOf(error, {
    ...{ host, command },
    // What is handed on to others shows no word that was a key.
    hide: keyHider(host, 1),
    flags: [...line.texts.keys()],
    values: [...line.texts.values(), ...line.arguments].flatMap((typed) => typed ?? []),
  });
  const where =
    path === undefined
      ? 'and include the lines above'
      : `and attach ${path}: the file contains no keys or values`;
  const hint = `Report it as described in README.md, ${where}.`;
  const message = `bug in sonde ${host.version}: ${fault}`;
  if (wantsJsonErrors(line, terminal)) {
    const stack = path === undefined ? { stack: text } : {};
    const nothing = { status: null, endpoint: null, requestId: null, details: [] };
    const object = { kind: 'bug', message, ...nothing, hint, report: path ?? null, ...stack };
    return terminal.err(`${toJson({ error: object })}\n`);
  }
  await terminal.error(message);
  if (path === undefined) await terminal.err(text);
  await terminal.lines(hint, undefined, '', '  ');
}

/** The report; where not even that can be loaded, what is known without. */
async function reportOf(error: unknown, circumstances: Circumstances): Promise<BugReport> {
  try {
    const { reportBug } = await import('./lazy/bug-report.ts');
    return await reportBug(error, circumstances);
  } catch {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const text = circumstances.hide(stack);
    return {
      message: sanitizeLine(text.split('\n')[0] ?? ''),
      text: `${sanitizeBlock(text)}\n`,
      path: undefined,
    };
  }
}
