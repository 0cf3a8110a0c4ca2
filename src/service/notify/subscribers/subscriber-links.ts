/** Builds the links in messages to subscribers. */

export interface SubscriberLinks {
  readonly pageUrl: string;
  readonly unsubscribeUrl: string;
}

/** Returns the path of a status page. */
export const buildPagePath = (slug: string): string => `/status/${encodeURIComponent(slug)}`;

export function buildSubscriberLinks(
  base: string,
  slug: string,
  subscriberId: string,
  key: string,
): SubscriberLinks {
  const pageUrl = base + buildPagePath(slug);
  return { pageUrl, unsubscribeUrl: `${pageUrl}/unsubscribe/${subscriberId}/${key}` };
}

export const buildConfirmUrl = (base: string, slug: string, token: string): string =>
  `${base}${buildPagePath(slug)}/confirm/${token}`;
