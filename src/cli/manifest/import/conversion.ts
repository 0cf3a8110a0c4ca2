/** Collects what an import converts: entries of a manifest, values of secrets, and what it could not convert. */
import type { JsonObject } from '../../../base/object.ts';
import { compactBody } from '../compact-body.ts';
import type { DeclaredEntry, SuiteFiles } from '../export/declared-manifest.ts';
import { escapeReferences } from '../export/manifest-files.ts';
import { entrySchemaOf } from '../files/entry-schema.ts';
import type { Section } from '../kinds.ts';

/**
 * What became of an item: `skipped` has no entry; `paused` has an entry that is not activated, because a part that
 * decides between pass and fail is missing; `changed` differs in a detail.
 */
export type Outcome = 'skipped' | 'paused' | 'changed';

/** A part of the source that has no exact counterpart. */
export interface Loss {
  readonly outcome: Outcome;
  /** What the source calls the item: `monitor`, `endpoint`. */
  readonly kind: string;
  readonly name: string;
  /** The field or setting; undefined: the whole item. */
  readonly field?: string;
  readonly reason: string;
}

export interface ImportResult {
  readonly entries: readonly DeclaredEntry[];
  readonly losses: readonly Loss[];
  /** Values by the names of the variables in `entries`. Undefined: the source refers to its environment. */
  readonly secrets: ReadonlyMap<string, string | undefined>;
}

export type ReportLoss = (outcome: Outcome, field: string | undefined, reason: string) => void;

export interface Conversion {
  /** `suite`: the files of a Playwright project. */
  readonly add: (section: Section, fields: JsonObject, suite?: SuiteFiles) => void;
  /** Returns a function that records the losses of one item. */
  readonly lossesOf: (kind: string, name: string) => ReportLoss;
  /** Returns the name, with a number if the section has it already. References need unique names. */
  readonly uniqueName: (section: Section, name: string) => string;
  /** Returns a text that stands for a secret value, unless it has a variable already. `hint`: words for the variable's name. */
  readonly secret: (value: string, ...hint: readonly string[]) => string;
  readonly finish: () => ImportResult;
}

/** Private-use characters around the name of a variable, until all literal `${` are escaped. */
const [OPEN, CLOSE] = ['\uE000', '\uE001'];
const MARKED = new RegExp(`${OPEN}(\\w+)${CLOSE}`, 'g');

/** Returns a text that stands for the value of a variable. */
export const markVariable = (name: string): string => `${OPEN}${name}${CLOSE}`;
export const hasVariable = (text: string): boolean => text.includes(OPEN);
/** Whether a text is one variable and nothing else. */
export const isVariable = (text: string): boolean => text.replace(MARKED, '') === '' && hasVariable(text);
/** Returns the text as the files have it. */
export const writeVariables = (text: string): string =>
  text.replace(MARKED, (_, name: string) => `\${${name}}`);

/** Returns `SHOP_API_PASSWORD` for `Shop API` and `password`. */
function toVariableName(words: readonly string[]): string {
  const name = words
    .join('_')
    .replace(/^https?:\/\//, '')
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();
  return /^[A-Z]/.test(name) ? name : `SECRET_${name}`.replace(/_$/, '');
}

/** Returns the fields that differ from their defaults, in the order of the contract after the names. */
function arrange(section: Section, fields: JsonObject): JsonObject {
  const { key, name, checkType, ...others } = compactBody(
    entrySchemaOf(section, fields.checkType) ?? {},
    fields,
  );
  return {
    ...(key === undefined ? {} : { key }),
    ...(name === undefined ? {} : { name }),
    ...(checkType === undefined ? {} : { checkType }),
    ...others,
  };
}

/** Escapes literal `${` and writes the variables. */
const toWrittenForm = (fields: JsonObject): JsonObject =>
  JSON.parse(writeVariables(JSON.stringify(escapeReferences(fields)))) as JsonObject;

export function createConversion(): Conversion {
  const entries: DeclaredEntry[] = [];
  const losses: Loss[] = [];
  const secrets = new Map<string, string | undefined>();
  const names = new Set<string>();
  /** Returns the first of `name`, `name 2`, … that is free. */
  const firstFree = (isTaken: (name: string) => boolean, candidate: (count: number) => string): string => {
    let count = 1;
    while (isTaken(candidate(count))) count++;
    return candidate(count);
  };
  return {
    add: (section, fields, suite) =>
      void entries.push({ section, fields, ...(suite === undefined ? {} : { suite }) }),
    lossesOf: (kind, name) => (outcome, field, reason) =>
      void losses.push({ outcome, kind, name, ...(field === undefined ? {} : { field }), reason }),
    uniqueName(section, name) {
      const free = firstFree(
        (one) => names.has(`${section} ${one}`),
        (count) => (count === 1 ? name : `${name} (${count})`),
      );
      names.add(`${section} ${free}`);
      return free;
    },
    secret(value, ...hint) {
      if (hasVariable(value)) return value;
      const base = toVariableName(hint);
      const name = firstFree(
        (one) => secrets.has(one) && secrets.get(one) !== value,
        (count) => (count === 1 ? base : `${base}_${count}`),
      );
      secrets.set(name, value);
      return markVariable(name);
    },
    finish() {
      for (const [, name = ''] of JSON.stringify(entries.map(({ fields }) => fields)).matchAll(MARKED))
        if (!secrets.has(name)) secrets.set(name, undefined);
      return {
        entries: entries.map((entry) => ({
          ...entry,
          fields: toWrittenForm(arrange(entry.section, entry.fields)),
        })),
        losses: losses.map((loss) => JSON.parse(writeVariables(JSON.stringify(loss))) as Loss),
        secrets,
      };
    },
  };
}
