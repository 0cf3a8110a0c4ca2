/** Schema of the files of a result. */
import { allOptional, array, boolean, integer, nullable, oneOf, open, string, type Type } from '../schema.ts';

export const ASSET_TYPES = ['log', 'trace', 'video', 'screenshot', 'pcap', 'report', 'file'] as const;

export const resultAsset = open(
  {
    type: oneOf(ASSET_TYPES, 'Kind of file'),
    name: string('Name of the file'),
    url: string('Where to get the file with the API key: a path of this service'),
    source: string('Where the file comes from'),
    ...allOptional({ contentType: string('Media type of the file') }),
  },
  { title: 'ResultAsset' },
);
export type ResultAsset = Type.Static<typeof resultAsset>;

export const resultAssets = open(
  {
    assets: array(resultAsset, 'Files of the result'),
    ...allOptional({
      truncated: boolean('Whether files are missing from the list'),
      entriesReturned: integer('Number of files in the list'),
      entriesTotal: nullable(integer('Number of files of the result that match')),
    }),
  },
  { title: 'ResultAssets' },
);

export const assetFilters = allOptional({
  type: oneOf(ASSET_TYPES, 'Only files of this kind'),
  name: string('Only files with this name or glob (`*.zip`), regardless of case', { maxLength: 200 }),
});
