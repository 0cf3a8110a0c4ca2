/**
 * External observability (specification, release behaviour): errors of the agent, told to an address that somebody configured.
 * Nothing of a check, its target, the environment or a key can be in it: a report is made of our own words and of places in code.
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../base/clock.ts';

/** What is sent of an error, as JSON. */
export interface ErrorEvent {
  /** What the agent was about to do, in words that stand in its code, and the kind of the error. */
  readonly message: string;
  /** Names of functions, files and lines; no more of a path than the file's name. */
  readonly stack: readonly string[];
  readonly agentVersion: string;
  readonly platform: string;
  /** Node's version. */
  readonly runtime: string;
}

/** What the agent runs on. */
export interface Machine {
  readonly platform: string;
  readonly nodeVersion: string;
}

export interface ObserverOptions {
  /** Where events go; undefined: nowhere. */
  readonly url: string | undefined;
  readonly clock: Clock;
  readonly version: string;
  readonly machine: Machine;
}

export type Observer = (words: string, error: unknown) => void;

/** More in a minute are not sent: something is wrong in the same way again and again. */
const MOST_A_MINUTE = 10;
const WAIT_MS = 5000;
const DEEPEST = 20;

/** Reports errors, without waiting and without a word where that fails. `words`: constants of the code alone. */
export function createObserver({ url, clock, version, machine }: ObserverOptions): Observer {
  if (url === undefined) return () => {};
  let minute = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (words, error) => {
    const now = clock.monotonic();
    if (now - minute >= 60_000) {
      minute = now;
      count = 0;
    }
    count += 1;
    if (count > MOST_A_MINUTE) return;
    post(url, {
      message: `${words}: ${kindOf(error)}`,
      stack: placesIn(error),
      agentVersion: version,
      platform: machine.platform,
      runtime: `Node ${machine.nodeVersion}`,
    });
  };
}

/** The class of an error and the code that a system gave it: its message may hold anything. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code, name } = error as NodeJS.ErrnoException;
  const plain = /^[A-Za-z_$][\w$]{0,60}$/.test(name) ? name : 'Error';
  return typeof code === 'string' && /^[A-Z][A-Z\d_]{1,60}$/.test(code) ? `${plain} ${code}` : plain;
}

/** The places of a stack: the message above them, which may look like one, is left out as well as all before a file's name. */
function placesIn(error: unknown): string[] {
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
    .slice(0, DEEPEST);
}

function post(url: string, event: ErrorEvent): void {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const headers = { 'content-type': 'application/json' };
  // A redirect is an answer: nothing goes to another host.
  const request = send(url, { method: 'POST', headers, timeout: WAIT_MS, agent: false }, (answer) =>
    answer.resume(),
  );
  request.on('timeout', () => request.destroy());
  request.on('error', () => {});
  // It keeps no process from its end.
  request.on('socket', (socket) => socket.unref());
  request.end(JSON.stringify(event));
}
