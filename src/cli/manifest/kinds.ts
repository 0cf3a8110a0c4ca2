/** Lists the sections of a manifest: the endpoints of each kind of resource, and the field that identifies an entry. */

import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../base/object.ts';
import { isCheckType } from '../../contract/check-type-facts.ts';
import { CHECK_TYPE_ENDPOINTS } from '../../contract/generated/check-type-endpoints.js';
import { CHECK_TYPES } from '../../contract/generated/check-types.js';
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
  deleteAlertChannel,
  deleteCheck,
  deleteCheckGroup,
  deleteDashboard,
  deleteMaintenanceWindow,
  deletePrivateLocation,
  deleteService,
  deleteSnippet,
  deleteStatusPage,
  deleteVariable,
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
import { formatChannelTarget } from '../../contract/mask-credential.ts';
import type { UpdateEndpoints } from '../resource-commands/update.ts';
import type { Check } from '../resources/check-status.ts';
import { updateEndpointsOf } from '../resources/update-check-endpoint.ts';
import { GROUP_UPDATE } from '../resources/update-group-endpoint.ts';

export interface Kind {
  readonly noun: string;
  readonly list: Endpoint;
  /** Returns the endpoint for a body. Undefined: the body has an unknown type. */
  readonly create: (body: JsonObject) => Endpoint | undefined;
  readonly update: (remote: JsonObject) => UpdateEndpoints;
  /** Absent: the API cannot delete the resource. */
  readonly remove?: Endpoint;
  /** Whether other resources may refer to it, so that it is deleted after them. */
  readonly isReferenced: boolean;
  /** The path parameter of `update` for the ID, and the field of the ID in responses. */
  readonly param: string;
  readonly key: string;
  /** The field that identifies an entry, and its value. */
  readonly field: string;
  readonly nameOf: (body: JsonObject) => unknown;
  /** Whether no two resources of a deployment have the same name. */
  readonly isUnique?: true;
  /** Whether an update replaces the whole resource. */
  readonly replaces?: true;
  /** Objects into which an update merges the fields that it sends. */
  readonly merges?: readonly string[];
  /** The field that cannot change after creation. */
  readonly typeField?: string;
  /** Whether an update sends only the fields that change. */
  readonly sendsChanges?: true;
  /** Returns values of required fields that the file may omit. */
  readonly fill?: (body: JsonObject) => JsonObject;
}

/** Returns a kind whose entries are identified by their name. */
const named = (noun: string, list: Endpoint, create: Endpoint, update: Endpoint, remove?: Endpoint) =>
  ({
    noun,
    list,
    create: () => create,
    update: (_remote: JsonObject): UpdateEndpoints => ({ endpoint: update }),
    ...(remove === undefined ? {} : { remove }),
    isReferenced: true,
    field: 'name',
    nameOf: ({ name }: JsonObject) => name,
    param: 'id',
    key: 'id',
  }) satisfies Kind;

/** Returns the ID of a code bundle: the SHA-256 of its archive. */
const bundleId = (archive: unknown): string =>
  createHash('sha256')
    .update(Buffer.from(typeof archive === 'string' ? archive : '', 'base64'))
    .digest('hex');

/** In creation order: referenced kinds come first. */
export const KINDS = {
  snippets: named('snippet', listSnippets, createSnippet, updateSnippet, deleteSnippet),
  variables: {
    ...named('variable', listVariables, createVariable, updateVariable, deleteVariable),
    isUnique: true,
    field: 'key',
    nameOf: ({ key }: JsonObject) => key,
    param: 'key',
    key: 'key',
  },
  privateLocations: {
    ...named(
      'private location',
      listPrivateLocations,
      createPrivateLocation,
      updatePrivateLocation,
      deletePrivateLocation,
    ),
    isUnique: true,
    field: 'slugName',
    nameOf: ({ slugName }: JsonObject) => slugName,
  },
  alertChannels: {
    ...named('alert channel', listAlertChannels, createAlertChannel, updateAlertChannel, deleteAlertChannel),
    typeField: 'type',
    field: 'config',
    nameOf: ({ type, config }: JsonObject) =>
      isObject(config) ? (config.name ?? formatChannelTarget(type, config)) : undefined,
  },
  services: named('service', listServices, createService, updateService, deleteService),
  codeBundles: {
    // The ID is the hash of the content, so a bundle never changes.
    ...named('code bundle', listCodeBundles, uploadCodeBundle, uploadCodeBundle),
    field: 'archive',
    nameOf: ({ id, archive }: JsonObject) => id ?? bundleId(archive),
  },
  groups: {
    ...named('check group', listCheckGroups, createCheckGroup, updateCheckGroupV2, deleteCheckGroup),
    update: () => GROUP_UPDATE,
    replaces: true,
  },
  checks: {
    ...named('check', listChecks, updateCheck, updateCheck, deleteCheck),
    isReferenced: false,
    create: ({ checkType: type }: JsonObject) =>
      isCheckType(type) ? CHECK_TYPE_ENDPOINTS[type].create : undefined,
    update: (check: JsonObject) => updateEndpointsOf(check as Check),
    fill: ({ checkType: type }: JsonObject) => (isCheckType(type) ? CHECK_TYPES[type].fill : {}),
    typeField: 'checkType',
  },
  statusPages: {
    ...named('status page', listStatusPages, createStatusPage, updateStatusPage, deleteStatusPage),
    isReferenced: false,
    replaces: true,
    isUnique: true,
    field: 'url',
    nameOf: ({ url }: JsonObject) => url,
    param: 'statusPageId',
    fill: () => ({ cards: [] }),
  },
  maintenanceWindows: {
    ...named(
      'maintenance window',
      listMaintenanceWindows,
      createMaintenanceWindow,
      updateMaintenanceWindow,
      deleteMaintenanceWindow,
    ),
    isReferenced: false,
    sendsChanges: true,
    merges: ['statusPageVisibility'],
    fill: () => ({ repeatUnit: null }),
  },
  dashboards: {
    ...named('dashboard', listDashboards, createDashboard, updateDashboard, deleteDashboard),
    isReferenced: false,
    isUnique: true,
    field: 'customUrl',
    nameOf: ({ customUrl }: JsonObject) => customUrl,
    param: 'dashboardId',
    key: 'dashboardId',
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type Section = keyof typeof KINDS;
export const SECTIONS = Object.keys(KINDS) as readonly Section[];
export const kindOf = (section: Section): Kind => KINDS[section];

/** Returns the name of an entry. Entries with the same name are matched in order. */
export const formatName = (kind: Kind, body: JsonObject): string => String(kind.nameOf(body) ?? '');
