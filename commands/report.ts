/** Where errors become messages and exit codes: the one place that prints them. */
import { type Problem, SondeError } from '../src/base/errors.ts';
import { EXIT } from '../src/base/exits.ts';
import { didYouMean } from '../src/base/meant.ts';
import { keyRemover } from '../src/client/redact.ts';
import { createTerminal, sanitizeLine, type Terminal, toJson } from '../src/terminal/index.ts';
import type { Collected } from './kernel/collect.ts';
import type { Host } from './kernel/types.ts';

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

/** Takes the keys that were put to use out of a text, whoever it came from. */
function keyHider({ usedKeys, env }: Host): (text: string) => string {
  const removers = new Map<string, (text: string) => string>();
  const removerOf = (key: string) => {
    const remover = removers.get(key) ?? keyRemover(key);
    removers.set(key, remover);
    return remover;
  };
  return (text) =>
    [...usedKeys, env.SONDE_API_KEY ?? '']
      .filter((key) => key.length >= SHORTEST_KEY)
      .reduce((shown, key) => removerOf(key)(shown), text);
}

/** The terminal as the flags want it, also where the rest of the line cannot be understood. */
export function openTerminal(host: Host, line: Collected): Terminal {
  const { stdout, stderr, env, clock, onLeave } = host;
  const flags = {
    color: !isRefused(line, 'color'),
    input: !isRefused(line, 'input'),
    quiet: isGiven(line, 'quiet'),
    plain: isGiven(line, 'plain'),
  };
  const hide = keyHider(host);
  return createTerminal({ stdin: stdinOf(host), stdout, stderr, env, clock, flags, onLeave, hide });
}

/** Who reads results as JSON reads errors as JSON. */
export function wantsJsonErrors(line: Collected): boolean {
  const format = line.texts.get('output')?.at(-1);
  return isGiven(line, 'json') || line.texts.has('jq') || format === 'json' || format === 'jsonl';
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

/** Says what went wrong, and gives the exit code. */
export async function tell(error: unknown, terminal: Terminal, asJson: boolean, host: Host): Promise<number> {
  if (!isSondeError(error)) {
    await tellBug(error, terminal, asJson, host);
    return EXIT.bug;
  }
  if (asJson) {
    // A verdict is a result: its sessions are on stdout, and there is nothing to add for a program.
    if (error.kind !== 'verdict') await terminal.err(`${toJson({ error: fieldsOf(error) })}\n`);
    return error.exitCode;
  }
  await terminal.error(error.message);
  const styles = await terminal.styles('stderr');
  for (const problem of listed(error)) {
    const place = sanitizeLine(problem.place);
    await terminal.lines(problemText(problem), (text) => text.replace(place, () => styles.bold(place)), '  ');
  }
  if (error.hint) await terminal.lines(error.hint, styles.dim);
  return error.exitCode;
}

/** Problems that the message says already aren't said again. */
function listed({ details, message }: SondeError): readonly Problem[] {
  const [only] = details;
  if (!only) return details;
  if (details.length > 1) {
    const isTold = details.every(
      (each) => each.nearest === undefined && message.includes(`${each.place} ${each.message}`),
    );
    return isTold ? [] : details;
  }
  return message.includes(only.message) || message.includes(only.place) ? [] : details;
}

function problemText({ place, message, nearest }: Problem): string {
  const near = nearest === undefined ? '' : `; ${didYouMean(sanitizeLine(nearest))}`;
  return `${sanitizeLine(place)} ${sanitizeLine(message)}${near}`;
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
    details: error.details,
    hint: error.hint ?? null,
  };
}

/** A fault of our own: what is needed to find it, without what could be a key. */
async function tellBug(error: unknown, terminal: Terminal, asJson: boolean, host: Host): Promise<void> {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const keys = [...host.usedKeys, host.env.SONDE_API_KEY ?? ''];
  const shown = keys.reduce(
    (text, key) => keyRemover(key)(text),
    stack.replace(/Bearer\s+\S+/gi, 'Bearer ***'),
  );
  const message = shown.split('\n')[0] ?? '';
  const hint = `this is a bug in sonde ${host.version} (${host.platform}, Node ${host.nodeVersion}): please report it as README.md says, with the lines above`;
  if (asJson) {
    const object = { kind: 'bug', message, status: null, endpoint: null, requestId: null, details: [], hint };
    return terminal.err(`${toJson({ error: object })}\n`);
  }
  await terminal.error(shown);
  await terminal.err(`${hint}\n`);
}
