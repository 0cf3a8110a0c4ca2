/** Defines the commands that create a key of a resource. */
import type { Endpoint, ResponseOf } from '../../contract/index.ts';
import { render } from '../../terminal/index.ts';
import { type Command, defineCommand } from '../framework/index.ts';
import type { ReadableResource } from '../resources/resource.ts';
import { idArgument } from './read.ts';

/** A key as it is created: the service returns `rawKey` only once. */
interface CreatedKey {
  readonly rawKey?: string;
  readonly maskedKey: string;
}

interface KeyTexts {
  readonly summary: string;
  readonly description: string;
  /** Printed after the key. */
  readonly note: string;
}

/** Returns `sonde dashboards create-key`. */
export function createKeyCommand<E extends Endpoint>(
  resource: ReadableResource,
  create: ResponseOf<E> extends CreatedKey ? E : never,
  { summary, description, note }: KeyTexts,
): Command {
  const { commandGroup, sampleId } = resource;
  const name = `${commandGroup} create-key`;
  const endpoint: Endpoint = create;
  return defineCommand({
    name,
    summary,
    description,
    endpoint,
    arguments: { id: idArgument(resource) },
    formats: ['plain'],
    examples: [
      { line: `${name} ${sampleId}`, does: 'Create a key and print it once' },
      { line: `${name} ${sampleId} -o plain > key`, does: 'Write a new key to a file' },
    ],
    async run({ client, terminal, signal }, { input, output }) {
      const { body } = await (await client()).call(endpoint, input, { signal });
      const key = body as CreatedKey;
      await render(terminal, {
        kind: 'item',
        data: key,
        output,
        columns: [
          { key: 'id', kind: 'id' },
          { key: 'rawKey', header: 'key', kind: 'id' },
          { key: 'created_at', header: 'created', kind: 'time' },
        ],
        formats: { plain: () => `${key.rawKey ?? key.maskedKey}\n` },
      });
      await terminal.note(note);
    },
  });
}
