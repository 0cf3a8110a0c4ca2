/** Defines the commands that create and update a resource. */

import { type Problem, UsageError } from '../../base/errors.ts';
import type { JsonObject } from '../../base/object.ts';
import type { Endpoint, Input, ResponseOf } from '../../contract/index.ts';
import { placeText, violationsOf } from '../../contract/validate.ts';
import { createUndoBody, mergeChanges, toPartialEndpoint } from '../edit/partial-update.ts';
import { REPLACE_EXITS, replaceResource } from '../edit/replace-resource.ts';
import { toRequestBody, withoutResponseFields } from '../edit/to-request.ts';
import { type Command, defineCommand, type Example } from '../framework/index.ts';
import type {
  CommandDefinition,
  Deps,
  FlagOverrides,
  Interview,
  Options,
  UntypedFlagOverrides,
} from '../framework/types.ts';
import { formatResource, type OutputContext, type Resource } from '../resources/resource.ts';
import { idArgument, printResource, withArticle } from './read.ts';

interface RequestParts {
  readonly params: JsonObject;
  readonly query?: JsonObject;
  readonly body: JsonObject;
}

interface CommandTexts<E> {
  readonly description?: string;
  readonly examples: readonly Example[];
  readonly flags?: FlagOverrides<E>;
}

export interface CreateOptions<E extends Endpoint> extends CommandTexts<E> {
  readonly interview: Interview['steps'];
  /** Prints notes after the resource, such as that a key is shown only once. */
  readonly onCreated?: (deps: Deps, line: OutputContext, created: ResponseOf<E>) => Promise<void>;
  readonly makeBody?: CommandDefinition['makeBody'];
}

/** Returns `sonde snippets create`. */
export function createCommand<E extends Endpoint>(
  resource: Resource<ResponseOf<E>>,
  create: E,
  of: CreateOptions<E>,
): Command {
  const { commandGroup, noun } = resource;
  const { interview, examples, flags, description, onCreated } = of;
  const endpoint: Endpoint = create;
  const file = `${noun.replaceAll(' ', '-')}.yaml`;
  const command = defineCommand({
    name: `${commandGroup} create`,
    summary: `Create ${withArticle(noun)}`,
    ...(description === undefined ? {} : { description }),
    endpoint,
    interview: { steps: interview, confirm: `Create this ${noun}?` },
    examples: [
      ...examples,
      { line: `${commandGroup} create --example > ${file}`, does: 'Create an example file' },
    ],
    makeBody: (fields, source) =>
      withoutResponseFields(endpoint.body ?? {}, of.makeBody?.(fields, source) ?? fields, source.warn),
    async run(deps, { input, ...line }) {
      const { client, signal, terminal } = deps;
      const { body } = await (await client()).call(endpoint, input, { signal });
      const created = body as ResponseOf<E>;
      await terminal.note(`Created the ${formatResource(resource, created)}.`);
      await printResource(deps, line, resource, created);
      await onCreated?.(deps, line, created);
    },
  });
  return withFlags(command, flags as UntypedFlagOverrides | undefined);
}

export interface UpdateOptions<E extends Endpoint, G extends Endpoint> extends CommandTexts<E> {
  readonly summary?: string;
  /** Selects the part of the current resource that the update is compared with; left out: all. */
  readonly selectCompared?: (item: ResponseOf<G>) => JsonObject;
  /** Returns the endpoint for a resource, if it depends on its type. */
  readonly endpointFor?: (item: ResponseOf<G>) => Endpoint;
  readonly options?: Options;
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
  const { examples, flags, selectCompared, endpointFor } = of;
  const partial = toPartialEndpoint<Endpoint>(endpoint);
  const schema = endpoint.body ?? {};
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
    makeBody(fields, source) {
      const body = withoutResponseFields(schema, fields, source.warn);
      if (Object.values(source.options).every((option) => option === undefined))
        requireChanges(body, source.reportProblem);
      return body;
    },
    async run(deps, { input, ...line }) {
      const { client, signal, clock } = deps;
      const { params, query = {}, body: written } = input as unknown as RequestParts;
      const id = String(params[param]);
      const api = await client();
      const { body } = await api.call<Endpoint>(get, { params } as unknown as Input<Endpoint>, { signal });
      const before = body as ResponseOf<G>;
      const target = endpointFor?.(before) ?? endpoint;
      const compared = selectCompared?.(before) ?? before;
      const current = toRequestBody(target.body ?? {}, compared) as JsonObject;
      const changes = { ...written, ...(await of.prepare?.(deps, line.options, { ...current, ...written })) };
      const change = mergeChanges(target.body ?? {}, current, changes);
      const whole = { ...current, ...change };
      assertValid(target, { params, query, body: change }, clock.now());
      const after = await replaceResource<unknown>(deps, line, {
        noun,
        id,
        endpoint: target,
        body: whole,
        before: compared,
        undo: createUndoBody(target.body ?? {}, compared as JsonObject, whole),
        restoreCommand: [commandGroup, 'update', id],
        send: async () => {
          const sent = { params, query, body: change } as unknown as Input<Endpoint>;
          const answer = await api.call(target, sent, { signal });
          return answer.body;
        },
      });
      await printResource(deps, line, resource, (after === compared ? before : after) as ResponseOf<G>);
    },
  });
  return withFlags(command, flags as UntypedFlagOverrides | undefined);
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

const withFlags = (command: Command, flags: UntypedFlagOverrides | undefined): Command =>
  flags === undefined ? command : { ...command, flags };
