/** Finds the ping URL of a heartbeat check. */

import { NotFoundError, UsageError } from '../../../../src/base/errors.ts';
import { isObject } from '../../../../src/base/object.ts';
import { parseUrl } from '../../../../src/base/parse-url.ts';
import type { Deps } from '../../../../src/cli/framework/index.ts';
import { listChecks } from '../../../../src/contract/index.ts';

/** Parses a ping URL. Throws UsageError, which does not repeat it: it is a secret. */
export function parsePingUrl(text: string): URL {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.pathname === '/')
    throw new UsageError('the ping URL is not an http or https URL with a path', {
      hint: 'to see the ping URL of a check, run: sonde checks get <name>',
    });
  return url;
}

/** Finds the check by its ID or name through the API. Rejects as the client does, or if no single check matches. */
export async function findPingUrl({ client, signal }: Deps, name: string): Promise<URL> {
  const found: string[] = [];
  const pages = (await client()).pages(
    listChecks,
    { query: { checkType: 'HEARTBEAT', limit: 100 } },
    { all: true, signal },
  );
  for await (const { entries } of pages)
    for (const check of entries) {
      const { heartbeat } = check as { readonly heartbeat?: unknown };
      const pingUrl = isObject(heartbeat) ? heartbeat.pingUrl : undefined;
      if ((check.id === name || check.name === name) && typeof pingUrl === 'string') found.push(pingUrl);
    }
  const [url, second] = found;
  if (url === undefined) throw new NotFoundError(`heartbeat check "${name}" not found`);
  if (second !== undefined)
    throw new UsageError(`several heartbeat checks have the name "${name}": pass the ID of one`);
  return parsePingUrl(url);
}
