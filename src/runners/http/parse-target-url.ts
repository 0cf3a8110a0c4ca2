/** Parses the URL of a check. */
import { CannotRun } from '../types.ts';

/** Throws CannotRun unless it is an HTTP URL. */
export function parseTargetUrl(target: string): URL {
  const text = target.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '') return url;
  throw new CannotRun(
    `the url ${JSON.stringify(text.slice(0, 200))} is not an HTTP URL: use a URL such as https://example.com/path`,
  );
}
