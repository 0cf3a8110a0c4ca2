/** Reads one entry of a manifest: defaults of folders, variables, and the contents of files. */

import { isObject, type JsonObject } from '../../../base/object.ts';
import { findNearest } from '../../../base/suggest.ts';
import { CHECK_TYPE_NAMES, type CheckType, isCheckType } from '../../../contract/check-type-facts.ts';
import { maskCredential } from '../../../contract/mask-credential.ts';
import { formatName, kindOf, type Section } from '../kinds.ts';
import type { ManifestEntry, Path } from '../manifest.ts';
import { readCodeVariables, replaceInCode } from './code-variables.ts';
import {
  type Defaults,
  type Layer,
  layerOf,
  layersFor,
  mergeFields,
  sharedType,
  withoutUnsetFields,
} from './defaults.ts';
import { CODE_VARIABLES, entrySchemaOf, fileFieldOf, ownFieldsOf } from './entry-schema.ts';
import type { FileTree } from './file-tree.ts';
import { listHiddenTexts } from './hidden-fields.ts';
import { readCode } from './read-code.ts';
import { readSuite } from './read-suite.ts';
import type { AddProblem } from './source.ts';
import { expandVariables, hasVariable, type VariableScope } from './variables.ts';

interface EntryContext extends Omit<VariableScope, 'addProblem'> {
  /** Receives the values that output must not contain. */
  readonly addSecret: (value: string) => void;
  readonly tree: FileTree;
  readonly defaults: Defaults;
  /** Receives the path of every file that is code. */
  readonly codeFiles: Pick<Set<string>, 'add'>;
  readonly addProblem: AddProblem;
  readonly addWarning: AddProblem;
}

/** Whether output may contain a value of a write-only field: the mask of a credential, or a URL without one. */
const isShown = (text: string): boolean => maskCredential(text) === text;

/** Returns a function that reads an entry. It returns the entry, after the archive of its suite as another entry. */
export function createEntryReader(context: EntryContext) {
  return async (own: Layer, section: Section): Promise<readonly ManifestEntry[]> => {
    const type =
      section === 'checks' ? (own.fields.checkType ?? sharedType(context.defaults, own.source)) : undefined;
    if (section === 'checks' && !isCheckType(type)) {
      reportType(own, type, context.addProblem);
      return [];
    }
    const schema = entrySchemaOf(section, type);
    const layers = [own, ...layersFor(context.defaults, section, own.source, type)];
    const locate = (path: Path): { readonly place: string; readonly file: string } => {
      const { source, path: start } = layerOf(layers, path) ?? own;
      return { place: source.formatLocation([...start, ...path]), file: source.path };
    };
    const writtenText = (path: Path): string | undefined => {
      const { source, path: start } = layerOf(layers, path) ?? own;
      return source.writtenText([...start, ...path]);
    };
    const addProblem = (path: Path, message: string) => context.addProblem(locate(path).place, message);
    const addWarning = (path: Path, message: string) => context.addWarning(locate(path).place, message);
    const merged = withoutUnsetFields(schema, layers.map(({ fields }) => fields).reduce(mergeFields));
    const expanded = expandVariables(schema, merged, { ...context, addProblem }) as JsonObject;
    if (section !== 'codeBundles') {
      for (const { path, text } of listHiddenTexts(schema, merged))
        if (!hasVariable(text) && !isShown(text)) addWarning(path, LITERAL_SECRET);
      for (const { text } of listHiddenTexts(schema, expanded)) if (!isShown(text)) context.addSecret(text);
    }
    const ownFields = ownFieldsOf(section, type);
    const codeValues = readCodeVariables(expanded[CODE_VARIABLES], { lookUp: context.lookUp, addProblem });
    const { key, renamedFrom, suite } = readTexts(expanded, ownFields, addProblem);
    const fields = Object.fromEntries(
      Object.entries(expanded).filter(([name]) => name !== CODE_VARIABLES && !ownFields.includes(name)),
    );
    const reader = { tree: context.tree, codeFiles: context.codeFiles, locate, addProblem, addWarning };
    const withCode = replaceInCode(await readCode(fields, schema ?? {}, reader), codeValues);
    const bundle = suite === undefined ? undefined : await readSuite(suite, withCode, reader, codeValues);
    const body = bundle ? { ...withCode, codeBundleId: bundle.key } : withCode;
    const name = formatName(kindOf(section), body);
    const entry: ManifestEntry = {
      section,
      key: key ?? name,
      hasOwnKey: key !== undefined,
      name,
      ...(renamedFrom === undefined ? {} : { renamedFrom }),
      body,
      written: merged,
      formatLocation: (path) => locate(toWrittenPath(path, merged)).place,
      writtenText: (path) => writtenText(toWrittenPath(path, merged)),
    };
    return bundle ? [bundle, entry] : [entry];
  };
}

const LITERAL_SECRET = `is a secret in plain text; write \${NAME}, and set NAME in the environment or in the file of --secrets`;

/** Names of other programs for check types. */
const OTHER_NAMES: Readonly<Record<string, CheckType>> = {
  HTTP: 'URL',
  HTTPS: 'URL',
  REST: 'API',
  WEB: 'BROWSER',
  PING: 'ICMP',
  PUSH: 'HEARTBEAT',
  PORT: 'TCP',
  TLS: 'SSL',
  CERTIFICATE: 'SSL',
};

function reportType(own: Layer, type: unknown, addProblem: AddProblem): void {
  const nearest =
    typeof type === 'string'
      ? (OTHER_NAMES[type.toUpperCase()] ?? findNearest(type, CHECK_TYPE_NAMES))
      : undefined;
  addProblem(
    own.source.formatLocation([...own.path, 'checkType']),
    type === undefined ? 'checkType is required' : `"${String(type)}" is not a check type`,
    { allowed: CHECK_TYPE_NAMES, ...(nearest === undefined ? {} : { nearest }) },
  );
}

/** Returns the texts of some fields. Reports other values. */
function readTexts(
  fields: JsonObject,
  names: readonly string[],
  addProblem: (path: Path, message: string) => void,
): Readonly<Partial<Record<string, string>>> {
  const texts = names.flatMap((name): [string, string][] => {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') return [[name, value]];
    if (value !== undefined) addProblem([name], `${name} must be a text that is not empty`);
    return [];
  });
  return Object.fromEntries(texts);
}

/** Returns the path of a value as the files have it: the content of a file is at the field that names the file. */
function toWrittenPath(path: Path, written: unknown): Path {
  const [step, ...rest] = path;
  if (step === undefined) return [];
  if (Array.isArray(written)) return [step, ...toWrittenPath(rest, written[Number(step)])];
  if (!isObject(written) || Object.hasOwn(written, step))
    return [step, ...toWrittenPath(rest, isObject(written) ? written[step] : undefined)];
  if (step === 'codeBundleId') return ['suite'];
  if (step === 'dependencies' || step === 'scriptPath') return ['scriptFile'];
  return [Object.hasOwn(written, fileFieldOf(String(step))) ? fileFieldOf(String(step)) : step];
}
