/** Renders the layout of every page, with a content security policy that blocks everything else. */
import { createHash } from 'node:crypto';
import { parseWebUrl } from '../../../base/addresses.ts';
import { css, html, type Markup } from '../../notify/rendering/markup.ts';
import { renderTheme, STYLE, type Theme } from './style.ts';

export interface LayoutOptions {
  readonly title: string;
  readonly theme?: Theme;
  /** URLs that `safeWebUrl` returned. */
  readonly favicon?: string | undefined;
  readonly images?: readonly (string | undefined)[];
  readonly feed?: string;
  readonly description?: string | null | undefined;
  /** Whether search engines may index the page. */
  readonly isListed?: boolean;
  /** The width of the page, if it is not that of a text. */
  readonly width?: 'w960' | 'wide' | 'full' | undefined;
  readonly heading?: Markup | undefined;
  readonly navigation?: Markup | undefined;
  readonly main: Markup;
  readonly footer?: Markup | undefined;
}

export interface Page {
  readonly status: number;
  readonly body: string;
  readonly policy: string;
}

/** Valid hosts. URLs allow others (`a;b`, `*`), which would be directives and wildcards in the policy. */
const HOST = /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])$/;

/** Returns a user's URL in normal form; undefined for another scheme, an invalid URL, and a host that cannot exist. */
export function safeWebUrl(text: string | null | undefined): string | undefined {
  const url = text ? parseWebUrl(text) : undefined;
  return url !== undefined && HOST.test(url.hostname) ? url.href : undefined;
}

const POLICY = ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"];

/** Returns a policy that allows only our style and the images of the page. */
function contentSecurityPolicy(style: string, images: readonly (string | undefined)[]): string {
  const hash = createHash('sha256').update(style).digest('base64');
  const origins = images.flatMap((image) => (image === undefined ? [] : new URL(image).origin));
  return [
    ...POLICY,
    `style-src 'sha256-${hash}'`,
    `img-src ${["'self'", ...new Set(origins)].join(' ')}`,
  ].join('; ');
}

export const renderSection = (id: string, title: string, content: Markup): Markup =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;

export function renderLayout(status: number, options: LayoutOptions): Page {
  const style = css`${renderTheme(options.theme ?? {})}${STYLE}`;
  const {
    title,
    favicon,
    feed,
    description,
    isListed = false,
    heading,
    navigation,
    main,
    footer,
    width,
  } = options;
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title>
${description ? html`<meta name="description" content="${description}">` : ''}${
  isListed ? '' : html`<meta name="robots" content="noindex">`
}${favicon !== undefined && html`<link rel="icon" href="${favicon}">`}
${feed !== undefined && html`<link rel="alternate" type="application/atom+xml" title="Incidents and maintenance" href="${feed}">`}
<style>${style}</style>
</head>
<body${width !== undefined && html` class="${width}"`}>
<a class="skip" href="#main">Skip to the content</a>
${heading !== undefined && html`<header class="top"><div class="wrap">${heading}${navigation !== undefined && html`<nav aria-label="Page">${navigation}</nav>`}</div></header>`}
<main id="main" class="wrap">${main}</main>
${footer !== undefined && html`<footer class="bottom"><div class="wrap">${footer}</div></footer>`}
</body>
</html>
`;
  return {
    status,
    body: String(body),
    policy: contentSecurityPolicy(String(style), [...(options.images ?? []), favicon]),
  };
}
