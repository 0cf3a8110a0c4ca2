/** Describes dashboards for their commands. */
import { getDashboard, type ResponseOf } from '../../contract/index.ts';
import { describeVerification, formatDomain } from './custom-domain.ts';
import type { Resource } from './resource.ts';

type Dashboard = ResponseOf<typeof getDashboard>;

/** Returns the key, which the API returns only at its creation; otherwise the masked key. */
const formatKey = ({ rawKey, maskedKey }: NonNullable<Dashboard['keys']>[number]): string =>
  rawKey ?? maskedKey;

export const dashboards = {
  commandGroup: 'dashboards',
  noun: 'dashboard',
  plural: 'dashboards',
  catalogKey: 'dashboard',
  param: 'dashboardId',
  get: getDashboard,
  sampleId: '3c5d7e9f',
  columns: [
    { key: 'dashboardId', header: 'id', kind: 'id', isShort: true },
    { key: 'header', priority: 90, minWidth: 16 },
    { key: 'customUrl', header: 'slug', priority: 80 },
    { key: 'tags', kind: 'list', priority: 60 },
    { key: 'customDomain', header: 'domain', value: formatDomain, priority: 40, isRedundant: true },
  ],
  fields: [
    { key: 'dashboardId', header: 'id', kind: 'id' },
    { key: 'header', isRedundant: true },
    { key: 'customUrl', header: 'slug' },
    { key: 'customDomain', header: 'domain', value: formatDomain },
    { key: 'description' },
    { key: 'tags', kind: 'list' },
    { key: 'useTagsAndOperator', header: 'match all tags', kind: 'boolean' },
    { key: 'hideTags', header: 'hidden tags', kind: 'boolean' },
    { key: 'width' },
    { key: 'refreshRate', header: 'refresh interval (seconds)', kind: 'number' },
    { key: 'checksPerPage', header: 'checks per page', kind: 'number' },
    { key: 'paginate', header: 'page rotation', kind: 'boolean' },
    { key: 'paginationRate', header: 'rotation interval (seconds)', kind: 'number' },
    { key: 'sortByStatus', header: 'failing checks first', kind: 'boolean' },
    { key: 'expandChecks', header: 'charts on the page', kind: 'boolean' },
    { key: 'isPrivate', header: 'private', kind: 'boolean' },
    { key: 'keys', header: 'key', value: ({ keys = [] }) => keys.map(formatKey), kind: 'list' },
    { key: 'logo' },
    { key: 'favicon' },
    { key: 'link' },
    { key: 'created_at', header: 'created', kind: 'time' },
    { key: 'updated_at', header: 'updated', kind: 'time' },
  ],
  idOf: ({ dashboardId }) => dashboardId,
  page: ({ customUrl, dashboardId }) => `/dashboards/${encodeURIComponent(customUrl ?? dashboardId)}`,
  nameOf: ({ header, customUrl }) => header ?? customUrl,
  noteOf: (dashboard, commandLine) =>
    describeVerification(dashboard, () => commandLine('dashboards', 'verify-domain', dashboard.dashboardId)),
} satisfies Resource<Dashboard>;
