/** Lists the sections of a manifest: the endpoints of each kind of resource, and the field that identifies an entry. */

import { createHash } from 'node:crypto';
import { isObject } from '../../base/object.ts';
import { isCheckType } from '../../contract/check-type-facts.ts';
import { CHECK_TYPE_ENDPOINTS, CHECK_TYPES } from '../../contract/generated/check-types.js';
import {
  createAlertChannel,
  createCheckGroup,
  createDashboard,
  createMaintenanceWindow,
  createPrivateLocation,
  createService,
  createSnippet,
  createStatusPage,
  createVariable,
  type Endpoint,
  listAlertChannels,
  listCheckGroups,
  listChecks,
  listCodeBundles,
  listDashboards,
  listMaintenanceWindows,
  listPrivateLocations,
  listServices,
  listSnippets,
  listStatusPages,
  listVariables,
  updateAlertChannel,
  updateCheck,
  updateCheckGroupV2,
  updateDashboard,
  updateMaintenanceWindow,
  updatePrivateLocation,
  updateService,
  updateSnippet,
  updateStatusPage,
  updateVariable,
  uploadCodeBundle,
} from '../../contract/index.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Kind {
  readonly noun: string;
  readonly list: Endpoint;
  /** Returns the endpoint for a body. Undefined: the body has an unknown type. */
  readonly create: (body: Fields) => Endpoint | undefined;
  readonly update: (remote: Fields) => Endpoint;
  /** The path parameter of `update` for the ID, and the field of the ID in responses. */
  readonly param: string;
  readonly key: string;
  /** The field that identifies an entry, and its value. */
  readonly field: string;
  readonly nameOf: (body: Fields) => unknown;
  /** Whether an update replaces the whole resource. */
  readonly replaces?: true;
  /** The field that cannot change after creation. */
  readonly typeField?: string;
  /** Fields that responses never contain. */
  readonly writeOnly?: readonly string[];
  /** Returns values of required fields that the file may omit. */
  readonly fill?: (body: Fields) => Fields;
}

const namedByName = { field: 'name', nameOf: ({ name }: Fields) => name, param: 'id', key: 'id' } as const;

/** Returns the ID of a code bundle: the SHA-256 of its archive. */
const bundleId = (archive: unknown): string =>
  createHash('sha256')
    .update(Buffer.from(typeof archive === 'string' ? archive : '', 'base64'))
    .digest('hex');

/** In creation order: referenced kinds come first. */
export const KINDS = {
  snippets: {
    noun: 'snippet',
    list: listSnippets,
    create: () => createSnippet,
    update: () => updateSnippet,
    ...namedByName,
  },
  variables: {
    noun: 'variable',
    list: listVariables,
    create: () => createVariable,
    update: () => updateVariable,
    field: 'key',
    nameOf: ({ key }: Fields) => key,
    param: 'key',
    key: 'key',
  },
  privateLocations: {
    noun: 'private location',
    list: listPrivateLocations,
    create: () => createPrivateLocation,
    update: () => updatePrivateLocation,
    ...namedByName,
    field: 'slugName',
    nameOf: ({ slugName }: Fields) => slugName,
  },
  alertChannels: {
    noun: 'alert channel',
    list: listAlertChannels,
    create: () => createAlertChannel,
    update: () => updateAlertChannel,
    ...namedByName,
    typeField: 'type',
    field: 'config',
    nameOf: ({ config }: Fields) =>
      isObject(config) ? (config.name ?? config.address ?? config.number ?? config.url) : undefined,
  },
  services: {
    noun: 'service',
    list: listServices,
    create: () => createService,
    update: () => updateService,
    ...namedByName,
  },
  codeBundles: {
    noun: 'code bundle',
    list: listCodeBundles,
    create: () => uploadCodeBundle,
    // The ID is the hash of the content, so a bundle never changes.
    update: () => uploadCodeBundle,
    field: 'archive',
    param: 'id',
    key: 'id',
    writeOnly: ['archive'],
    nameOf: ({ id, archive }: Fields) => id ?? bundleId(archive),
  },
  groups: {
    noun: 'check group',
    list: listCheckGroups,
    create: () => createCheckGroup,
    update: () => updateCheckGroupV2,
    replaces: true,
    ...namedByName,
  },
  checks: {
    noun: 'check',
    list: listChecks,
    create: ({ checkType: type }: Fields) =>
      isCheckType(type) ? CHECK_TYPE_ENDPOINTS[type].create : undefined,
    update: ({ checkType: type }: Fields) =>
      isCheckType(type) ? CHECK_TYPE_ENDPOINTS[type].update : updateCheck,
    fill: ({ checkType: type }: Fields) => (isCheckType(type) ? CHECK_TYPES[type].fill : {}),
    typeField: 'checkType',
    ...namedByName,
  },
  statusPages: {
    noun: 'status page',
    list: listStatusPages,
    create: () => createStatusPage,
    update: () => updateStatusPage,
    replaces: true,
    ...namedByName,
    field: 'url',
    nameOf: ({ url }: Fields) => url,
    param: 'statusPageId',
    fill: () => ({ cards: [] }),
  },
  maintenanceWindows: {
    noun: 'maintenance window',
    list: listMaintenanceWindows,
    create: () => createMaintenanceWindow,
    update: () => updateMaintenanceWindow,
    ...namedByName,
    fill: () => ({ repeatUnit: null }),
  },
  dashboards: {
    noun: 'dashboard',
    list: listDashboards,
    create: () => createDashboard,
    update: () => updateDashboard,
    field: 'customUrl',
    nameOf: ({ customUrl }: Fields) => customUrl,
    param: 'dashboardId',
    key: 'dashboardId',
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type Section = keyof typeof KINDS;
export const SECTIONS = Object.keys(KINDS) as readonly Section[];
export const kindOf = (section: Section): Kind => KINDS[section];

/** Returns the name of an entry. Entries with the same name are matched in order. */
export const formatName = (kind: Kind, body: Fields): string => String(kind.nameOf(body) ?? '');
