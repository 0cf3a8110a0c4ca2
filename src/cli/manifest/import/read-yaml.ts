/** Reads YAML files of other programs: one file, or all files in a folder and its subfolders. */
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Document, LineCounter, visit } from 'yaml';
import { describeExcess, findDeepPath, formatPlace, type Place } from '../../../base/depth.ts';
import { UsageError } from '../../../base/errors.ts';
import { isObject } from '../../../base/object.ts';
import { DepthError, findPosition, parseYamlDocuments } from '../../../base/yaml-documents.ts';
import type { Deps } from '../../framework/index.ts';

export interface SourceDocument {
  /** The file as the user can open it. */
  readonly file: string;
  readonly value: unknown;
}

export type YamlSource = Pick<Deps, 'cwd' | 'readFile' | 'readStdin'>;

const YAML_FILE = /\.(?:ya?ml|json)$/i;
/** Anchors of real files have few aliases; more could exhaust the memory. */
const MAX_ALIASES = 10_000;

async function listFiles(cwd: string, path: string): Promise<readonly string[]> {
  const stats = await stat(resolve(cwd, path)).catch(() => undefined);
  if (!stats?.isDirectory()) return [path];
  const names = (await readdir(resolve(cwd, path))).sort();
  const found = await Promise.all(
    names
      .filter((name) => !name.startsWith('.'))
      .map(async (name) => {
        const inside = join(path, name);
        const isFolder = (await stat(resolve(cwd, inside)).catch(() => undefined))?.isDirectory() === true;
        return isFolder ? listFiles(cwd, inside) : YAML_FILE.test(name) ? [inside] : [];
      }),
  );
  return found.flat();
}

/**
 * Returns the documents of a file or folder; `-` is stdin. `prepare` changes the text before it is parsed. Throws UsageError for
 * files that cannot be read or are not YAML.
 */
export async function readYamlDocuments(
  { cwd, readFile, readStdin }: YamlSource,
  path: string,
  prepare: (text: string) => string = (text) => text,
): Promise<readonly SourceDocument[]> {
  const files = path === '-' ? ['-'] : await listFiles(cwd, path);
  if (files.length === 0) throw new UsageError(`${path} has no *.yaml, *.yml or *.json file`);
  const texts = await Promise.all(
    files.map(async (file) => [file, prepare(await (file === '-' ? readStdin() : readFile(file)))] as const),
  );
  return texts.flatMap(([file, text]) => parseDocuments(file, text));
}

/** Keeps the text of numbers that mean another text in JavaScript: `1.10`, `007`. In JSON, numbers are numbers. */
const keepNumberTexts = (document: Document): void =>
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'number' && node.source !== undefined && String(node.value) !== node.source)
        node.value = node.source;
    },
  });

/** Returns the data of a document. Throws UsageError if its aliases would expand to too many values. */
function toValue(file: string, document: Document): unknown {
  if (!/\.json$/i.test(file)) keepNumberTexts(document);
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (cause) {
    // The library throws this for too many aliases, and nothing else once a document is parsed.
    if (!(cause instanceof ReferenceError)) throw cause;
    throw new UsageError(`${file}: its aliases (*name) expand to more than ${MAX_ALIASES} values`, {
      hint: 'write the values instead of some aliases',
      cause,
    });
  }
}

/** Returns the documents of a text, and those in the data of a Kubernetes ConfigMap. */
const parseDocuments = (file: string, text: string): readonly SourceDocument[] =>
  parseTexts(file, text).flatMap((document) => {
    const { value } = document;
    if (!isObject(value) || value.kind !== 'ConfigMap' || !isObject(value.data)) return [document];
    return Object.values(value.data).flatMap((inner) => parseTexts(file, String(inner)));
  });

function parseTexts(file: string, text: string): readonly SourceDocument[] {
  const lineCounter = new LineCounter();
  const refuse = (place: Place = { line: 1, column: 1 }): never => {
    throw new UsageError(`${file}:${place.line}:${place.column}: ${describeExcess()}`);
  };
  try {
    return parseYamlDocuments(text, { merge: true, uniqueKeys: false, lineCounter }).map((document) => {
      const [error] = document.errors;
      if (error !== undefined) {
        const { line, col: column } = lineCounter.linePos(error.pos[0]);
        throw new UsageError(
          `${file} is not valid YAML: ${error.message} at ${formatPlace({ line, column })}`,
        );
      }
      const value = toValue(file, document);
      const deep = findDeepPath(value);
      return deep ? refuse(findPosition(document, lineCounter, deep)) : { file, value };
    });
  } catch (error) {
    if (error instanceof DepthError) return refuse(error.place);
    throw error;
  }
}

/** Joins maps as Gatus does: maps field by field, lists one after the other; of two scalars the last counts. */
export function mergeDeep(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...(one as unknown[]), ...(other as unknown[])];
  if (!isObject(one) || !isObject(other)) return other ?? one;
  const merged: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) merged[name] = mergeDeep(merged[name], value);
  return merged;
}
