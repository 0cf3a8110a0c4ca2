/** Defines the commands that delete resources. */

import { ApiError, isMissingResource } from '../../base/errors.ts';
import { EXIT } from '../../base/exits.ts';
import { RefusedError } from '../../client/index.ts';
import type { Endpoint } from '../../contract/index.ts';
import { sanitizeLine } from '../../terminal/index.ts';
import { changeSeveral, printOutcomes } from '../bulk/change-several.ts';
import { argumentList, type Command, defineCommand, flag } from '../framework/index.ts';
import type { PreviewSource } from '../resources/lazy/preview.ts';
import type { ReadableResource } from '../resources/resource.ts';

/** Returns `sonde snippets delete` with its alias `sonde delete snippet` (endpoints 13 to 18, and those that gaps.md adds). */
export function deleteCommand(
  resource: ReadableResource,
  endpoint: Endpoint,
  of: { readonly description?: string } = {},
): Command {
  const name = `${resource.commandGroup} delete`;
  // scripts/manifest.mjs derives the name of the alias from the path in the same way.
  const alias = `delete ${resource.commandGroup.replace(/s$/, '')}`;
  return {
    ...defineDelete(name, resource, endpoint, { ...of, otherName: alias }),
    alias: defineDelete(alias, resource, endpoint, { ...of, otherName: name }),
  };
}

export interface DeleteOptions extends Pick<PreviewSource, 'getTrigger'> {
  readonly description?: string;
  /** The command that does the same. */
  readonly otherName?: string;
}

/** Returns a command that deletes by IDs. */
export function defineDelete(
  name: string,
  resource: Omit<ReadableResource, 'commandGroup'>,
  endpoint: Endpoint,
  { description: effect, otherName, ...source }: DeleteOptions,
): Command {
  const { noun, plural, catalogKey, param, placeholder = 'id', get, sampleId } = resource;
  const takesForce = 'force' in (endpoint.query.properties ?? {});
  const description = [
    effect,
    takesForce && 'Resources in use are not deleted without --force.',
    otherName && `Same as "sonde ${otherName}".`,
  ]
    .filter(Boolean)
    .join(' ');
  return defineCommand({
    name,
    summary: `Delete ${plural}`,
    ...(description === '' ? {} : { description }),
    endpoint,
    arguments: {
      ids: argumentList(`IDs of the ${plural}; - reads them from stdin, one per line`, {
        param,
        of: catalogKey,
        placeholder,
      }),
    },
    options: { ignoreMissing: flag('Treat missing resources as deleted') },
    examples: [
      { line: `${name} ${sampleId}`, does: 'Delete one after confirmation' },
      {
        line: `${name} ${sampleId} --ignore-missing --yes`,
        does: 'Delete without confirmation; succeed if it does not exist',
      },
      {
        line: `${name} - --yes --json < ids.txt`,
        does: 'Delete the IDs in a file and print the outcomes as JSON',
      },
    ],
    exits: [[EXIT.declined, 'confirmation declined; nothing was changed']],
    async run(deps, { inputs, many, options, output, globals, resolved }) {
      const { names, unknown } = resolved;
      for (const word of unknown) await deps.terminal.note(`${noun} "${sanitizeLine(word)}" not found.`);
      const isForced = inputs.some(({ query }) => (query as { readonly force?: boolean } | undefined)?.force);
      await changeSeveral(deps, {
        inputs,
        param,
        many,
        noun,
        plural,
        names,
        verb: 'Delete',
        doing: 'Deleting',
        done: 'deleted',
        resumeHint: 'run the same command again with --ignore-missing',
        preview: { ...source, get, of: catalogKey },
        warning: isForced
          ? 'sonde also changes the resources that use it. You cannot undo this.'
          : 'You cannot undo this.',
        yes: globals.yes,
        required: true,
        async work(input, api) {
          try {
            await api.call(endpoint, input, { signal: deps.signal });
            return true;
          } catch (error) {
            if (error instanceof RefusedError && error.status === 409 && takesForce) throw inUseError(error);
            if (!isMissingResource(error)) throw error;
            // The first request deleted the resource, and its response was lost.
            if (error instanceof RefusedError && error.afterLostAnswer) return true;
            if (!options.ignoreMissing) throw error;
            return false;
          }
        },
        formatSuccess: (shown, deleted) =>
          deleted ? `Deleted the ${noun} ${shown}.` : `${noun} ${shown} not found.`,
        print: (outcomes) =>
          printOutcomes(
            deps,
            { output, many },
            {
              key: 'deleted',
              failed: outcomes.some((outcome) => 'error' in outcome),
              rows: [
                ...outcomes.map((outcome) => ({
                  id: outcome.id,
                  ...(names.has(String(outcome.id)) ? { name: names.get(String(outcome.id)) } : {}),
                  deleted: 'error' in outcome ? false : outcome.value,
                })),
                ...unknown.map((word) => ({ id: word, deleted: false })),
              ],
            },
          ),
      });
    },
  });
}

/** Adds to the refusal what to do about it. */
const inUseError = (error: RefusedError): ApiError =>
  new ApiError(error.message, error, {
    hint: 'to detach and delete it, pass --force',
    details: error.details,
    cause: error,
  });
