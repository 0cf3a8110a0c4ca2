/** Where a page and what one does with a subscription to it are reached, for messages. */

export interface SubscriberLinks {
  readonly pageUrl: string;
  readonly unsubscribeUrl: string;
}

/** Where a page is served below the service's own address. */
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
