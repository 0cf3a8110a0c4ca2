/** Where a page and what one does with a subscription to it are reached, for messages. */

export interface Addresses {
  readonly pageUrl: string;
  readonly unsubscribeUrl: string;
}

/** Where a page is served below the service's own address. */
export const pagePath = (slug: string): string => `/status/${encodeURIComponent(slug)}`;

export function addressesOf(base: string, slug: string, subscriberId: string, key: string): Addresses {
  const pageUrl = base + pagePath(slug);
  return { pageUrl, unsubscribeUrl: `${pageUrl}/unsubscribe/${subscriberId}/${key}` };
}

export const confirmUrl = (base: string, slug: string, token: string): string =>
  `${base}${pagePath(slug)}/confirm/${token}`;
