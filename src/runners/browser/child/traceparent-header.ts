/** Adds the traceparent header to requests of pages to one origin: that of the base URL, or of the first page. */
import { isUrl } from '../../../base/parse-url.ts';
import type { BrowserContext } from './locate-playwright.ts';

/**
 * Does nothing without SONDE_TRACEPARENT. Other origins do not get the header: it would make the browser ask them for
 * permission (CORS). Playwright repeats it if such a request is redirected. Requests without a page do not have it.
 */
export async function sendTraceparent(
  context: BrowserContext,
  { SONDE_TRACEPARENT: traceparent, ENVIRONMENT_URL: start = '' }: NodeJS.ProcessEnv,
): Promise<void> {
  if (traceparent === undefined) return;
  let origin = isUrl(start) ? new URL(start).origin : undefined;
  const isOwn = (url: URL) => {
    if (url.protocol.startsWith('http')) origin ??= url.origin;
    return url.origin === origin;
  };
  await context.route(isOwn, (route, request) =>
    // A header that the script has set stays.
    route.fallback({ headers: { traceparent, ...request.headers() } }),
  );
}
