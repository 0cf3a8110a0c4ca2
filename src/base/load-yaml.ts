/** Loads YAML with the parser that every command can afford, up to the limit of depth. */
import { type LoadOptions, load, type Schema, YAMLException } from 'js-yaml';
import { describeExcess, type Heights, heightOf, MAX_LEVELS } from './depth.ts';

declare module 'js-yaml' {
  interface LoadOptions {
    /** Its types do not name it. A deeper node is a YAMLException. */
    maxDepth?: number;
  }
}

/**
 * Returns the data of a YAML text.
 *
 * @throws YAMLException with the place, also for a text that nests too deep, by its levels or by its aliases
 */
export function loadYaml(text: string, schema: Schema): unknown {
  // A scalar is one level more.
  const options: LoadOptions = { schema, maxDepth: MAX_LEVELS + 1 };
  if (text.includes('*')) options.listener = limitAliases();
  try {
    return load(text, options);
  } catch (error) {
    if (!(error instanceof YAMLException) || !error.reason.startsWith('nesting exceeded')) throw error;
    throw new YAMLException(describeExcess(), error.mark);
  }
}

function limitAliases(): NonNullable<LoadOptions['listener']> {
  const heights: Heights = new WeakMap();
  return (event, { line, lineStart, position, result }) => {
    const value: unknown = event === 'close' ? result : undefined;
    if (typeof value !== 'object' || value === null) return;
    const height = heights.get(value) ?? heightOf(value, heights);
    heights.set(value, height);
    if (height <= MAX_LEVELS) return;
    const mark = { buffer: '', name: '', snippet: '', line, column: position - lineStart, position };
    throw new YAMLException(describeExcess(), mark);
  };
}
