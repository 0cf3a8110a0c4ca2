/** Renders badges as SVG. The width of texts is estimated, and `textLength` fits them exactly without a browser. Pure. */
import { html, type Markup } from '../../../notify/rendering/markup.ts';

export const BADGE_STYLES = ['flat', 'plastic', 'flat-square', 'for-the-badge', 'social'] as const;
export type BadgeStyle = (typeof BADGE_STYLES)[number];
export const BADGE_THEMES = ['light', 'dark', 'default'] as const;
export type BadgeTheme = (typeof BADGE_THEMES)[number];
export type BadgeTone = 'good' | 'degraded' | 'bad' | 'none';

export interface Badge {
  readonly label: string;
  readonly value: string;
  readonly tone: BadgeTone;
}

/** Dark enough for white text. */
const TONES: Readonly<Record<BadgeTone, string>> = {
  good: '#2a7d46',
  degraded: '#8a5a00',
  bad: '#b8271d',
  none: '#5c6068',
};

/** Background and text of the label. */
const THEMES: Readonly<Record<BadgeTheme, readonly [string, string]>> = {
  default: ['#3d4047', '#ffffff'],
  dark: ['#17181a', '#f3f3f1'],
  light: ['#e4e4e0', '#17181a'],
};

interface Shape {
  readonly height: number;
  readonly radius: number;
  readonly fontSize: number;
  readonly isUpperCase?: boolean;
  /** Whether light falls on it from above. */
  readonly isShaded?: boolean;
}

const SHAPES: Readonly<Record<BadgeStyle, Shape>> = {
  flat: { height: 20, radius: 3, fontSize: 11 },
  plastic: { height: 18, radius: 4, fontSize: 11, isShaded: true },
  'flat-square': { height: 20, radius: 0, fontSize: 11 },
  'for-the-badge': { height: 28, radius: 4, fontSize: 10, isUpperCase: true },
  social: { height: 20, radius: 10, fontSize: 11 },
};

/** Widths of characters in relation to the font size, in the sans-serif fonts that browsers have. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[iIjl.,:;|'!]/, 0.32],
  [/[ft()[\]\-/ r]/, 0.4],
  [/[mwMW%@]/, 0.92],
  [/[A-Z]/, 0.7],
  [/[!-\u024f]/, 0.6],
];
/** Other scripts, such as Chinese. */
const WIDE = 1;

export const textWidth = (text: string, fontSize: number): number =>
  Math.ceil(
    [...text].reduce(
      (sum, character) => sum + (WIDTHS.find(([kind]) => kind.test(character))?.[1] ?? WIDE),
      0,
    ) * fontSize,
  );

const PADDING = 6;
/** A longer label is cut. */
const MAX_LABEL = 60;

export function renderBadge({ label, value, tone }: Badge, style: BadgeStyle, theme: BadgeTheme): Markup {
  const { height, radius, fontSize, isUpperCase = false, isShaded = false } = SHAPES[style];
  const shorten = (text: string) => (text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text);
  const [left, right] = [shorten(label), value].map((text) => (isUpperCase ? text.toUpperCase() : text));
  const [leftText, rightText] = [textWidth(left ?? '', fontSize), textWidth(right ?? '', fontSize)];
  const [leftWidth, rightWidth] = [leftText + 2 * PADDING, rightText + 2 * PADDING];
  const width = leftWidth + rightWidth;
  const [background, color] = THEMES[theme];
  const baseline = Math.round(height / 2 + fontSize * 0.36);
  const text = (x: number, length: number, fill: string, content: string | undefined) =>
    html`<text x="${x}" y="${baseline}" textLength="${length}" fill="${fill}">${content}</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${label}: ${value}"><title>${label}: ${value}</title><clipPath id="r"><rect width="${width}" height="${height}" rx="${radius}"/></clipPath><g clip-path="url(#r)"><rect width="${leftWidth}" height="${height}" fill="${background}"/><rect x="${leftWidth}" width="${rightWidth}" height="${height}" fill="${TONES[tone]}"/>${isShaded && html`<rect width="${width}" height="${height / 2}" fill="#fff" opacity=".12"/>`}</g><g font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="${fontSize}">${text(PADDING, leftText, color, left)}${text(leftWidth + PADDING, rightText, '#ffffff', right)}</g></svg>`;
}
