/** Masks credentials of alert channels so that two of them can still be compared. */

import { createHash } from 'node:crypto';
import { isUrl } from '../base/parse-url.ts';
import { alertChannelRow } from './alert-channel-types.ts';
import { secretSchemas } from './generated/secret-schemas.js';

/**
 * The start of the SHA-256 of the credential. It is too short to find the credential, and long enough to see that it changed.
 */
const FINGERPRINT_LENGTH = 6;
const MASK = /^(?:https?:\/\/[^/?#]+\/)?\*\*\*-[0-9a-f]{6}$/;

/** Returns whether a text is a mask, which cannot be used as a credential. */
export const isMask = (text: unknown): boolean => typeof text === 'string' && MASK.test(text);

/** Returns whether a text contains a mask or what is left of one. No credential contains three asterisks. */
export const holdsMask = (text: unknown): boolean =>
  typeof text === 'string' && text.replaceAll(/%2a/gi, '*').includes('***');

/**
 * Returns the mask of a credential: `***-3fa91c`, and of a URL `https://hooks.example.com/***-3fa91c`. A URL without path,
 * query and user contains no credential. A mask is not changed.
 */
export function maskCredential(text: string): string {
  if (text === '' || isMask(text)) return text;
  const mask = `***-${createHash('sha256').update(text).digest('hex').slice(0, FINGERPRINT_LENGTH)}`;
  if (!/^https?:/i.test(text) || !isUrl(text)) return mask;
  const { origin, pathname, search, hash, username, password } = new URL(text);
  const isOpen = pathname === '/' && `${search}${hash}${username}${password}` === '';
  return isOpen ? text : `${origin}/${mask}`;
}

type Config = Readonly<Record<string, unknown>>;

/** The fields of a configuration that are credentials, of all channel types: answers contain their masks. */
export const CREDENTIAL_FIELDS: readonly string[] = Object.entries(
  secretSchemas.createAlertChannel?.body?.properties?.config?.properties ?? {},
).flatMap(([name, field]) => (field['x-secret'] === 'masked' ? [name] : []));

/** Changes the credentials of a configuration. Those of a type that is unknown here stay unchanged. */
export function mapCredentials(
  type: unknown,
  config: Config,
  change: (credential: string, field: string) => string,
): Record<string, unknown> {
  const changed: Record<string, unknown> = { ...config };
  for (const field of alertChannelRow(type) ? CREDENTIAL_FIELDS : []) {
    const credential = config[field];
    if (typeof credential === 'string') changed[field] = change(credential, field);
  }
  return changed;
}

/** Returns how output names the recipient of a channel; undefined for a type of a newer deployment. */
export function formatChannelTarget(type: unknown, config: Config): string | undefined {
  const row = alertChannelRow(type);
  const shown = maskCredentials(type, config);
  const [target] = [row?.target, ...(row ? CREDENTIAL_FIELDS : [])].flatMap((field) => {
    const value = field === undefined ? undefined : shown[field];
    const text = Array.isArray(value) ? value.join(', ') : value;
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
  return target;
}

/** Returns the configuration with masks for its credentials. */
export const maskCredentials = (type: unknown, config: Config): Record<string, unknown> =>
  mapCredentials(type, config, maskCredential);
