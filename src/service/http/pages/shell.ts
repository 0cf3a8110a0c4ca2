/** The frame that every page stands in, with the policy that keeps anything else out of it. */
import { createHash } from 'node:crypto';
import { parseWebUrl } from '../../../base/addresses.ts';
import { css } from '../../notify/rendering/css.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import { STYLE } from './style.ts';
import { type Theme, themeStyle } from './theme.ts';

export interface Frame {
  readonly title: string;
  readonly theme?: Theme;
  /** Addresses that `webUrl` let through. */
  readonly favicon?: string | undefined;
  readonly images?: readonly (string | undefined)[];
  /** `Name` and address of a feed. */
  readonly feed?: string;
  readonly description?: string | null | undefined;
  /** Whether search engines may list it. */
  readonly isListed?: boolean;
  readonly heading?: Markup;
  readonly navigation?: Markup | undefined;
  readonly main: Markup;
  readonly footer?: Markup | undefined;
}

/** A page with its headers. */
export interface Page {
  readonly status: number;
  readonly body: string;
  readonly policy: string;
}

/** Hosts that can be reached; URLs know others (`a;b`, `*`), which would be directives and wildcards in the policy. */
const HOST = /^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])$/;

/** An address on the web as a user gave it; undefined for any other scheme, for what is no address, and for a host that nothing can have. */
export function webUrl(text: string | null | undefined): string | undefined {
  const url = text ? parseWebUrl(text) : undefined;
  return url !== undefined && HOST.test(url.hostname) ? url.href : undefined;
}

const POLICY = ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"];

/** Nothing runs and nothing is loaded, but for our style and the images that the page names. */
function policyOf(style: string, images: readonly (string | undefined)[]): string {
  const hash = createHash('sha256').update(style).digest('base64');
  const origins = images.flatMap((image) => (image === undefined ? [] : new URL(image).origin));
  return [
    ...POLICY,
    `style-src 'sha256-${hash}'`,
    `img-src ${["'self'", ...new Set(origins)].join(' ')}`,
  ].join('; ');
}

/** A page as it is sent. */
export function shell(status: number, frame: Frame): Page {
  const style = css`${themeStyle(frame.theme ?? {})}${STYLE}`;
  const { title, favicon, feed, description, isListed = false, heading, navigation, main, footer } = frame;
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
<body>
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
    policy: policyOf(String(style), [...(frame.images ?? []), favicon]),
  };
}
