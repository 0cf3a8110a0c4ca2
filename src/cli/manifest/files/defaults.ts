/** Merges the defaults of folders into entries, and knows where each field comes from. */
import type { Problem } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../base/object.ts';
import { findNearest } from '../../../base/suggest.ts';
import { CHECK_TYPE_NAMES } from '../../../contract/check-type-facts.ts';
import { typesOf } from '../../../contract/coerce.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { placeText } from '../../../contract/validate.ts';
import { SECTIONS, type Section } from '../kinds.ts';
import type { Path } from '../manifest.ts';
import { codeFieldOf, entrySchemaOf, fileFieldOf } from './entry-schema.ts';
import { type AddProblem, type Source, unknownSection } from './source.ts';

/** Fields with the place in a file that has them. */
export interface Layer {
  readonly source: Source;
  readonly path: Path;
  readonly fields: JsonObject;
}

/** The defaults of a section, by folder. */
export type Defaults = ReadonlyMap<Section, ReadonlyMap<string, Layer>>;

/** Returns the schemas of all entries of a section. */
const schemasOf = (section: Section): readonly JsonSchema[] =>
  (section === 'checks' ? CHECK_TYPE_NAMES : [undefined]).flatMap(
    (type) => entrySchemaOf(section, type) ?? [],
  );

/** Returns the defaults of all files. Reports unknown sections and fields, and a section with two defaults in one folder. */
export function collectDefaults(sources: readonly Source[], addProblem: AddProblem): Defaults {
  const defaults = new Map<Section, Map<string, Layer>>(SECTIONS.map((section) => [section, new Map()]));
  for (const source of sources) {
    const { defaults: written } = source.value;
    if (written === undefined || written === null) continue;
    const at = (...path: Path) => source.formatLocation(['defaults', ...path]);
    if (!isObject(written)) {
      addProblem(at(), 'defaults must contain sections (checks: {…})');
      continue;
    }
    for (const [name, fields] of Object.entries(written)) {
      const section = SECTIONS.find((one) => one === name);
      const layers = section && defaults.get(section);
      if (!section || !layers) {
        addProblem(at(name), ...unknownSection(name, SECTIONS));
        continue;
      }
      if (fields === null) continue;
      if (!isObject(fields)) {
        addProblem(at(name), 'must contain fields with values (name: value)');
        continue;
      }
      const first = layers.get(source.folder);
      if (first) {
        const other = first.source.formatLocation(first.path);
        addProblem(at(name), `defaults of ${name} are already set for this folder at ${other}; merge them`);
        continue;
      }
      reportUnknownFields(section, schemasOf(section), fields, (path, message, more) =>
        addProblem(at(name, ...path), message, more),
      );
      layers.set(source.folder, { source, path: ['defaults', name], fields });
    }
  }
  return defaults;
}

/** Reports fields that no entry of the section can have, at any depth. */
function reportUnknownFields(
  section: Section,
  schemas: readonly JsonSchema[],
  fields: JsonObject,
  addProblem: (path: Path, message: string, more?: Partial<Problem>) => void,
  path: Path = [],
): void {
  if (!schemas.every(isClosed)) return;
  const known = schemas.flatMap(({ properties }) => Object.keys(properties ?? {}));
  for (const [name, value] of Object.entries(fields)) {
    const at = [...path, name];
    const inner = schemas.flatMap(({ properties }) => properties?.[name] ?? []);
    if (inner.length === 0 || (path.length === 0 && IDENTITY.includes(name))) {
      const nearest = findNearest(name, known);
      const message =
        inner.length === 0
          ? `no ${section} have the field ${placeText(at)}`
          : `${name} has no default: give each entry its own`;
      addProblem(at, message, inner.length === 0 && nearest !== undefined ? { nearest } : {});
    } else if (isObject(value)) reportUnknownFields(section, inner, value, addProblem, at);
  }
}

const IDENTITY: readonly string[] = ['key', 'renamedFrom', 'name'];
const isClosed = ({ additionalProperties }: JsonSchema): boolean => additionalProperties === false;

/** Returns the fields of an object that its schema has, at any depth. */
const keepKnown = (schema: JsonSchema, fields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const field = schema.properties?.[name];
      if (!field) return isClosed(schema) ? [] : [[name, value]];
      return [[name, isObject(value) ? keepKnown(field, value) : value]];
    }),
  );

/** Returns the defaults that hold for a file, the nearest folder first. */
const layersAbove = (defaults: Defaults, section: Section, { folder }: Source): readonly Layer[] =>
  [...(defaults.get(section) ?? [])]
    .filter(([one]) => one === '.' || one === folder || folder.startsWith(`${one}/`))
    .sort(([a], [b]) => depthOfFolder(b) - depthOfFolder(a))
    .map(([, layer]) => layer);

const depthOfFolder = (folder: string): number => (folder === '.' ? 0 : folder.length);

/** Returns the same without the fields that entries of the type cannot have. */
export function layersFor(
  defaults: Defaults,
  section: Section,
  source: Source,
  checkType: unknown,
): readonly Layer[] {
  const schema = entrySchemaOf(section, checkType) ?? {};
  return layersAbove(defaults, section, source).map((layer) => ({
    ...layer,
    fields: keepKnown(schema, layer.fields),
  }));
}

/** Returns the check type that the defaults give. */
export const sharedType = (defaults: Defaults, source: Source): unknown =>
  layersAbove(defaults, 'checks', source)
    .map(({ fields }) => fields.checkType)
    .find((type) => type !== undefined);

/** Merges fields; those of `near` win. Objects merge, lists replace. A code field replaces the file of the same code, and vice versa. */
export function mergeFields(near: JsonObject, far: JsonObject): JsonObject {
  const taken = new Set(
    Object.keys(near).flatMap((name) => [name, fileFieldOf(name), codeFieldOf(name) ?? name]),
  );
  const merged: Record<string, unknown> = Object.fromEntries(
    Object.entries(far).filter(([name]) => !taken.has(name)),
  );
  for (const [name, value] of Object.entries(near)) {
    const below = far[name];
    merged[name] = isObject(value) && isObject(below) ? mergeFields(value, below) : value;
  }
  return merged;
}

const depthOf = (value: unknown, [step, ...rest]: Path): number => {
  if (step === undefined) return 0;
  if (Array.isArray(value))
    return value[Number(step)] === undefined ? 0 : 1 + depthOf(value[Number(step)], rest);
  return isObject(value) && Object.hasOwn(value, step) ? 1 + depthOf(value[step], rest) : 0;
};

/** Returns the layer that a path comes from: the first that has most of it. */
export function layerOf(layers: readonly Layer[], path: Path): Layer | undefined {
  const depths = layers.map(({ fields }) => depthOf(fields, path));
  return layers[depths.indexOf(Math.max(...depths))];
}

/** Drops the fields that an empty value unsets: null has no meaning in them. */
export function withoutUnsetFields(schema: JsonSchema | undefined, fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const field = schema?.properties?.[name];
      if (value === null && field?.type !== undefined && !typesOf(field).includes('null')) return [];
      return [[name, isObject(value) ? withoutUnsetFields(field, value) : value]];
    }),
  );
}
