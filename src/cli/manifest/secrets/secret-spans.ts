/** Finds the secrets in the texts of an entry, with their places in plain words. */
import { isObject, type JsonObject } from '../../../base/object.ts';
import { isMask } from '../../../contract/mask-credential.ts';
import { placeText } from '../../../contract/validate.ts';
import { isCode } from '../files/variables.ts';
import type { Path } from '../manifest.ts';
import { findSecrets, type SecretSpan, type TextKind } from './find-secrets.ts';
import { canBeSecret, isKeyLike, isSecretName } from './key-like.ts';

/** Fields that identify or select something, and base64. */
const STRUCTURE = [
  'checkType',
  'type',
  'archive',
  'path',
  'scriptPath',
  'playwrightConfigPath',
  'codeBundleId',
];

/** Whether a text of an entry can contain a secret, and be replaced. Names of options have only capitals. */
export const isFreeText = (path: Path, text: string): boolean =>
  !STRUCTURE.includes(String(path.at(-1))) && !isMask(text) && !/^[A-Z_]*$/.test(text);

const whole = (text: string, name: string): readonly SecretSpan[] => [{ start: 0, end: text.length, name }];

/** Returns the secrets of a text. `parent`: the object that has it. */
export function spansAt(path: Path, text: string, parent: unknown): readonly SecretSpan[] {
  if (!isFreeText(path, text)) return [];
  const field = String(path.at(-1));
  const canBe = canBeSecret(text);
  if (field === 'value' && isObject(parent) && typeof parent.key === 'string') {
    if (canBe && (isSecretName(parent.key) || isKeyLike(text))) return whole(text, parent.key);
  } else if (canBe && (field === 'username' ? isKeyLike(text) : field !== 'key' && isSecretName(field))) {
    return whole(text, field);
  }
  return findSecrets(text, kindOfText(path, field));
}

const kindOfText = (path: Path, field: string): TextKind =>
  isCode(path) ? 'code' : ['body', 'data'].includes(field) ? 'body' : 'text';

const WORDS: Readonly<Record<string, string>> = {
  headers: 'header',
  queryParameters: 'query parameter',
  environmentVariables: 'environment variable',
  url: 'URL',
  script: 'script',
  localSetupScript: 'setup script',
  localTearDownScript: 'teardown script',
  username: 'user name',
};

/** Returns where a secret is: `header X-Api-Key`, `URL (token)`, `script, line 3 (password)`. */
export function describePlace(
  fields: JsonObject,
  path: Path,
  text: string,
  { start, name }: SecretSpan,
): string {
  const steps = path.map(String);
  const last = steps.at(-1) ?? '';
  const pair = last === 'value' ? steps.slice(0, -1).reduce<unknown>(stepInto, fields) : undefined;
  if (isObject(pair) && typeof pair.key === 'string') {
    const list = WORDS[steps.at(-3) ?? ''];
    return list === undefined ? 'value' : `${list} ${pair.key}`;
  }
  const imported =
    path[0] === 'dependencies' ? stepInto(stepInto(fields.dependencies, steps[1] ?? ''), 'path') : undefined;
  const line = text.slice(0, start).split('\n').length;
  const place =
    imported !== undefined
      ? `imported file ${imported}`
      : (WORDS[last] ?? placeText(path).replace(/^(?:request|config)\./, ''));
  const at = text.includes('\n') ? `${place}, line ${line}` : place;
  return name === last ? at : `${at} (${name})`;
}

const stepInto = (value: unknown, step: string): unknown =>
  Array.isArray(value) ? value[Number(step)] : isObject(value) ? value[step] : undefined;
