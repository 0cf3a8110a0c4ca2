/**
 * Reports errors of the agent to a configured URL (specification, release behaviour). A report contains only constant
 * texts and code positions, so it cannot reveal a check, its target, the environment or a key.
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import pino, { type Logger, type LoggerOptions } from 'pino';
import type { Clock } from '../base/clock.ts';
import { cutLogFields, serializeError } from '../base/serialize-error.ts';
import type { LogLevel } from './agent-settings.ts';

/** JSON report of an error. */
export interface ErrorEvent {
  /** The constant log message and the kind of the error. */
  readonly message: string;
  /** Functions, file names without path, and lines. */
  readonly stack: readonly string[];
  readonly agentVersion: string;
  readonly platform: string;
  /** Node's version. */
  readonly runtime: string;
}

/** Platform of the agent. */
export interface Machine {
  readonly platform: string;
  readonly nodeVersion: string;
}

export interface ObserverOptions {
  /** URL that receives events; undefined: none. */
  readonly url: string | undefined;
  readonly clock: Clock;
  readonly version: string;
  readonly machine: Machine;
}

export type Observer = (message: string, error: unknown) => void;

/** Rate limit, because a repeated error brings no new information. */
const MAX_PER_MINUTE = 10;
const TIMEOUT_MS = 5000;
const MAX_FRAMES = 20;

/** Creates a function that reports errors without waiting and ignores failures. `message` must be a constant. */
export function createObserver({ url, clock, version, machine }: ObserverOptions): Observer {
  if (url === undefined) return () => {};
  let minute = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (message, error) => {
    const now = clock.monotonic();
    if (now - minute >= 60_000) {
      minute = now;
      count = 0;
    }
    count += 1;
    if (count > MAX_PER_MINUTE) return;
    post(url, {
      message: `${message}: ${describeKind(error)}`,
      stack: parseFrames(error),
      agentVersion: version,
      platform: machine.platform,
      runtime: `Node ${machine.nodeVersion}`,
    });
  };
}

/** Returns the class and the system code of an error, never its message, which may contain anything. */
function describeKind(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code, name } = error as NodeJS.ErrnoException;
  const plain = /^[A-Za-z_$][\w$]{0,60}$/.test(name) ? name : 'Error';
  return typeof code === 'string' && /^[A-Z][A-Z\d_]{1,60}$/.test(code) ? `${plain} ${code}` : plain;
}

/** Parses the frames of a stack without paths. Skips the message, which may look like a frame. */
function parseFrames(error: unknown): string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
  const { stack, message } = error;
  const at = stack.indexOf(message);
  const below = message !== '' && at >= 0 ? stack.slice(at + message.length) : stack;
  return below
    .split('\n')
    .flatMap((line) => {
      const [, name, file, row, column] =
        /^\s+at (?:async )?(?:([\w$.<>[\] ]{1,80}) \()?(?:.*[/\\])?([\w.-]{1,60}):(\d+):(\d+)\)?$/.exec(
          line,
        ) ?? [];
      return file === undefined ? [] : [`${name ?? '<anonymous>'} ${file}:${row}:${column}`];
    })
    .slice(0, MAX_FRAMES);
}

function post(url: string, event: ErrorEvent): void {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const headers = { 'content-type': 'application/json' };
  // Redirects are not followed: nothing goes to another host.
  const request = send(url, { method: 'POST', headers, timeout: TIMEOUT_MS, agent: false }, (answer) =>
    answer.resume(),
  );
  request.on('timeout', () => request.destroy());
  request.on('error', () => {});
  // A pending report must not keep the process alive.
  request.on('socket', (socket) => socket.unref());
  request.end(JSON.stringify(event));
}

export interface AgentLogOptions {
  readonly level: LogLevel;
  readonly write: (line: string) => void;
  readonly pid: number;
  readonly observe: Observer;
}

const ERROR_LEVEL = 50;

export function createAgentLog({ level, write, pid, observe }: AgentLogOptions): Logger {
  // pino does not call hooks of a disabled level, so silent mode logs errors to nowhere.
  const isSilent = level === 'silent';
  return pino(
    {
      level: isSilent ? 'error' : level,
      base: { pid },
      serializers: { err: serializeError },
      formatters: { log: cutLogFields },
      hooks: { logMethod: createLogHook(observe) },
    },
    { write: isSilent ? () => {} : write },
  );
}

/** Reports logged errors with their constant message and the error only, never with other fields. */
function createLogHook(observe: Observer): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  return function (args, write, level) {
    const [fields, message] = args as [unknown, unknown];
    if (level >= ERROR_LEVEL && typeof message === 'string')
      observe(message, (fields as { err?: unknown } | undefined)?.err);
    write.apply(this, args);
  };
}
