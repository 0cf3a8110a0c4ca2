/** Finds credentials that the API shows: who knows the URL of a webhook can send to it. Output and records do not contain them. */
import { isObject, type JsonObject } from '../../base/object.ts';
import type { Section } from './kinds.ts';

/** Returns the credentials of a resource. */
export function credentialsOf(section: Section, body: JsonObject | undefined): readonly string[] {
  const { config } = body ?? {};
  const url = section === 'alertChannels' && isObject(config) ? config.url : undefined;
  return typeof url === 'string' && url !== '' ? [url] : [];
}

/** Returns a name as output shows it: of a URL that is a credential only the host and the last characters. */
export const showName = (section: Section, name: string): string =>
  section === 'alertChannels' && URL.canParse(name) && name.startsWith('http')
    ? `${new URL(name).origin}/…${name.slice(-4)}`
    : name;
