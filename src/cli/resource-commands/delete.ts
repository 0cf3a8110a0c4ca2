/** Defines the commands that delete resources. */

import { ApiError } from '../../base/errors.ts';
import { EXIT } from '../../base/exits.ts';
import { RefusedError } from '../../client/index.ts';
import type { Endpoint, Input } from '../../contract/index.ts';
import { sanitizeLine } from '../../terminal/index.ts';
import { confirmChange } from '../bulk/confirm-change.ts';
import { printOutcomes, throwFailures } from '../bulk/run-for-all.ts';
import { runWithProgress } from '../bulk/run-with-progress.ts';
import { formatNameAndId } from '../framework/confirm-change.ts';
import { argumentList, type Command, defineCommand, flag } from '../framework/index.ts';
import type { PreviewSource } from '../resources/lazy/preview.ts';
import type { ResourceIdentity } from '../resources/resource.ts';

export interface DeleteOptions extends Omit<PreviewSource, 'of'> {
  readonly endpoint: Endpoint;
  /** An ID for the examples. */
  readonly sample: string;
  readonly description?: string;
}

/** Returns `sonde snippets delete` with its alias `sonde delete snippet` (endpoints 13 to 18, and those that gaps.md adds). */
export function deleteCommand(resource: ResourceIdentity, options: DeleteOptions): Command {
  const name = `${resource.commandGroup} delete`;
  // scripts/manifest.mjs derives the name of the alias from the path in the same way.
  const alias = `delete ${resource.commandGroup.replace(/s$/, '')}`;
  return {
    ...defineDelete(name, resource, options, alias),
    alias: defineDelete(alias, resource, options, name),
  };
}

/** Returns a command that deletes by IDs. `otherName`: the command that does the same. */
export function defineDelete(
  name: string,
  { noun, plural, catalogKey, param, placeholder = 'id' }: Omit<ResourceIdentity, 'commandGroup'>,
  { endpoint, sample, description: effect, ...source }: DeleteOptions,
  otherName?: string,
): Command {
  const takesForce = 'force' in (endpoint.query.properties ?? {});
  const description = [
    effect,
    takesForce && 'Resources in use are not deleted without --force.',
    otherName && `Same as "sonde ${otherName}".`,
  ]
    .filter(Boolean)
    .join(' ');
  const idOf = (input: Input<Endpoint>): string | number =>
    (input.params as Readonly<Record<string, string | number>>)[param] ?? '';
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
      { line: `${name} ${sample}`, does: 'Delete one after confirmation' },
      {
        line: `${name} ${sample} --ignore-missing --yes`,
        does: 'Delete without confirmation; succeed if it does not exist',
      },
      {
        line: `${name} - --yes --json < ids.txt`,
        does: 'Delete the IDs in a file and print the outcomes as JSON',
      },
    ],
    exits: [[EXIT.declined, 'confirmation declined; nothing was changed']],
    async run(deps, { inputs, many, options, output, globals, resolved }) {
      const { client, terminal, signal } = deps;
      const { names, unknown } = resolved;
      const isForced = inputs.some(({ query }) => (query as { readonly force?: boolean } | undefined)?.force);
      for (const word of unknown) await terminal.note(`${noun} "${sanitizeLine(word)}" not found.`);
      await confirmChange(deps, {
        verb: 'Delete',
        ids: [...new Set(inputs.map(idOf))],
        noun,
        plural,
        preview: { ...source, of: catalogKey },
        names,
        warning: isForced
          ? 'sonde also changes the resources that use it. You cannot undo this.'
          : 'You cannot undo this.',
        yes: globals.yes,
        required: true,
      });
      const api = await client();
      const outcomes = await runWithProgress(deps, {
        inputs,
        idOf,
        labels: {
          noun,
          plural,
          doing: 'Deleting',
          done: 'deleted',
          resumeHint: 'run the same command again with --ignore-missing',
        },
        async work(input) {
          try {
            await api.call(endpoint, input, { signal });
            return true;
          } catch (error) {
            if (error instanceof RefusedError && error.status === 409 && takesForce) throw inUseError(error);
            if (!(error instanceof ApiError) || error.status !== 404) throw error;
            // The first request deleted the resource, and its response was lost.
            if (error instanceof RefusedError && error.afterLostAnswer) return true;
            if (!options.ignoreMissing) throw error;
            return false;
          }
        },
        formatSuccess: (id, deleted) =>
          deleted
            ? `Deleted the ${noun} ${formatNameAndId(names, id)}.`
            : `${noun} ${formatNameAndId(names, id)} not found.`,
      });
      const rows = [
        ...outcomes.map((outcome) => ({
          id: outcome.id,
          ...(names.has(String(outcome.id)) ? { name: names.get(String(outcome.id)) } : {}),
          deleted: 'error' in outcome ? false : outcome.value,
        })),
        ...unknown.map((word) => ({ id: word, deleted: false })),
      ];
      await printOutcomes(terminal, output, {
        rows,
        many,
        failed: outcomes.some((outcome) => 'error' in outcome),
        columns: [
          { key: 'id', kind: 'id' },
          { key: 'deleted', kind: 'boolean' },
        ],
      });
      throwFailures(outcomes, many, { noun, verb: 'deleted' });
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
