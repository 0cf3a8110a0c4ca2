/** Lists the files of a result from its details, which an agent may have written. */
import { isObject, type JsonObject } from '../../../base/object.ts';
import type { ResultAsset } from '../../../contract/resources/result-asset.ts';

const TYPES = new Map<unknown, ResultAsset['type']>([
  ['trace', 'trace'],
  ['transcript', 'log'],
]);

/** Suites also record videos; their kind is that of a picture. */
function typeOf(kind: unknown, contentType: unknown): ResultAsset['type'] {
  const [media] = typeof contentType === 'string' ? contentType.split('/') : [];
  if (media === 'video') return 'video';
  return TYPES.get(kind) ?? (media === 'image' ? 'screenshot' : 'file');
}

/** Returns the objects of a list; none if it is no list. */
export const listObjects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

export const listAssets = ({ artifacts }: JsonObject): readonly ResultAsset[] =>
  listObjects(artifacts).flatMap(({ id, kind, name, contentType }) =>
    typeof id !== 'string' || typeof name !== 'string'
      ? []
      : {
          type: typeOf(kind, contentType),
          name,
          url: `/v1/artifacts/${encodeURIComponent(id)}`,
          source: 'check-result',
          ...(typeof contentType === 'string' ? { contentType } : {}),
        },
  );
