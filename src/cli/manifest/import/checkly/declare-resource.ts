/** Declares resources of the API as entries of a manifest: with references by name, and without secrets. */
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { isCheckType } from '../../../../contract/check-type-facts.ts';
import { ALERT_CHANNEL_TYPES } from '../../../../contract/enumerations.ts';
import { toRequestBody } from '../../../edit/to-request.ts';
import type { SuiteFiles } from '../../export/declared-manifest.ts';
import { kindOf, type Section } from '../../kinds.ts';
import { idsToNames } from '../../references.ts';
import { isSecretName } from '../../secrets/key-like.ts';
import type { Conversion, ReportLoss } from '../conversion.ts';
import { convertItem, type FieldRules } from '../convert-item.ts';
import { trackSource, withoutViews } from '../tracked-source.ts';
import { textOf } from '../values.ts';
import { listPackages } from './list-packages.ts';

export interface ApiResource {
  readonly section: Section;
  readonly name: string;
  /** The identity of the entry; undefined: its name. */
  readonly key?: string;
  /** The fields of the API. */
  readonly body: JsonObject;
  /** Returns how entries refer to a resource. Undefined: it is not part of the source. */
  readonly labelOf: (id: unknown, to: Section) => string | undefined;
  readonly suite?: SuiteFiles | undefined;
  /** What fields mean that the API of sonde does not have. */
  readonly rules?: FieldRules;
}

/** Adds the entry, unless sonde lacks the type of the resource. */
export function declareResource(resource: ApiResource, conversion: Conversion): void {
  const { section, name, body, suite, rules } = resource;
  const source = trackSource(body);
  const item = { kind: kindOf(section).noun, name, source, rules: { ...BODY_RULES, ...rules }, isDefault };
  const { value, isPaused } = convertItem(conversion, item, (report) =>
    toEntry({ ...resource, body: source }, conversion, report),
  );
  if (value === undefined) return;
  conversion.add(
    section,
    { ...value, ...(isPaused && section === 'checks' ? { activated: false } : {}) },
    suite,
  );
}

/** Fields that requests do not have, because the service decides them or they are part of other fields. */
const BODY_RULES: FieldRules = {
  id: 'covered',
  accountId: 'covered',
  checkType: 'covered',
  created_at: 'covered',
  updated_at: 'covered',
  subscriptions: 'covered',
};

/** Whether a field says what checks of sonde always do. */
const isDefault = (path: string, value: unknown): boolean =>
  value === false && ['doubleCheck', 'runParallel'].includes(path);

function toEntry(
  { section, name, key, body, labelOf }: ApiResource,
  conversion: Conversion,
  report: ReportLoss,
): JsonObject | undefined {
  const missing = missingType(section, body);
  if (missing !== undefined) {
    report('skipped', undefined, missing);
    return undefined;
  }
  const schema = kindOf(section).create(body)?.body ?? {};
  const request = withoutViews(toRequestBody(schema, body));
  const named = idsToNames(schema, request, (id, to) => {
    const label = labelOf(id, to);
    if (label === undefined)
      report('paused', kindOf(to).noun, `${String(id)} is not part of the source; refer to it by name`);
    return label;
  });
  const { subscriptions: _, ...fields } = named;
  const checkType = section === 'checks' ? { checkType: body.checkType } : {};
  const packages = listPackages(fields);
  if (packages.length > 0)
    report('paused', 'script', `it imports ${packages.join(', ')}, which scripts of sonde do not have`);
  return {
    ...(key === undefined || key === name ? {} : { key }),
    ...checkType,
    ...withoutSecrets(section, name, fields, conversion),
  };
}

/** Whether sonde has the type of the resource. */
export const isSupported = (section: Section, body: JsonObject): boolean =>
  missingType(section, body) === undefined;

function missingType(section: Section, { checkType, type }: JsonObject): string | undefined {
  if (section === 'checks' && !isCheckType(checkType))
    return `sonde has no check of the type ${textOf(checkType)}`;
  if (section === 'alertChannels' && !(ALERT_CHANNEL_TYPES as readonly unknown[]).includes(type))
    return `sonde has no alert channel of the type ${textOf(type)}; use a webhook`;
  if (section === 'alertChannels' && type === 'SLACK_APP')
    return 'sonde needs the bot token of a Slack app; create the channel with it';
  return undefined;
}

/** Fields that are credentials, by section. */
const SECRET_FIELDS: Readonly<Partial<Record<Section, readonly string[]>>> = {
  alertChannels: ['url', 'serviceKey', 'apiKey', 'webhookSecret'],
  checks: ['password', 'pingToken'],
  groups: ['password'],
  variables: [],
};

/** Replaces credentials, and values of pairs and variables whose names look like secrets, by variables. */
function withoutSecrets(
  section: Section,
  owner: string,
  fields: JsonObject,
  conversion: Conversion,
): JsonObject {
  const secretFields = SECRET_FIELDS[section];
  if (secretFields === undefined) return fields;
  const isHidden = ({ key, locked, secret }: JsonObject) =>
    locked === true || secret === true || isSecretName(textOf(key));
  const hide = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hide);
    if (!isObject(value)) return value;
    const hidden = Object.entries(value).map(([name, item]) => {
      const isSecret = secretFields.includes(name) || (name === 'value' && 'key' in value && isHidden(value));
      const isText = typeof item === 'string' && item !== '' && !item.startsWith('{{');
      const hint = name === 'value' ? textOf(value.key) : name;
      if (isSecret && isText)
        return [name, conversion.secret(item, ...(section === 'variables' ? [] : [owner]), hint)];
      return [name, hide(item)];
    });
    return Object.fromEntries(hidden);
  };
  return hide(fields) as JsonObject;
}
