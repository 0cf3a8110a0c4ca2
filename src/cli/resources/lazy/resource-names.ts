/** Fetches the names of groups and alert channels for tables and cards. */
import { SondeError } from '../../../base/errors.ts';
import { tolerate } from '../../../base/tolerate.ts';
import type { EntryOf } from '../../../client/index.ts';
import { type Endpoint, type Input, listAlertChannels, listCheckGroups } from '../../../contract/index.ts';
import type { Deps } from '../../framework/index.ts';
import { formatChannel } from '../alert-channels.ts';

/** Names by ID. */
export type Names = ReadonlyMap<unknown, string>;

/** Fetches the names in a list. Returns those it has if the list cannot be read. */
async function fetchNames<E extends Endpoint>(
  { client, signal }: Pick<Deps, 'client' | 'signal'>,
  list: E,
  nameOf: (entry: EntryOf<E>) => readonly [id: unknown, name: string],
): Promise<Names> {
  const names = new Map<unknown, string>();
  try {
    const input = { query: { limit: 100 } } as unknown as Input<E>;
    for await (const { entries } of (await client()).pages(list, input, { all: true, signal })) {
      for (const entry of entries) {
        const named = tolerate(() => nameOf(entry));
        if (named?.[1]) names.set(...named);
      }
    }
  } catch (error) {
    if (!(error instanceof SondeError)) throw error;
  }
  return names;
}

export const fetchGroupNames = (deps: Pick<Deps, 'client' | 'signal'>): Promise<Names> =>
  fetchNames(deps, listCheckGroups, ({ id, name }) => [id, name]);

/** Fetches names such as `Deploys (WEBHOOK)`. */
export const fetchChannelNames = (deps: Pick<Deps, 'client' | 'signal'>): Promise<Names> =>
  fetchNames(deps, listAlertChannels, (channel) => [channel.id, formatChannel(channel)]);
