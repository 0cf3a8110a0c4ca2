/** Renders parts of the details of results: facts and texts. */
import { html, type Markup } from '../../notify/rendering/markup.ts';
import { renderTime } from './format.ts';
import { renderSection } from './layout.ts';
import { asText, type Fact, renderFacts } from './run-components.ts';

export const withoutEmpty = (facts: readonly Fact[]): Fact[] =>
  facts.filter(([, value]) => value !== undefined && value !== '');
/** Renders facts, without empty ones. */
export const renderCard = (cardFacts: readonly Fact[]): Markup =>
  html`<div class="card">${renderFacts(withoutEmpty(cardFacts))}</div>`;
/** Renders preformatted text. */
export const renderBlock = (id: string, title: string, content: string | undefined): Markup | false =>
  content !== undefined && renderSection(id, title, html`<pre tabindex="0">${content}</pre>`);

/** Renders an ISO 8601 time; undefined for other values. */
export const renderInstant = (value: unknown): Markup | undefined => {
  const at = Date.parse(asText(value) ?? '');
  return Number.isNaN(at) ? undefined : renderTime(at, true);
};
