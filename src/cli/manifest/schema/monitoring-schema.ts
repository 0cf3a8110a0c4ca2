/** Generates the JSON Schema of the files of a project, with which editors complete and validate them. */
import { CHECK_TYPE_NAMES, checkTypeLabel } from '../../../contract/check-type-facts.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { entrySchemaOf } from '../files/entry-schema.ts';
import { NAME } from '../files/variables.ts';
import { kindOf, SECTIONS, type Section } from '../kinds.ts';
import { type FileSchema, toFileSchema, unionOf } from './file-schema.ts';
import { shareDefinitions } from './share-definitions.ts';

const TITLE = 'Monitoring files of sonde';
/** Fields that identify an entry, which defaults cannot contain. */
const IDENTITY = ['key', 'renamedFrom', 'name'];

const DESCRIPTIONS: Readonly<Record<Section, string>> = {
  snippets: 'Scripts that API checks run in their setup and teardown phase',
  variables: 'Environment variables of all checks, and names of variables that the files may read',
  privateLocations: 'Locations in your own network',
  alertChannels: 'Recipients of alerts',
  services: 'Services that status pages show',
  codeBundles: 'Archives of Playwright projects; prefer suite in a check',
  groups: 'Groups of checks',
  checks: 'Checks of all types',
  statusPages: 'Public status pages',
  maintenanceWindows: 'Times without alerts',
  dashboards: 'Public dashboards',
};

/** Returns the schema, as JSON Schema draft 7, which editors support best. */
export function createMonitoringSchema(): FileSchema {
  const sections = Object.fromEntries(SECTIONS.map((section) => [section, sectionSchema(section)]));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: TITLE,
    description:
      'One file of a project: resources of a monitoring service, which sonde plan and sonde apply read',
    type: 'object',
    additionalProperties: false,
    ...shareDefinitions({
      $schema: { type: 'string', description: 'URL or path of this schema' },
      project: {
        type: 'string',
        description: 'Name of the project that owns the resources; once in all files',
      },
      defaults: {
        type: ['object', 'null'],
        description: 'Fields of all entries in this folder and the folders below, by section',
        additionalProperties: false,
        properties: Object.fromEntries(SECTIONS.map((section) => [section, defaultsSchema(section)])),
      },
      ...sections,
    }),
  };
}

const sectionSchema = (section: Section): FileSchema => ({
  type: ['array', 'null'],
  description: DESCRIPTIONS[section],
  items:
    section === 'checks'
      ? checkSchema()
      : section === 'variables'
        ? { anyOf: [readableVariable, entrySchema(section, entrySchemaOf(section) ?? {})] }
        : entrySchema(section, entrySchemaOf(section) ?? {}),
});

const readableVariable: FileSchema = {
  type: 'string',
  pattern: NAME.source,
  description: 'Name of a variable that the files may read from the environment',
};

/** Returns the schema of an entry. Other required fields may come from defaults, so a file alone cannot require them. */
function entrySchema(section: Section, schema: JsonSchema): FileSchema {
  const identity = [...IDENTITY, kindOf(section).field];
  const required = (schema.required ?? []).filter((name) => identity.includes(name));
  const converted = toFileSchema(schema);
  const whole = required.map((name) => [name, toFileSchema(schema.properties?.[name] ?? {})]);
  return { ...converted, required, properties: { ...converted.properties, ...Object.fromEntries(whole) } };
}

const schemasOf = (section: Section): readonly JsonSchema[] =>
  (section === 'checks' ? CHECK_TYPE_NAMES : [undefined]).flatMap(
    (type) => entrySchemaOf(section, type) ?? [],
  );

/** Returns the schema of a check, whose type decides the fields. Without a type, which may come from defaults, all fields are known. */
function checkSchema(): FileSchema {
  return {
    type: 'object',
    description: 'A check',
    required: ['name'],
    properties: { checkType: checkTypeSchema },
    allOf: [
      ...CHECK_TYPE_NAMES.map((type) =>
        ifThen(
          { required: ['checkType'], properties: { checkType: { const: type } } },
          entrySchema('checks', entrySchemaOf('checks', type) ?? {}),
        ),
      ),
      ifThen({ not: { required: ['checkType'] } }, anyEntrySchema('checks')),
    ],
  };
}

/** Returns a conditional schema. `then` comes from entries: an object with such a method would look like a promise. */
const ifThen = (condition: FileSchema, consequence: FileSchema): FileSchema =>
  Object.fromEntries([
    ['if', condition],
    ['then', consequence],
  ]);

const checkTypeSchema: FileSchema = {
  description: 'Type of the check',
  enum: CHECK_TYPE_NAMES,
  enumDescriptions: CHECK_TYPE_NAMES.map(checkTypeLabel),
};

/** Returns the schema of the fields of all types. */
function anyEntrySchema(section: Section): FileSchema {
  const { properties, ...rest } = unionOf(schemasOf(section).map((schema) => toFileSchema(schema)));
  return {
    ...rest,
    properties: { ...properties, ...(section === 'checks' ? { checkType: checkTypeSchema } : {}) },
  };
}

function defaultsSchema(section: Section): FileSchema {
  const { properties = {}, ...rest } = anyEntrySchema(section);
  const shared = Object.entries(properties).filter(([name]) => !IDENTITY.includes(name));
  return {
    ...rest,
    type: ['object', 'null'],
    description: `Fields of all entries in ${section}`,
    properties: Object.fromEntries(shared),
  };
}
