/** Defines the command that updates a resource. */
import { isDeepStrictEqual } from 'node:util';
import { mayLackEndpoint, type Problem, UsageError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/object.ts';
import type { Client } from '../../client/index.ts';
import { withSentValues } from '../../contract/defaults.ts';
import type { Endpoint, Input, ResponseOf } from '../../contract/index.ts';
import { placeText, violationsOf } from '../../contract/validate.ts';
import {
  createUndoBody,
  mergeChanges,
  toPartialEndpoint,
  withoutStaleFields,
} from '../edit/partial-update.ts';
import { readBeforeChange } from '../edit/read-before-change.ts';
import { REPLACE_EXITS, replaceResource } from '../edit/replace-resource.ts';
import { toRequestBody } from '../edit/to-request.ts';
import { type Command, defineCommand } from '../framework/index.ts';
import type { Deps, Invocation, Options, UntypedFlagOverrides } from '../framework/types.ts';
import type { Resource } from '../resources/resource.ts';
import { idArgument, printResource, withArticle } from './read.ts';
import { type CommandTexts, withFlags } from './write.ts';

interface RequestParts {
  readonly params: JsonObject;
  readonly query?: JsonObject;
  readonly body: JsonObject;
}

interface SentChange {
  readonly id: string;
  readonly change: JsonObject;
  readonly whole: JsonObject;
}

/** Endpoints that update the same resource. */
export interface UpdateEndpoints {
  readonly endpoint: Endpoint;
  /** Used if the deployment does not offer `endpoint`. */
  readonly fallback?: Endpoint;
  /** Fields that the fallback gets if the body omits them, because its defaults differ. */
  readonly fallbackDefaults?: JsonObject;
}

export interface UpdateOptions<E extends Endpoint, G extends Endpoint> extends CommandTexts<E> {
  readonly summary?: string;
  /** Selects the part of the current resource that the update is compared with; left out: all. */
  readonly selectCompared?: (item: ResponseOf<G>) => JsonObject;
  /** Returns the endpoints for a resource, if they depend on its type. */
  readonly endpointsFor?: (item: ResponseOf<G>) => UpdateEndpoints;
  /** `changes`: sends only the changed fields, because the endpoint keeps the others. Default: the whole resource. */
  readonly sends?: 'changes';
  /** Whether to read the resource again after the update, because the answer lacks fields. */
  readonly readsAgain?: boolean;
  /** Sends the change; left out: calls the endpoint. `whole`: the merged fields; without a read, only the changes. */
  readonly send?: (deps: Deps, api: Client, sent: SentChange) => Promise<ResponseOf<G>>;
  readonly options?: Options;
  /** The response-only field that the file of `-f` must have in common with the resource: its type. */
  readonly typeField?: string & keyof ResponseOf<G>;
  /** Returns further changes just before sending, for example after an upload. */
  readonly prepare?: (deps: Deps, options: JsonObject, fields: JsonObject) => Promise<JsonObject>;
}

/** Returns `sonde snippets update`, which changes only the given fields and shows the difference first. */
export function updateCommand<E extends Endpoint, G extends Endpoint>(
  resource: Resource<ResponseOf<G>> & { readonly get: G },
  endpoint: E,
  of: UpdateOptions<E, G>,
): Command {
  const { commandGroup, noun, param, get } = resource;
  const { examples, flags, selectCompared, endpointsFor, sends } = of;
  // Options can set fields, so `requireChanges` decides whether an update without field flags is an error.
  const partial = { ...toPartialEndpoint<Endpoint>(endpoint), sendsEmptyBody: true };
  const command = defineCommand({
    name: `${commandGroup} update`,
    summary: of.summary ?? `Update ${withArticle(noun)}`,
    description:
      of.description ??
      'Changes only the given fields: merges objects field by field and replaces lists. sonde shows the difference ' +
        'first and saves an undo file.',
    endpoint: partial,
    arguments: { id: idArgument(resource) },
    ...(of.options === undefined ? {} : { options: of.options }),
    examples,
    exits: REPLACE_EXITS,
    dryRun: 'own',
    printedBy: get,
    makeBody(body, source) {
      if (Object.values(source.options).every((option) => option === undefined))
        requireChanges(body, source.reportProblem);
      return { ...body };
    },
    async run(deps, { input, ...line }) {
      const { client, signal, clock } = deps;
      const { params, query = {}, body: written } = input as unknown as RequestParts;
      const id = String(params[param]);
      const read = async () => {
        const api = await client();
        const answer = await api.call<Endpoint>(get, { params } as unknown as Input<Endpoint>, { signal });
        const item = answer.body as ResponseOf<G>;
        return { item, compared: selectCompared?.(item) ?? item };
      };
      const before = await readBeforeChange(deps, `${noun} ${id}`, read, line);
      if (before && of.typeField) assertSameType(of.typeField, line.responseOnly, before.item as JsonObject);
      const target: UpdateEndpoints = (before && endpointsFor?.(before.item)) ?? { endpoint };
      const schema = target.endpoint.body ?? {};
      const current = (before ? toRequestBody(schema, before.compared) : {}) as JsonObject;
      // A dry run uploads nothing.
      const prepare = line.dryRun ? undefined : of.prepare;
      const changes = { ...written, ...(await prepare?.(deps, line.options, { ...current, ...written })) };
      const change = mergeChanges(schema, current, changes);
      const whole = withoutStaleFields({ ...current, ...change }, current, change);
      assertValid(target.endpoint, { params, query, body: change }, clock.now());
      const isPartial = sends === 'changes' || before === undefined;
      const sent = { params, query, body: isPartial ? change : withSentValues(schema, whole) };
      if (line.dryRun)
        return deps.preview(target.endpoint, [sent as unknown as Input<Endpoint>], line.output);
      const api = await client();
      const after = await replaceResource<unknown>(deps, line, {
        noun,
        id,
        endpoint: target.endpoint,
        body: whole,
        before: before?.compared,
        mayReset: sends !== 'changes',
        undo: createUndoBody(schema, (before?.compared ?? {}) as JsonObject, whole),
        restoreCommand: [commandGroup, 'update', id],
        async verify() {
          if (isPartial || !mayHaveChanged(deps, line)) return;
          assertUnchanged(`${noun} ${id}`, current, toRequestBody(schema, (await read()).compared));
        },
        async send() {
          if (of.send) return of.send(deps, api, { id, change, whole });
          const answer = await sendUpdate(deps, api, target, sent as unknown as Input<Endpoint>);
          if (!of.readsAgain || before === undefined) return answer;
          return read().then(
            ({ item }) => item,
            () => answer,
          );
        },
      });
      const isUnchanged = before !== undefined && after === before.compared;
      await printResource(deps, line, resource, (isUnchanged ? before.item : after) as ResponseOf<G>);
    },
  });
  return withFlags(command, flags as UntypedFlagOverrides | undefined);
}

/**
 * Sends an update to the endpoint, or to its fallback if the deployment does not offer it. The caller has read the resource.
 * `lacking`: the names of endpoints that the deployment does not offer, remembered between calls.
 */
export async function sendUpdate(
  { terminal, signal }: Pick<Deps, 'terminal' | 'signal'>,
  api: Client,
  { endpoint, fallback, fallbackDefaults }: UpdateEndpoints,
  sent: Input<Endpoint>,
  lacking: Set<string> = new Set(),
): Promise<unknown> {
  if (fallback === undefined || !lacking.has(endpoint.name)) {
    try {
      return (await api.call(endpoint, sent, { signal })).body;
    } catch (error) {
      if (fallback === undefined || !mayLackEndpoint(error)) throw error;
      const isKnown = lacking.has(endpoint.name);
      lacking.add(endpoint.name);
      const instead = `${fallback.method} ${fallback.path}`;
      if (!isKnown)
        await terminal.note(`This deployment does not offer ${error.endpoint}: using ${instead}.`);
    }
  }
  const body = { ...fallbackDefaults, ...(sent.body as JsonObject) };
  return (await api.call(fallback, { ...sent, body }, { signal })).body;
}

/** Returns whether someone else had time for a change, because the user was asked. */
export const mayHaveChanged = (
  { terminal }: Pick<Deps, 'terminal'>,
  { globals }: Pick<Invocation, 'globals'>,
): boolean => terminal.canAsk && !globals.yes;

/** Throws UsageError if a resource (`group 12`) has changed since the command displayed it. */
export function assertUnchanged(resource: string, shown: unknown, current: unknown): void {
  if (isDeepStrictEqual(shown, current)) return;
  throw new UsageError(`${resource} was changed in the meantime; nothing was sent`, {
    hint: 'run the command again to see the new difference',
  });
}

/** Throws UsageError if the file of an update contains a resource of another type. */
function assertSameType(
  field: string,
  { [field]: given }: JsonObject,
  { [field]: current }: JsonObject,
): void {
  if (given === undefined || given === current) return;
  throw new UsageError(
    `${field} cannot change from ${JSON.stringify(current)} to ${JSON.stringify(given)}; nothing was sent`,
    { hint: `remove ${field} from the file, or create another resource` },
  );
}

/** Complains of an update without fields, which is a mistake. */
export function requireChanges(body: JsonObject, reportProblem: (problem: Problem) => void): void {
  if (Object.keys(body).length > 0) return;
  reportProblem({ place: '--set', message: 'or another field flag is required: there is nothing to update' });
}

/** Validates an update merged with the current state. Throws UsageError with every problem. */
export function assertValid(
  endpoint: Endpoint,
  parts: { readonly params: JsonObject; readonly query: JsonObject; readonly body: unknown },
  now: number,
): void {
  const problems = violationsOf(endpoint, parts, now).filter(({ origin }) => origin === 'specification');
  if (problems.length === 0) return;
  throw new UsageError('the update is invalid; nothing was sent', {
    details: problems.map(({ path, message, allowed, nearest }) => ({
      place: placeText(path),
      message,
      ...(allowed ? { allowed: allowed.map(String) } : {}),
      ...(nearest === undefined ? {} : { nearest }),
    })),
  });
}
