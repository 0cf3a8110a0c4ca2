/** Formats basic authentication headers. */
import { decodePercent } from '../../base/decode-percent.ts';

export function formatBasicAuth(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Returns the authentication of a URL's user and password; undefined without them. */
export function getUrlBasicAuth({ username, password }: URL): string | undefined {
  return username === '' && password === ''
    ? undefined
    : formatBasicAuth(decodeOrKeep(username), decodeOrKeep(password));
}

/** A percent sign without a valid code is literal. */
const decodeOrKeep = (text: string): string => decodePercent(text) ?? text;
