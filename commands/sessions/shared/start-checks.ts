/** Starts check sessions and waits for them. `checks run` and `groups run` share it. */
import {
  ApiError,
  isMissingResource,
  NetworkError,
  PartialFailureError,
  UsageError,
} from '../../../src/base/errors.ts';
import { EXIT } from '../../../src/base/exits.ts';
import { plural } from '../../../src/base/plural.ts';
import { argumentList, type Deps, flag, type Invocation, texts } from '../../../src/cli/framework/index.ts';
import type { CallOptions, Client } from '../../../src/client/index.ts';
import type { ResponseOf, triggerCheckSessions } from '../../../src/contract/index.ts';
import { checkSessions, findProblem, pollCheckSessions, unstartedText } from '../../../src/gate/index.ts';
import { render } from '../../../src/terminal/index.ts';
import { gateOptions, waitForSessions } from './gate.ts';

/** IDs of checks; not required with tags, --all or a body. */
export const targetIds = argumentList('IDs of the checks', {
  placeholder: 'check-id',
  required: false,
  of: 'check',
  unless: ['tag', 'all', 'file', 'set'],
});

export const targetOptions = {
  tag: texts('Checks with all of these tags; repeat for alternatives; !tag excludes a tag', {
    placeholder: 'a,b',
  }),
  all: flag('All activated checks'),
};

/** Parses groups of tags. A check must match all tags of any group. */
export const tagGroups = (given: readonly string[]): string[][] =>
  given.map((group) => group.split(',').map((tag) => tag.trim()));

/** A session in the response. */
export type StartedSession = { readonly checkSessionId: string; readonly checkId?: unknown };

export interface StartRequest {
  readonly endpoint: { readonly method: string; readonly path: string };
  call(
    api: Client,
    options: CallOptions,
  ): Promise<{ readonly body: ResponseOf<typeof triggerCheckSessions>; readonly text: string }>;
  /** Returns the specified checks without a session; left out if no check is specified. */
  findUnstarted?(sessions: readonly StartedSession[]): readonly string[];
  /** The hint if nothing ran. */
  readonly hint: string;
  /** Whether to print a list. */
  readonly many: boolean;
}

export const startOptions = {
  wait: flag('Print the IDs of the sessions without waiting', { negative: 'only' }),
  ...gateOptions,
};

type StartLine = Pick<
  Invocation<undefined, Record<never, never>, typeof startOptions>,
  'options' | 'output' | 'globals'
>;

/** Starts the sessions and waits for them, or prints their IDs with --no-wait. */
export async function startAndWait(deps: Deps, line: StartLine, starting: StartRequest): Promise<void> {
  const { options } = line;
  if (!options.wait && options.report.length > 0) {
    throw new UsageError('--report and --no-wait are mutually exclusive', {
      hint: 'remove one of them; to write a report later, run: sonde sessions wait <id> --report',
    });
  }
  if (!options.wait) return printStarted(deps, line, starting);
  await waitForSessions(deps, line, {
    kind: checkSessions,
    openPoll: async () => pollCheckSessions(await deps.client()),
    async start(signal) {
      const spinner = deps.terminal.spinner('Starting sessions');
      const { sessions, unstarted } = await startSessions(deps, starting, {
        signal,
        budgetMs: options.timeout,
        // Retry gateway errors: in the worst case, the checks run twice.
        mayActTwice: true,
      }).finally(spinner.stop);
      const ids = sessions.map(({ checkSessionId }) => checkSessionId);
      await deps.terminal.note(`Started ${plural(ids.length, 'session')}.`);
      return {
        ids,
        many: starting.many,
        known: new Map(sessions.map((session) => [session.checkSessionId, session])),
        unstarted,
      };
    },
    justStarted: true,
    again: 'sessions wait',
  });
}

/** Starts the sessions and prints their IDs (`--no-wait`). */
async function printStarted(deps: Deps, { output }: StartLine, starting: StartRequest) {
  const { sessions, unstarted } = await startSessions(deps, starting, { signal: deps.signal });
  await render(deps.terminal, {
    kind: 'list',
    data: sessions,
    output,
    columns: [{ key: 'checkSessionId', header: 'session', kind: 'id' }],
    knownFields: ['checkId', 'name', 'status'],
  });
  if (unstarted.length > 0) throw new PartialFailureError(unstartedText(unstarted), EXIT.notFound);
}

/** An ID that is safe in a path and in a shell command. */
const ID = /^(?!\.+$)[\w.~][\w.~:-]{0,199}$/;

/** Whether every session has an ID, and no ID occurs twice: a duplicate would hide a session that nobody waits for. */
function haveUniqueIds(sessions: readonly Partial<StartedSession>[]): sessions is readonly StartedSession[] {
  const ids = sessions.map((session) => String(session?.checkSessionId ?? '').toLowerCase());
  return ids.every((id) => ID.test(id)) && new Set(ids).size === ids.length;
}

/** Returns why the response does not list all sessions, as a page of a list would; undefined if it does. */
function findLack(body: object, count: number): string | undefined {
  const { nextId, total = count, length = count } = body as Readonly<Record<string, unknown>>;
  const isPage = (nextId ?? '') !== '';
  if (isPage) return 'lists only a part of the sessions (nextId)';
  const most = Math.max(...[total, length].map(Number).filter(Number.isFinite));
  return most > count ? `lists only ${count} of ${most} sessions` : undefined;
}

/** Starts the sessions, and warns about specified checks that did not start. */
async function startSessions(deps: Deps, starting: StartRequest, call: CallOptions) {
  const sessions = await trigger(deps, starting, call);
  const unstarted = starting.findUnstarted?.(sessions) ?? [];
  if (unstarted.length > 0)
    await deps.terminal.warn(
      `${unstartedText(unstarted)}: the service runs only activated checks and no heartbeat checks`,
    );
  return { sessions, unstarted };
}

/** Sends the request. Throws if the response has no sessions: nothing ran, so the gate must not pass. */
async function trigger({ client, signal, terminal }: Deps, starting: StartRequest, call: CallOptions) {
  const endpoint = `${starting.endpoint.method} ${starting.endpoint.path}`;
  const api = await client();
  signal.throwIfAborted();
  try {
    const { body, text } = await starting.call(api, call);
    const sessions = Array.isArray(body?.sessions) ? body.sessions : undefined;
    if (!sessions || !haveUniqueIds(sessions)) {
      throw new NetworkError('the response contains no sessions; they may have started', { endpoint });
    }
    const problem = findProblem(text) ?? findLack(body, sessions.length);
    if (problem !== undefined)
      throw new NetworkError(`the response ${problem}; more sessions may have started`, { endpoint });
    if (sessions.length > 0) return sessions;
    throw new ApiError('no check matched', { status: 404, endpoint });
  } catch (error) {
    if (signal.aborted) {
      await terminal.warn('sessions may have started; to list them, run: sonde sessions list');
    }
    if (isMissingResource(error) && error.fromApi) {
      throw new ApiError(`nothing was started: ${error.message}`, error, {
        hint: error.absence === 'either' ? `${starting.hint}\n${error.hint}` : starting.hint,
        details: error.details,
        cause: error,
      });
    }
    if (error instanceof NetworkError && error.mayHaveActed) {
      throw new NetworkError(error.message, error, {
        hint: 'sessions may have started; to list them, run: sonde sessions list',
        cause: error,
      });
    }
    throw error;
  }
}
