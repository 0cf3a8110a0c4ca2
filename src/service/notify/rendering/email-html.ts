/** Renders the HTML frame of every e-mail: no external resources, responsive, light and dark. */
import { linkAddresses } from './links.ts';
import { css, html, type Markup } from './markup.ts';

/** Sets the colour of an e-mail; `plain` is neutral. */
export type Tone = 'bad' | 'warning' | 'good' | 'plain';

export interface EmailHtml {
  readonly title: string;
  readonly tone: Tone;
  readonly main: Markup | false;
  readonly link: { readonly label: string; readonly url: string } | null;
  /** Below the link. */
  readonly details?: Markup;
  readonly footer: Markup;
}

const COLOURS: Readonly<Record<Tone, string>> = {
  bad: '#b3261e',
  warning: '#855000',
  good: '#15692f',
  plain: '#17181a',
};

/** Mail clients without support for `prefers-color-scheme` use the inline colours. */
const STYLE = css`
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media(max-width:480px){.out{padding:0!important}.in{border-radius:0!important;border-left:0!important;border-right:0!important;padding:20px 16px!important}.wide a{display:block!important;text-align:center!important}}
@media(prefers-color-scheme:dark){
.out{background:#121315!important;color:#d8d9dc!important}
.in{background:#191b1e!important;border-left-color:#2c2f34!important;border-right-color:#2c2f34!important;border-bottom-color:#2c2f34!important;color:#d8d9dc!important}
.edge-bad{border-top-color:#ff9a91!important}.title-bad{color:#ff9a91!important}
.edge-warning{border-top-color:#efc158!important}.title-warning{color:#efc158!important}
.edge-good{border-top-color:#63cf97!important}.title-good{color:#63cf97!important}
.edge-plain{border-top-color:#a0a4ac!important}.title-plain{color:#f3f3f1!important}
.quiet{color:#a0a4ac!important}
.quote{background:#202327!important;color:#d8d9dc!important}
.wide a{background:#f3f3f1!important;color:#17181a!important}
.quiet a{color:#a0a4ac!important}
.entry{color:#8db8f5!important}
}`;

const FONT = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
const MONO = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace';

/** Renders an error message as preformatted text. */
export const renderQuote = (text: string): Markup =>
  html`<pre class="quote" style="margin:0 0 20px;padding:12px 14px;background:#f2f2ef;color:#2b2d31;border-radius:6px;${MONO};font-size:14px;line-height:1.5;white-space:pre-wrap;overflow-wrap:anywhere">${text}</pre>`;

export const renderParagraph = (text: Markup | string, isQuiet = false): Markup =>
  html`<p${isQuiet && html` class="quiet"`} style="margin:0 0 16px;${isQuiet && 'color:#5c6068;'}white-space:pre-line;overflow-wrap:anywhere">${text}</p>`;

/** Renders a paragraph whose web addresses are links. */
export const renderLinkedParagraph = (text: string): Markup =>
  renderParagraph(linkAddresses(text, html` class="entry" style="color:#1f5bb5"`));

/** Renders an entry of a list: its name, which leads to a page, and a text. */
export const renderEntry = (name: string, url: string | null, text: string): Markup =>
  html`<p style="margin:0 0 12px;overflow-wrap:anywhere"><strong>${url === null ? name : html`<a class="entry" href="${url}" style="color:#1f5bb5">${name}</a>`}</strong>${text !== '' && html`<br><span class="quiet" style="color:#5c6068">${text}</span>`}</p>`;

/** Renders a table of names and values. */
export const renderRows = (pairs: readonly (readonly [name: string, value: string])[]): Markup =>
  html`<table style="border-collapse:collapse;width:100%;margin:0 0 4px">${pairs.map(
    ([name, value]) =>
      html`<tr><th scope="row" class="quiet" style="text-align:left;vertical-align:top;padding:4px 16px 4px 0;color:#5c6068;font-weight:normal;white-space:nowrap;width:1%">${name}</th><td style="padding:4px 0;vertical-align:top;overflow-wrap:anywhere">${value}</td></tr>`,
  )}</table>`;

const renderButton = (label: string, url: string): Markup =>
  html`<p class="wide" style="margin:20px 0"><a href="${url}" style="display:inline-block;padding:10px 18px;background:#17181a;color:#ffffff;border-radius:6px;text-decoration:none;font-weight:500">${label}</a></p>`;

export function renderEmailHtml({ title, tone, main, link, details, footer }: EmailHtml): string {
  const colour = COLOURS[tone];
  return String(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${title}</title>
<style>${STYLE}</style></head>
<body class="out" style="margin:0;padding:24px 16px;background:#f7f7f5;color:#2b2d31;${FONT};font-size:16px;line-height:1.5">
<div role="article" class="in edge-${tone}" style="max-width:600px;box-sizing:border-box;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #e4e4e0;border-top:4px solid ${colour};border-radius:8px;color:#2b2d31">
<h1 class="title-${tone}" style="margin:0 0 16px;font-size:20px;line-height:1.3;color:${colour};overflow-wrap:anywhere">${title}</h1>
${main}${link !== null && renderButton(link.label, link.url)}${details}
<p class="quiet" style="margin:24px 0 0;color:#5c6068;font-size:13px">${footer}</p>
</div></body></html>
`);
}
