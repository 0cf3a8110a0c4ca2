/** Lists the secrets of a manifest, and replaces them by variables. */
import type { JsonObject } from '../../../base/object.ts';
import { escapeVariables, isCode } from '../files/variables.ts';
import { formatName, kindOf } from '../kinds.ts';
import type { Path } from '../manifest.ts';
import { mapTexts } from '../map-texts.ts';
import { findSecrets, type SecretSpan, withoutOverlaps } from '../secrets/find-secrets.ts';
import { describePlace, isFreeText, spansAt } from '../secrets/secret-spans.ts';
import { type HiddenValue, toValueName } from '../write-only-values.ts';
import type { DeclaredEntry, SuiteFiles } from './declared-manifest.ts';

/** A secret of a manifest. */
export interface PlacedSecret {
  /** The resource and the part of it: `check "Orders": header X-Api-Key`. */
  readonly place: string;
  /** The variable that has the value, if secrets are extracted. */
  readonly variable: string;
}

export interface ProtectedManifest {
  /** The entries as files contain them. */
  readonly entries: readonly DeclaredEntry[];
  readonly found: readonly PlacedSecret[];
  /** The values of the variables in `entries`. Empty unless secrets are extracted. */
  readonly values: ReadonlyMap<string, string>;
}

interface Options {
  /** Whether variables replace the secrets. */
  readonly extract: boolean;
  /** Values of a file of values, whose names mean something else. */
  readonly reserved: readonly HiddenValue[];
}

/** Returns entries with `${` escaped and, if they are extracted, with variables in place of secrets. */
export function protectSecrets(
  entries: readonly DeclaredEntry[],
  { extract, reserved }: Options,
): ProtectedManifest {
  const variables = createVariables(entries, reserved);
  const found: PlacedSecret[] = [];
  for (const entry of entries) {
    const of = `${kindOf(entry.section).noun} "${withoutSpans(formatName(kindOf(entry.section), entry.fields))}"`;
    const add = (text: string, span: SecretSpan, place: string) => {
      const variable = variables.add(entry, text.slice(span.start, span.end), span.name);
      const line = place === 'value' ? of : `${of}: ${place}`;
      if (!found.some((one) => one.place === line && one.variable === variable))
        found.push({ place: line, variable });
    };
    mapTexts(entry.fields, (text, path, parent) => {
      for (const span of spansAt(path, text, parent))
        add(text, span, describePlace(entry.fields, path, text, span));
      return text;
    });
    for (const [path, text] of textsOf(entry.suite))
      for (const span of findSecrets(text, 'code'))
        add(text, span, describePlace({}, [`suite file ${path}`], text, span));
  }
  if (!extract) {
    const escaped = entries.map((entry) => ({
      ...entry,
      fields: writeFields(entry.fields, () => undefined),
    }));
    return { entries: escaped, found, values: new Map() };
  }
  const replacer = createReplacer(variables);
  const suites = new Map(entries.map(({ suite }) => [suite, suite && replacer.replaceFiles(suite)]));
  const written = entries.map((entry): DeclaredEntry => {
    const inCode = new Set<string>();
    const fields = writeFields(
      entry.fields,
      (text, path, parent) => replacer.spansOf(path, text, parent),
      inCode,
    );
    const suite = suites.get(entry.suite);
    for (const name of suite?.names ?? []) inCode.add(name);
    return {
      ...entry,
      fields: inCode.size === 0 ? fields : { ...fields, codeVariables: [...inCode].sort() },
      ...(suite === undefined ? {} : { suite: suite.files }),
    };
  });
  return { entries: written, found, values: variables.used() };
}

/** A part of a text that a variable replaces. */
interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly variable: (prefix: string) => string;
}

type SpansOf = (text: string, path: Path, parent: unknown) => readonly Replacement[] | undefined;

/** Returns fields as files have them. Adds the variables in code to `inCode`. */
function writeFields(fields: JsonObject, spansOf: SpansOf, inCode = new Set<string>()): JsonObject {
  return mapTexts(fields, (text, path, parent) => {
    const spans = spansOf(text, path, parent) ?? [];
    if (!isCode(path)) return writeText(text, spans);
    return replaceSpans(text, spans, (name) => inCode.add(name));
  }) as JsonObject;
}

/** Returns a text with references to variables. A dollar sign before a reference would escape it, so the variable has it too. */
function writeText(text: string, spans: readonly Replacement[]): string {
  let written = '';
  let at = 0;
  for (const { start, end, variable } of spans) {
    const before = text.slice(at, start);
    const literal = before.replace(/\$+$/, '');
    written += `${escapeVariables(literal)}\${${variable(before.slice(literal.length))}}`;
    at = end;
  }
  return written + escapeVariables(text.slice(at));
}

function replaceSpans(text: string, spans: readonly Replacement[], learn: (name: string) => void): string {
  let written = '';
  let at = 0;
  for (const { start, end, variable } of spans) {
    const name = variable('');
    learn(name);
    written += `${text.slice(at, start)}\${${name}}`;
    at = end;
  }
  return written + text.slice(at);
}

const withoutSpans = (text: string): string =>
  findSecrets(text)
    .toReversed()
    .reduce((shown, { start, end }) => `${shown.slice(0, start)}***${shown.slice(end)}`, text);

/** Returns the texts of a suite by path, without binary files. */
function textsOf(suite: SuiteFiles = {}): readonly (readonly [string, string])[] {
  return Object.entries(suite).flatMap(([path, bytes]) => {
    const text = Buffer.from(bytes).toString();
    return Buffer.from(text).equals(bytes) ? [[path, text] as const] : [];
  });
}

interface Variables {
  /** Returns the name of the variable for a value. `hint`: the name of the value, such as `token`. */
  readonly add: (entry: DeclaredEntry, value: string, hint: string) => string;
  /** Returns the variable of a value with a prefix. */
  readonly withPrefix: (prefix: string, value: string) => string;
  readonly values: () => readonly string[];
  /** Returns the values by variable. */
  readonly used: () => ReadonlyMap<string, string>;
}

function createVariables(entries: readonly DeclaredEntry[], reserved: readonly HiddenValue[]): Variables {
  const names = new Map<string, string>();
  const used = new Set<string>(['SONDE_API_KEY', ...reserved.map(({ name }) => name)]);
  for (const { fields, suite } of entries) {
    const learn = (text: string): string => {
      for (const [, name = ''] of text.matchAll(/\$\{(\w+)\}/g)) used.add(name);
      return text;
    };
    mapTexts(fields, (text, path, parent) => {
      // Hidden pairs without a value take it from the variable with their key.
      if (path.at(-1) === 'key' && typeof (parent as JsonObject).value !== 'string') used.add(text);
      return learn(text);
    });
    for (const [, text] of textsOf(suite)) learn(text);
  }
  const free = (base: string): string => {
    for (let count = 1; ; count++) {
      const name = count === 1 ? base : `${base}_${count}`;
      if (!used.has(name)) return name;
    }
  };
  const give = (value: string, base: string): string => {
    const name = names.get(value) ?? free(base);
    names.set(value, name);
    used.add(name);
    return name;
  };
  return {
    add({ section, fields }, value, hint) {
      const kind = kindOf(section);
      const base = toValueName(
        kind.noun,
        withoutSpans(formatName(kind, fields)),
        section === 'variables' ? '' : hint,
      );
      return give(value, base.replace(/_$/, ''));
    },
    withPrefix: (prefix, value) =>
      prefix === '' ? (names.get(value) ?? '') : give(`${prefix}${value}`, names.get(value) ?? ''),
    values: () => [...names.keys()],
    used: () => new Map([...names].map(([value, name]) => [name, value])),
  };
}

/** Returns whether every occurrence of a value in other texts is the secret, too. Words and short values occur by chance. */
const isDistinct = (value: string): boolean =>
  value.length >= 6 && !(/^(?:[a-z]+|[A-Z]+)$/.test(value) && value.length < 12) && !/^\d{1,7}$/.test(value);

function createReplacer(variables: Variables) {
  const distinct = variables.values().filter(isDistinct);
  const pattern = new RegExp(
    distinct
      .toSorted((a, b) => b.length - a.length)
      .map((value) => value.replace(/[^\w\s]/g, '\\$&'))
      .join('|'),
    'g',
  );
  const complete = (text: string, own: readonly SecretSpan[]): readonly Replacement[] => {
    const others =
      distinct.length === 0
        ? []
        : [...text.matchAll(pattern)].map((match) => ({
            start: match.index,
            end: match.index + match[0].length,
          }));
    return withoutOverlaps([...own, ...others]).map(({ start, end }) => ({
      start,
      end,
      variable: (prefix) => variables.withPrefix(prefix, text.slice(start, end)),
    }));
  };
  return {
    spansOf: (path: Path, text: string, parent: unknown): readonly Replacement[] =>
      isFreeText(path, text) ? complete(text, spansAt(path, text, parent)) : [],
    replaceFiles(suite: SuiteFiles): { readonly files: SuiteFiles; readonly names: ReadonlySet<string> } {
      const names = new Set<string>();
      const replaced = textsOf(suite).map(([path, text]) => [
        path,
        Buffer.from(replaceSpans(text, complete(text, findSecrets(text, 'code')), (name) => names.add(name))),
      ]);
      return { files: { ...suite, ...Object.fromEntries(replaced) }, names };
    },
  };
}
