/** `sonde checks run`: starts check sessions and waits for their verdicts. */

import { UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { defineCommand } from '../../src/cli/framework/index.ts';
import { type BodyOf, triggerCheckSessions } from '../../src/contract/index.ts';
import { placeText, violationsOf } from '../../src/contract/validate.ts';
import { withoutCheck } from '../../src/gate/index.ts';
import { gateExits } from '../sessions/shared/gate.ts';
import {
  type StartedSession,
  startAndWait,
  startOptions,
  tagGroups,
  targetIds,
  targetOptions,
} from '../sessions/shared/start-checks.ts';

type Body = BodyOf<typeof triggerCheckSessions>;

export const command = defineCommand({
  name: 'checks run',
  summary: 'Run checks and wait for the verdict',
  description:
    'Starts a session for each activated check that matches an ID, a name or --tag, then waits for all of them, like "sonde sessions wait". One of these, or --all, is required.',
  endpoint: triggerCheckSessions,
  arguments: { ids: targetIds },
  options: {
    ...targetOptions,
    ...startOptions,
  },
  flags: { without: ['target'] },
  examples: [
    { line: 'checks run "Apex record"', does: 'Run a check and wait for its verdict' },
    {
      line: 'checks run --tag smoke,production --tag canary',
      does: 'Run checks tagged both smoke and production, plus checks tagged canary',
    },
    {
      line: 'checks run --all --no-wait',
      does: 'Start all activated checks and print the session IDs',
    },
  ],
  exits: [...gateExits, [EXIT.notFound, 'no check matched, or a specified check did not run']],
  dryRun: 'own',
  async run(deps, invocation) {
    const { args, input, options, output, dryRun } = invocation;
    const body = addTarget(input.body, args.ids, options.tag, options.all);
    assertValidTargets(body, deps.clock.now());
    if (dryRun) return deps.preview(triggerCheckSessions, [{ body }], output);
    await startAndWait(deps, invocation, {
      endpoint: triggerCheckSessions,
      call: (api, call) => api.call(triggerCheckSessions, { body }, call),
      findUnstarted: (sessions) => findUnstarted(body, sessions),
      hint: 'only activated checks run, and heartbeat checks never run: check the IDs and tags',
      many: !(args.ids.length === 1 && options.tag.length === 0),
    });
  },
});

/** Adds the IDs and tags of the line to the body. Throws UsageError unless it selects checks. */
function addTarget(body: Body, ids: readonly string[], tags: readonly string[], all: boolean): Body {
  const named = ids.length > 0 || tags.length > 0 || body?.target !== undefined;
  if (all && named) {
    throw new UsageError('--all cannot be combined with check IDs or --tag', {
      hint: 'remove --all, or remove the IDs and tags',
    });
  }
  if (!all && !named) {
    throw new UsageError('no checks specified', {
      hint: 'pass check IDs, --tag, or --all for all activated checks; for examples, see: sonde checks run --help',
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

/** Validates IDs and tags, which are not part of the body that the framework validates. */
function assertValidTargets(body: Body, now: number): void {
  const violations = violationsOf(triggerCheckSessions, { body }, now);
  if (violations.length === 0) return;
  throw new UsageError('invalid check IDs or tags', {
    details: violations.map(({ path, message }) => {
      const [, field, index] = path;
      const given = field === 'checkId' ? body?.target?.checkId?.[Number(index)] : undefined;
      const place = field === 'matchTags' ? '--tag' : given === undefined ? placeText(path) : 'check-id';
      return { place, message: given === undefined ? message : `${message}, not "${given}"` };
    }),
  });
}

/** Returns the specified checks without a session. With tags, IDs only restrict the selection. */
function findUnstarted(body: Body, sessions: readonly StartedSession[]): readonly string[] {
  const { checkId: named = [], matchTags } = body?.target ?? {};
  if (matchTags !== undefined) return [];
  return withoutCheck(
    named,
    sessions.map(({ checkId }) => checkId),
  );
}
