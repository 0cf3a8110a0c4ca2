/** Converts answers of the API, as lists of resources by section, to entries of a manifest. */
import type { JsonObject } from '../../../../base/object.ts';
import { createKeys } from '../../export/entry-keys.ts';
import { formatName, kindOf, SECTIONS, type Section } from '../../kinds.ts';
import { listHiddenValues } from '../../write-only-values.ts';
import { createConversion, type ImportResult } from '../conversion.ts';
import { mapOf, mapsOf, textOf } from '../values.ts';
import { declareResource, isSupported } from './declare-resource.ts';

export type Answers = Readonly<Partial<Record<Section, readonly JsonObject[]>>>;

/** Returns channels with a name: otherwise their URL would be the name, which is a credential. */
const withChannelNames = (channels: readonly JsonObject[]): readonly JsonObject[] =>
  channels.map((channel) => {
    const config = mapOf(channel.config);
    if (config.url === undefined || textOf(config.name) !== '') return channel;
    return {
      ...channel,
      config: { name: `${textOf(channel.type).toLowerCase()}-${textOf(channel.id)}`, ...config },
    };
  });

export function convertAnswers(source: Answers): ImportResult {
  const answers = { ...source, alertChannels: withChannelNames(source.alertChannels ?? []) };
  const conversion = createConversion();
  const rows = SECTIONS.flatMap((section) =>
    (answers[section] ?? []).map((row) => ({ section, row, owner: undefined })),
  );
  const keyOf = createKeys(rows);
  const supported = rows.filter(({ section, row }) => isSupported(section, row));
  const labels = new Map(
    supported.map(({ section, row }) => {
      const kind = kindOf(section);
      return [`${section} ${String(row[kind.key])}`, keyOf(row) ?? formatName(kind, row)];
    }),
  );
  for (const { section, row } of rows) {
    const name = formatName(kindOf(section), row);
    const key = keyOf(row);
    const report = conversion.lossesOf(kindOf(section).noun, name);
    for (const { label } of listHiddenValues(section, row))
      report('changed', label || 'value', 'the API does not return the value; add it');
    declareResource(
      {
        section,
        name,
        ...(key === undefined ? {} : { key }),
        body: withSubscriptions(section, row, answers),
        labelOf: (id, to) => labels.get(`${to} ${String(id)}`),
      },
      conversion,
    );
  }
  return conversion.finish();
}

/** Returns a check or group with its subscriptions, which some answers list only at the channels. */
function withSubscriptions(section: Section, row: JsonObject, { alertChannels = [] }: Answers): JsonObject {
  if ((section !== 'checks' && section !== 'groups') || row.alertChannelSubscriptions !== undefined)
    return row;
  const field = section === 'checks' ? 'checkId' : 'groupId';
  const subscriptions = alertChannels.flatMap(({ id, subscriptions: own }) =>
    mapsOf(own)
      .filter((one) => one[field] === row.id)
      .map(({ activated }) => ({ alertChannelId: id, activated: activated ?? true })),
  );
  return subscriptions.length > 0 ? { ...row, alertChannelSubscriptions: subscriptions } : row;
}
