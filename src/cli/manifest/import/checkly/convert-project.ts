/** Converts what the npm client sends to deploy a project to entries of a manifest. */
import { isObject, type JsonObject } from '../../../../base/object.ts';
import type { SuiteFiles } from '../../export/declared-manifest.ts';
import { formatName, kindOf, type Section } from '../../kinds.ts';
import { type Conversion, createConversion, type ImportResult } from '../conversion.ts';
import type { FieldRules } from '../convert-item.ts';
import { mapOf, mapsOf, textOf } from '../values.ts';
import { convertComponents } from './convert-components.ts';
import { declareResource, isSupported } from './declare-resource.ts';

/** The request that deploys a project, and the archives that were uploaded before it, by key. */
export interface Deployment {
  readonly request: JsonObject;
  readonly suites: ReadonlyMap<string, SuiteFiles>;
}

const SECTIONS: Readonly<Record<string, Section>> = {
  'status-page-service': 'services',
  'private-location': 'privateLocations',
  snippet: 'snippets',
  'alert-channel': 'alertChannels',
  'status-page': 'statusPages',
  'check-group': 'groups',
  check: 'checks',
  'maintenance-window': 'maintenanceWindows',
  dashboard: 'dashboards',
};

/** Fields of payloads that have an effect elsewhere, with what to do instead. */
const PAYLOAD_RULES: FieldRules = {
  'playwrightConfig.use.contextOptions': ['paused', 'set the options in use'],
  'playwrightConfig.use.launchOptions': ['paused', 'set them in the test, with test.use()'],
  'playwrightConfig.use.proxy': ['paused', 'run the check in a location behind the proxy'],
  'playwrightConfig.expect': ['paused', 'compare values instead of screenshots'],
  playwrightConfig: ['paused', 'set the option in the test, with test.use()'],
  'config.channel': ['changed', 'the webhook of Slack decides the channel'],
  // Versions of settings, the archive that becomes the suite, and facts that the client derives from it.
  v: 'covered',
  version: 'covered',
  googleAnalyticsTag: ['changed', 'pages of sonde contain no scripts'],
  codeBundlePath: 'covered',
  cacheHash: 'covered',
  playwrightVersion: 'covered',
  browsers: 'covered',
  snapshots: ['paused', 'compare values instead of screenshots'],
  setupScriptDependencies: ['paused', 'put the imported code into the setup script'],
  tearDownScriptDependencies: ['paused', 'put the imported code into the teardown script'],
};

interface Resource {
  readonly type: string;
  readonly logicalId: string;
  readonly payload: JsonObject;
}

export function convertProject({ request, suites }: Deployment): ImportResult {
  const conversion = createConversion();
  const declared = mapsOf(request.resources).map((one) => ({
    type: textOf(one.type),
    logicalId: textOf(one.logicalId),
    isMember: one.member !== false,
    physicalId: one.physicalId,
    payload: mapOf(one.payload),
  }));
  const members = convertComponents(
    declared.filter(({ isMember }) => isMember).map(withChannelName),
    conversion,
  );
  const labels = labelsOf(members);
  /** Returns how entries refer to a resource; for one outside of the project its ID, which is not a name. */
  const labelOf = (value: unknown, to: Section): string | undefined =>
    isObject(value) ? labels.get(`${to} ${textOf(value.ref)}`) : undefined;
  const sharedFiles = mapsOf(request.sharedFiles);
  for (const resource of members) {
    const section = SECTIONS[resource.type];
    if (section === undefined) {
      if (!isLink(resource.type))
        conversion.lossesOf(resource.type, resource.logicalId)(
          'skipped',
          undefined,
          'monitoring files have no such resource',
        );
      continue;
    }
    const links = members.filter(
      ({ type, payload }) => isLink(type) && targetOf(payload) === `${section} ${resource.logicalId}`,
    );
    const body = toBody(section, resource, links, { labels, sharedFiles, conversion });
    declareResource(
      {
        section,
        name: nameOf(section, resource),
        key: resource.logicalId,
        body,
        labelOf,
        suite: suites.get(textOf(resource.payload.codeBundlePath)),
        rules: PAYLOAD_RULES,
      },
      conversion,
    );
  }
  return conversion.finish();
}

const nameOf = (section: Section, { payload, logicalId }: Resource): string =>
  formatName(kindOf(section), payload) || logicalId;

/** Returns the resource with a name for its channel: otherwise its URL would be the name, which is a credential. */
function withChannelName(resource: Resource): Resource {
  const config = mapOf(resource.payload.config);
  if (resource.type !== 'alert-channel' || config.url === undefined || textOf(config.name) !== '')
    return resource;
  return { ...resource, payload: { ...resource.payload, config: { name: resource.logicalId, ...config } } };
}

/** Returns the labels of resources by section and logical ID: the name, or the logical ID if the name is not unique. */
function labelsOf(resources: readonly Resource[]): ReadonlyMap<string, string> {
  const named = resources.flatMap((resource) => {
    const section = SECTIONS[resource.type];
    return section === undefined || !isSupported(section, resource.payload)
      ? []
      : [{ section, name: nameOf(section, resource), logicalId: resource.logicalId }];
  });
  return new Map(
    named.map(({ section, name, logicalId }) => {
      const isUnique = named.every(
        (other) =>
          other.section !== section ||
          other.logicalId === logicalId ||
          (other.name !== name && other.logicalId !== name),
      );
      return [`${section} ${logicalId}`, isUnique ? name : logicalId];
    }),
  );
}

const isLink = (type: string): boolean => /-(?:subscription|assignment)$/.test(type);

/** Returns the check or group of a link. */
function targetOf({ checkId, groupId }: JsonObject): string {
  return isObject(checkId) ? `checks ${textOf(checkId.ref)}` : `groups ${textOf(mapOf(groupId).ref)}`;
}

interface BodyContext {
  readonly labels: ReadonlyMap<string, string>;
  readonly sharedFiles: readonly JsonObject[];
  readonly conversion: Conversion;
}

/** Returns the body of the API. References stay `{ref}`. */
function toBody(
  section: Section,
  resource: Resource,
  links: readonly Resource[],
  { labels, sharedFiles, conversion }: BodyContext,
): JsonObject {
  const { payload } = resource;
  const report = conversion.lossesOf(kindOf(section).noun, nameOf(section, resource));
  if (section === 'groups' && payload.v !== 2 && payload.retryStrategy === undefined)
    report('changed', 'retries', 'each check of the group uses its own strategy');
  const { retryStrategy, apiCheckDefaults } = payload;
  const onlyOn = mapOf(retryStrategy).onlyOn;
  const slugs = links.flatMap(({ payload: { privateLocationId } }) => {
    const id = textOf(mapOf(privateLocationId).ref);
    const slug = labels.get(`privateLocations ${id}`);
    if (id !== '' && slug === undefined)
      report('changed', 'private location', `${id} has no entry; add its slug`);
    return slug ?? [];
  });
  return {
    ...(section === 'maintenanceWindows' ? { repeatUnit: null } : {}),
    ...payload,
    ...(typeof onlyOn === 'string' ? { retryStrategy: { ...mapOf(retryStrategy), onlyOn: [onlyOn] } } : {}),
    ...(Array.isArray(payload.dependencies)
      ? {
          dependencies: payload.dependencies.flatMap((index: unknown) =>
            typeof index === 'number' ? (sharedFiles[index] ?? []) : [],
          ),
        }
      : {}),
    ...(isObject(apiCheckDefaults) ? { apiCheckDefaults: withoutEmptyTexts(apiCheckDefaults) } : {}),
    ...(section === 'statusPages' ? { cards: toCards(payload.cards) } : {}),
    ...(section === 'checks' || section === 'groups'
      ? { alertChannelSubscriptions: subscriptionsOf(links, labels, report) }
      : {}),
    ...(slugs.length > 0 ? { privateLocations: slugs } : {}),
  };
}

/** The client sends empty texts for defaults that a group does not have. */
function withoutEmptyTexts({ url, basicAuth, ...others }: JsonObject): JsonObject {
  const { username, password } = mapOf(basicAuth);
  return {
    ...others,
    ...(textOf(url) === '' ? {} : { url }),
    ...(textOf(username) + textOf(password) === '' ? {} : { basicAuth }),
  };
}

/** In a payload, the services of a card are references. */
const toCards = (cards: unknown): readonly JsonObject[] =>
  mapsOf(cards).map((card) => ({
    ...card,
    services: mapsOf(card.services).map((service) => ({ id: service })),
  }));

/** Returns the subscriptions to channels that have an entry. */
function subscriptionsOf(
  links: readonly Resource[],
  labels: ReadonlyMap<string, string>,
  report: ReturnType<Conversion['lossesOf']>,
): readonly JsonObject[] {
  return links.flatMap(({ payload: { alertChannelId, activated } }) => {
    const id = textOf(mapOf(alertChannelId).ref);
    if (id === '') return [];
    if (labels.has(`alertChannels ${id}`)) return [{ alertChannelId, activated: activated ?? true }];
    report('changed', 'alert channel', `${id} has no entry; subscribe to another channel`);
    return [];
  });
}

/** Returns the logical ID of the project, if it can be the name of a project of files. */
export function projectOf({ request }: Deployment): string | undefined {
  const id = textOf(mapOf(request.project).logicalId);
  return /^[\w.-]{1,100}$/.test(id) ? id : undefined;
}
