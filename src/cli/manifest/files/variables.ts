/** Replaces `${NAME}` in the texts of a manifest by values from the secrets file and the environment. */
import { isObject } from '../../../base/object.ts';
import { coerceText, typesOf } from '../../../contract/coerce.ts';
import type { JsonSchema } from '../../../contract/index.ts';
import { schemaAtPath } from '../../framework/request-fields.ts';
import type { Path } from '../manifest.ts';
import { CODE_FIELDS } from './entry-schema.ts';

/** `$${`, or `${` with everything up to `}`. */
const REFERENCE = /\$\$\{|\$\{([^}\n]*)(\}?)/g;
export const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** The sources of values, and the functions that learn what was found. */
export interface VariableScope {
  /** Returns the value of a variable, or why there is none. */
  readonly lookUp: (name: string) => { readonly value: string } | { readonly problem: string };
  readonly addProblem: (path: Path, message: string) => void;
  /** Receives a text with the value of a variable, and the text of the file. */
  readonly addText: (value: string, written: string) => void;
}

/** Returns whether a text takes its value from a variable. */
export const hasVariable = (text: unknown): boolean =>
  typeof text === 'string' && [...text.matchAll(REFERENCE)].some(([match]) => match !== '$${');

/** Escapes a text so that a manifest with it means the text. */
export const escapeVariables = (text: string): string => text.replaceAll('${', () => '$${');

/** Returns whether the text at a path is code, in which `${` has no meaning. */
export const isCode = (path: Path): boolean =>
  path[0] === 'dependencies' ||
  (path.length === 1 && CODE_FIELDS.includes(String(path[0]))) ||
  (path.length === 2 && path[0] === 'config' && path[1] === 'template');

/** Returns a value with the values of its variables. `schema`: of the whole entry, for numbers and switches. */
export function expandVariables(
  schema: JsonSchema | undefined,
  value: unknown,
  scope: VariableScope,
  path: Path = [],
): unknown {
  if (typeof value === 'string') return isCode(path) ? value : expandText(schema, value, scope, path);
  if (Array.isArray(value))
    return value.map((item, index) => expandVariables(schema, item, scope, [...path, index]));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      expandVariables(schema, item, scope, [...path, name]),
    ]),
  );
}

function expandText(schema: JsonSchema | undefined, text: string, scope: VariableScope, path: Path): unknown {
  if (!text.includes('${')) return text;
  const expanded = text.replace(REFERENCE, (match: string, name: string | undefined, end: string) => {
    if (match === '$${') return '${';
    if (name === undefined || end === '' || !NAME.test(name)) {
      scope.addProblem(path, `"${match}" is not a variable; write \${NAME}, or $\${ for a literal \${`);
      return '';
    }
    const found = scope.lookUp(name);
    if ('value' in found) return found.value;
    scope.addProblem(path, found.problem);
    return '';
  });
  if (hasVariable(text)) scope.addText(expanded, text);
  const field = schemaAtPath(schema, path) ?? {};
  const isWhole = /^\$\{\w+\}$/.test(text) && !typesOf(field).includes('string');
  return isWhole ? coerceText(expanded, field) : expanded;
}
