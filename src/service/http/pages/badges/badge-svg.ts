/** Renders badges as SVG, in the styles of Shields.io. Pure. */
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

/** Background of the label. */
const THEMES: Readonly<Record<BadgeTheme, string>> = {
  default: '#3d4047',
  dark: '#17181a',
  light: '#e4e4e0',
};

/** A longer label is cut. */
const MAX_LABEL = 60;

/** Returns the SVG of a badge. The style `social` has no colours. The package has a megabyte of widths of letters. */
export async function renderBadge(
  { label, value, tone }: Badge,
  { style, theme }: { readonly style: BadgeStyle; readonly theme: BadgeTheme },
): Promise<string> {
  const { makeBadge } = await import('badge-maker');
  const characters = [...label];
  return makeBadge({
    label: characters.length > MAX_LABEL ? `${characters.slice(0, MAX_LABEL - 1).join('')}…` : label,
    message: value,
    color: TONES[tone],
    labelColor: THEMES[theme],
    style,
  });
}
