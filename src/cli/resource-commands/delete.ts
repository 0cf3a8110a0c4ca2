/** The commands that delete: they differ in their endpoint and in what they delete. */

import { ApiError } from '../../base/errors.ts';
import { EXIT } from '../../base/exits.ts';
import { RefusedError } from '../../client/index.ts';
import type { Endpoint, Input } from '../../contract/index.ts';
import { sanitizeLine } from '../../terminal/index.ts';
import { askAbout } from '../bulk/confirm.ts';
import { printOutcomes, throwFailures } from '../bulk/run-for-all.ts';
import { workThrough } from '../bulk/run-with-progress.ts';
import { formatNameAndId } from '../framework/confirm-change.ts';
import { argumentList, type Command, defineCommand, flag, type ResourceName } from '../framework/index.ts';
import type { LookName } from '../resources/lazy/previews.ts';

export interface Deletion {
  readonly endpoint: Endpoint;
  /** The first word of its other commands, `snippets`: "sonde snippets delete" and "sonde delete snippet" are the same. */
  readonly word?: string;
  /** What its kind is called after `delete`: `snippet`. */
  readonly kind: string;
  /** The path parameter that the id fills. */
  readonly param: string;
  /** What that id is the id of: a trigger is named by its check or group. */
  readonly of: ResourceName;
  /** How what the ids name is read before a person is asked. */
  readonly look: LookName;
  /** How the argument is called in help: `id`. */
  readonly placeholder: string;
  /** What goes, `snippet`, and several of it. */
  readonly noun: string;
  readonly plural: string;
  /** An id, for examples. */
  readonly sample: string;
  readonly description?: string;
}

/** A command that deletes one or several (endpoints 13 to 18 and their neighbours). `name`: one of its two names. */
export function deletion(name: string, of: Deletion): Command {
  const { endpoint, word, kind, param, of: thing, look, placeholder } = of;
  const { noun, plural, sample } = of;
  const other = word && (name === `delete ${kind}` ? `${word} delete` : `delete ${kind}`);
  const takesForce = 'force' in (endpoint.query.properties ?? {});
  const description = [
    of.description,
    takesForce && 'Resources in use are not deleted without --force.',
    other && `Same as "sonde ${other}".`,
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
        of: thing,
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
      await askAbout(deps, {
        verb: 'Delete',
        ids: [...new Set(inputs.map(idOf))],
        ...{ noun, plural, look, names },
        mind: isForced
          ? 'sonde also changes the resources that use it. You cannot undo this.'
          : 'You cannot undo this.',
        yes: globals.yes,
        required: true,
      });
      const api = await client();
      const outcomes = await workThrough(deps, {
        inputs,
        idOf,
        words: {
          ...{ noun, plural, doing: 'Deleting', done: 'deleted' },
          goOn: 'run the same command again with --ignore-missing',
        },
        async work(input) {
          try {
            await api.call(endpoint, input, { signal });
            return true;
          } catch (error) {
            if (error instanceof RefusedError && error.status === 409 && takesForce) throw inUse(error);
            if (!(error instanceof ApiError) || error.status !== 404) throw error;
            // The first answer was lost, and now it isn't there: it was deleted.
            if (error instanceof RefusedError && error.afterLostAnswer) return true;
            if (!options.ignoreMissing) throw error;
            return false;
          }
        },
        tell: (id, deleted) =>
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

/** The refusal with what to do about it. */
const inUse = (error: RefusedError): ApiError =>
  new ApiError(error.message, error, {
    hint: 'to detach and delete it, pass --force',
    details: error.details,
    cause: error,
  });
