/** `sonde checks run`: starts check sessions and holds until they have ended. */

import { ApiError, NetworkError, PartialFailureError, UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { plural } from '../../src/base/plural.ts';
import type { CallOptions } from '../../src/client/index.ts';
import { type BodyOf, triggerCheckSessions } from '../../src/contract/index.ts';
import { placeText, violationsOf } from '../../src/contract/validate.ts';
import { askCheckSessions, checkSessions, unstartedText } from '../../src/gate/index.ts';
import { type OutputOptions, render } from '../../src/terminal/index.ts';
import { type Deps, defineCommand, flag } from '../kernel/index.ts';
import { tagGroups, targetIds, targetOptions } from '../shared/checks/targets.ts';
import { gateExits, gateOptions, waitForSessions } from '../shared/sessions/gate.ts';

type Body = BodyOf<typeof triggerCheckSessions>;

export const command = defineCommand({
  name: 'checks run',
  summary: 'Run checks now, wait for their sessions, and exit by their verdict',
  description:
    'Starts a session of each check that is named or has the tags, then waits exactly as "sessions wait" does. Only activated checks run.',
  endpoint: triggerCheckSessions,
  arguments: { ids: targetIds },
  options: {
    ...targetOptions,
    wait: flag('Print the ids of the sessions and do not wait', { negative: 'only' }),
    ...gateOptions,
  },
  flags: { without: ['target'] },
  examples: [
    { line: 'checks run "Apex record"', does: 'runs one check and holds until it has ended' },
    {
      line: 'checks run --tag smoke,production --tag canary',
      does: 'runs checks with both tags, and those with the third',
    },
    {
      line: 'checks run --all --no-wait',
      does: 'starts every activated check and prints the ids of the sessions',
    },
  ],
  exits: [...gateExits, [EXIT.notFound, 'no check matched, or a named one did not run']],
  dryRun: 'own',
  async run(deps, invocation) {
    const { args, input, options, output, dryRun } = invocation;
    const body = withTarget(input.body, args.ids, options.tag, options.all);
    judge(body, deps.clock.now());
    if (dryRun) return deps.preview(triggerCheckSessions, [{ body }], output);
    if (!options.wait && options.report.length > 0) {
      throw new UsageError('--report goes with waiting: with --no-wait nothing would be written', {
        hint: 'leave one of them out; "sonde sessions wait" takes --report, too',
      });
    }
    if (!options.wait) return printStarted(deps, invocation, body);
    await waitForSessions(deps, invocation, {
      kind: checkSessions,
      ask: async () => askCheckSessions(await deps.client()),
      async start(signal) {
        const spinner = deps.terminal.spinner('Starting the sessions');
        const { sessions, unstarted } = await start(deps, body, {
          signal,
          budgetMs: options.timeout,
        }).finally(spinner.stop);
        const ids = sessions.map(({ checkSessionId }) => checkSessionId);
        await deps.terminal.note(`Started ${plural(ids.length, 'session')}.`);
        return {
          ids,
          many: !(args.ids.length === 1 && options.tag.length === 0),
          known: new Map(sessions.map((session) => [session.checkSessionId, session])),
          unstarted,
        };
      },
      justStarted: true,
      again: 'sessions wait',
    });
  },
});

/** `--no-wait`: starts the sessions and prints their ids. */
async function printStarted(deps: Deps, { output }: { readonly output: OutputOptions }, body: Body) {
  const { sessions, unstarted } = await start(deps, body, { signal: deps.signal });
  await render(deps.terminal, {
    kind: 'list',
    data: sessions,
    output,
    columns: [{ key: 'checkSessionId', header: 'session', kind: 'id' }],
    knownFields: ['checkId', 'name', 'status'],
  });
  if (unstarted.length > 0) throw new PartialFailureError(unstartedText(unstarted), EXIT.notFound);
}

/** The body with the checks that were named: ids, tags, or all. */
function withTarget(body: Body, ids: readonly string[], tags: readonly string[], all: boolean): Body {
  const named = ids.length > 0 || tags.length > 0 || body?.target !== undefined;
  if (all && named) {
    throw new UsageError('--all runs every check: it goes with neither ids nor --tag', {
      hint: 'leave one of them out',
    });
  }
  if (!all && !named) {
    throw new UsageError('No check is named', {
      hint: 'give ids, --tag, or --all for every activated check; "sonde checks run --help" shows examples',
    });
  }
  if (all) return { ...body };
  return {
    ...body,
    target: {
      ...body?.target,
      ...(ids.length > 0 ? { checkId: [...ids] } : {}),
      ...(tags.length > 0 ? { matchTags: tagGroups(tags) } : {}),
    },
  };
}

/** Ids and tags are given as arguments, so the contract judges them here. */
function judge(body: Body, now: number): void {
  const violations = violationsOf(triggerCheckSessions, { body }, now);
  if (violations.length === 0) return;
  throw new UsageError('The checks to run are not well named', {
    details: violations.map(({ path, message }) => {
      const [, field, index] = path;
      const given = field === 'checkId' ? body?.target?.checkId?.[Number(index)] : undefined;
      const place = field === 'matchTags' ? '--tag' : given === undefined ? placeText(path) : 'check-id';
      return { place, message: given === undefined ? message : `${message}, not "${given}"` };
    }),
  });
}

type Started = { readonly checkSessionId: string; readonly checkId?: unknown };

/** The named checks that have no session. Those that tags must match, too, were named as candidates only. */
function withoutSession(body: Body, sessions: readonly Started[]): readonly string[] {
  const { checkId: named = [], matchTags } = body?.target ?? {};
  if (matchTags !== undefined) return [];
  const started = new Set(sessions.map(({ checkId }) => String(checkId).toLowerCase()));
  // A deployment that doesn't say which check a session is of is taken at its number of sessions.
  const unnamed = sessions.filter(({ checkId }) => typeof checkId !== 'string').length;
  return [...new Set(named.map((id) => id.toLowerCase()))].filter((id) => !started.has(id)).slice(unnamed);
}

/** An id that can stand in a path, and on a line that is pasted into a shell, and means nothing but itself there. */
const ID = /^(?!\.+$)[\w.~][\w.~:-]{0,199}$/;

/** Whether every session can be asked about, and none is told twice: it would stand for one that nobody looks at. */
function areDistinct(sessions: readonly Partial<Started>[]): sessions is readonly Started[] {
  const ids = sessions.map((session) => String(session?.checkSessionId ?? '').toLowerCase());
  return ids.every((id) => ID.test(id)) && new Set(ids).size === ids.length;
}

/** Starts the sessions, and says of named checks that did not start. */
async function start(deps: Deps, body: Body, call: CallOptions) {
  const sessions = await trigger(deps, body, call);
  const unstarted = withoutSession(body, sessions);
  if (unstarted.length > 0)
    await deps.terminal.warn(`${unstartedText(unstarted)}: only activated checks run, and heartbeats never`);
  return { sessions, unstarted };
}

/** An answer without any session is as good as none: nothing ran, so nothing may be green. */
async function trigger({ client, signal, terminal }: Deps, body: Body, call: CallOptions) {
  const api = await client();
  signal.throwIfAborted();
  try {
    const { body: answer } = await api.call(triggerCheckSessions, { body }, call);
    const sessions = Array.isArray(answer?.sessions) ? answer.sessions : undefined;
    if (!sessions || !areDistinct(sessions)) {
      throw new NetworkError('the answer names no sessions; they may have started', {
        endpoint: `${triggerCheckSessions.method} ${triggerCheckSessions.path}`,
      });
    }
    if (sessions.length > 0) return sessions;
    throw new ApiError('no check matched', {
      status: 404,
      endpoint: `${triggerCheckSessions.method} ${triggerCheckSessions.path}`,
    });
  } catch (error) {
    if (signal.aborted) {
      await terminal.warn('sessions may have started: "sonde sessions list" shows them');
    }
    if (error instanceof ApiError && error.status === 404 && error.fromApi) {
      throw new ApiError(`Nothing was started: ${error.message}`, error, {
        hint: 'only activated checks run, and heartbeats never: look at the ids and tags that were given',
        details: error.details,
        cause: error,
      });
    }
    if (error instanceof NetworkError && error.mayHaveActed) {
      throw new NetworkError(error.message, error, {
        hint: 'sessions may have started: "sonde sessions list" shows them',
        cause: error,
      });
    }
    throw error;
  }
}
