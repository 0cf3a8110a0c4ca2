/** Describes status pages for their commands. */
import type { getStatusPage, ResponseOf } from '../../contract/index.ts';
import type { Resource } from './resource.ts';
import { statusPageView } from './status-page-view.ts';

type StatusPage = ResponseOf<typeof getStatusPage>;

const countServices = ({ cards }: StatusPage): number =>
  (cards ?? []).reduce((sum, { services = [] }) => sum + services.length, 0);

export const statusPages: Resource<StatusPage> = {
  commandGroup: 'status-pages',
  noun: 'status page',
  plural: 'status pages',
  catalogKey: 'status-page',
  param: 'statusPageId',
  columns: [
    { key: 'id', kind: 'id', isShort: true },
    { key: 'name', priority: 90, minWidth: 24 },
    { key: 'url', header: 'slug', priority: 80 },
    { key: 'customDomain', header: 'domain', priority: 60 },
    { key: 'services', value: countServices, kind: 'number', priority: 50 },
    { key: 'isPrivate', header: 'private', kind: 'boolean', priority: 40 },
  ],
  // `view` has its own columns.
  fields: [],
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  view: (_deps, line, page) => statusPageView(line, page),
};
