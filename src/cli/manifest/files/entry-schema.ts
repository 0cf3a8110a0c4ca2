/** Describes the entries of a manifest: the fields of the API with references by name, and the fields that only files have. */
import { isCheckType } from '../../../contract/check-type-facts.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { kindOf, type Section } from '../kinds.ts';
import { isIdList, REFERENCES } from '../references.ts';

/** Texts that a separate file may contain, as `scriptFile` for `script`. `${` has no meaning in them. */
export const CODE_FIELDS: readonly string[] = [
  'script',
  'localSetupScript',
  'localTearDownScript',
  'prompt',
  'template',
];

/** The field that names the file of a code field. */
export const fileFieldOf = (name: string): string => `${name}File`;
/** Returns the code field of a field that names its file; undefined for other fields. */
export const codeFieldOf = (name: string): string | undefined =>
  CODE_FIELDS.find((one) => fileFieldOf(one) === name);

/** Fields of the API that files do not have, with the way to say the same. */
export const REPLACED_FIELDS: Readonly<Partial<Record<Section, Readonly<Record<string, string>>>>> = {
  alertChannels: { subscriptions: 'list the channel in alertChannelSubscriptions of checks and groups' },
};

const toNames = (text: string | undefined): string | undefined => text?.replace(/^ID(s?)\b/, 'Name$1');

/** Returns the schema of a reference by name. */
function referenceSchema({ type, items, description, ...rest }: JsonSchema): JsonSchema {
  const types = [type ?? 'string'].flat();
  const { 'x-unset': _, format: __, ...others } = rest;
  return {
    ...others,
    ...(items ? { items: referenceSchema(items) } : {}),
    type: types.map((one) => (one === 'number' || one === 'object' ? 'string' : one)),
    ...(description === undefined ? {} : { description: toNames(description) ?? '' }),
  };
}

/** Returns a schema of the API with references by name and with the files of code fields. */
function withNames(schema: JsonSchema): JsonSchema {
  const items = schema.items ? { items: withNames(schema.items) } : {};
  if (!schema.properties) return { ...schema, ...items };
  const properties = Object.entries(schema.properties).flatMap(([name, field]): [string, JsonSchema][] => {
    const reference = REFERENCES.find((one) => one.field === name);
    if (reference) return [[reference.name, referenceSchema(field)]];
    if (isIdList(field))
      return [
        [
          name,
          {
            type: 'array',
            items: { type: 'string', description: 'Name of a service' },
            description: field.description ?? '',
          },
        ],
      ];
    const inner = withNames(field);
    if (!CODE_FIELDS.includes(name)) return [[name, inner]];
    return [
      [name, inner],
      [
        fileFieldOf(name),
        { type: 'string', description: `File that contains ${name}, relative to this file` },
      ],
    ];
  });
  return {
    ...schema,
    ...items,
    properties: Object.fromEntries(properties),
    ...(schema.required
      ? {
          required: schema.required.map(
            (name) => REFERENCES.find(({ field }) => field === name)?.name ?? name,
          ),
        }
      : {}),
  };
}

const KEY: JsonSchema = {
  type: 'string',
  description: 'Identity of the resource in its project; default: its name',
};
const RENAMED_FROM: JsonSchema = { type: 'string', description: 'Former name or key of the resource' };
const SUITE: JsonSchema = {
  type: 'string',
  description: 'Folder of the Playwright project, relative to this file',
};
/** The field that lists the variables of code. */
export const CODE_VARIABLES = 'codeVariables';
/** The sections whose entries have code. */
const CODE_SECTIONS: readonly Section[] = ['snippets', 'alertChannels', 'groups', 'checks'];
const CODE_VARIABLE_LIST: JsonSchema = {
  type: 'array',
  items: { type: 'string', description: 'Name of a variable' },
  description: `Variables whose references, such as \${NAME}, are replaced in the code of the entry, too`,
};
const ACCESS: Readonly<Record<string, JsonSchema>> = {
  isPrivate: { type: 'boolean', description: 'Whether the page requires an access key', default: false },
  whiteLabel: { type: 'boolean', description: "Whether the page omits the provider's name", default: false },
};

/** Returns the fields of an entry that the API does not have. A variable's `key` is a field of the API. */
export const ownFieldsOf = (section: Section, checkType: unknown): readonly string[] => [
  ...(section === 'variables' ? [] : ['key']),
  'renamedFrom',
  ...(checkType === 'PLAYWRIGHT' ? ['suite'] : []),
];

const schemas = new Map<string, JsonSchema | undefined>();

/** Returns the schema of an entry. Undefined: the type of the check is unknown. */
export function entrySchemaOf(section: Section, checkType?: unknown): JsonSchema | undefined {
  const id = `${section} ${section === 'checks' ? String(checkType) : ''}`;
  if (!schemas.has(id)) schemas.set(id, createEntrySchema(section, checkType));
  return schemas.get(id);
}

function createEntrySchema(section: Section, checkType: unknown): JsonSchema | undefined {
  if (section === 'checks' && !isCheckType(checkType)) return undefined;
  const kind = kindOf(section);
  const body = kind.create({ checkType })?.body;
  if (!body) return undefined;
  const { properties = {}, required = [], ...rest } = withNames(body);
  const isSuite = checkType === 'PLAYWRIGHT';
  const filled = Object.keys(kind.fill?.({ checkType }) ?? {});
  const optional = [...filled, ...(isSuite ? ['codeBundleId'] : []), ...CODE_FIELDS];
  const hidden = Object.keys(REPLACED_FIELDS[section] ?? {});
  return {
    ...rest,
    properties: {
      ...(section === 'checks' ? { checkType: { type: 'string', description: 'Type of the check' } } : {}),
      ...(section === 'variables' ? {} : { key: KEY }),
      renamedFrom: RENAMED_FROM,
      ...(CODE_SECTIONS.includes(section) ? { [CODE_VARIABLES]: CODE_VARIABLE_LIST } : {}),
      ...Object.fromEntries(Object.entries(properties).filter(([name]) => !hidden.includes(name))),
      ...(section === 'statusPages' ? ACCESS : {}),
      ...(isSuite ? { suite: SUITE } : {}),
    },
    required: [
      ...(section === 'checks' ? ['checkType'] : []),
      ...required.filter((name) => !optional.includes(name)),
    ],
  };
}
