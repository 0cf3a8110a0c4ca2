/** Renders the color variables of a page: the defaults, overridden by those of its owner. */

import { Css, css } from '../../notify/rendering/markup.ts';
import type { StatusPageBody } from '../../store/index.ts';

type Palette = NonNullable<NonNullable<StatusPageBody['themeColors']>['light']>;
type Scheme = 'light' | 'dark';

/** The theme of a page. `AUTO` follows the reader's system. */
export interface Theme {
  readonly defaultTheme?: string | undefined;
  readonly themeColors?: StatusPageBody['themeColors'] | undefined;
}

/** The default variables of each scheme: first those that owners may change, then those of states. */
const DEFAULT_VARIABLES: Readonly<Record<Scheme, Css>> = {
  light: css`color-scheme:light;--bg:#f7f7f5;--header-bg:#ffffff;--header-fg:#17181a;--title:#17181a;--fg:#2b2d31;--muted:#5c6068;--nav:#3d4047;--link:#1f5bb5;--card:#ffffff;--border:#e4e4e0;--btn:#17181a;--btn-fg:#ffffff;--ok:#17703f;--ok-fill:#2f9e63;--ok-bg:#eaf6ef;--degraded:#855000;--degraded-fill:#e0a100;--degraded-bg:#fdf4dc;--outage:#b1241b;--outage-fill:#cf3a30;--outage-bg:#fcecea;--maintenance:#1d56ab;--maintenance-fill:#3f7ddb;--maintenance-bg:#eaf1fc;--none-fill:#dcdcd8;--code:#f2f2ef`,
  dark: css`color-scheme:dark;--bg:#121315;--header-bg:#191b1e;--header-fg:#f3f3f1;--title:#f3f3f1;--fg:#d8d9dc;--muted:#a0a4ac;--nav:#c9ccd1;--link:#8db8f5;--card:#191b1e;--border:#2c2f34;--btn:#f3f3f1;--btn-fg:#17181a;--ok:#63cf97;--ok-fill:#3dac72;--ok-bg:#14271d;--degraded:#efc158;--degraded-fill:#d9a526;--degraded-bg:#2b2310;--outage:#ff9a91;--outage-fill:#e5544a;--outage-bg:#331917;--maintenance:#94bbf7;--maintenance-fill:#5b93e6;--maintenance-bg:#15223a;--none-fill:#34373c;--code:#202327`,
};

const VARIABLES: Readonly<Record<keyof Palette, Css>> = {
  bodyBackgroundColor: css`--bg`,
  headerBackgroundColor: css`--header-bg`,
  headerFontColor: css`--header-fg`,
  titleFontColor: css`--title`,
  bodyFontColor: css`--fg`,
  bodyFontColorMuted: css`--muted`,
  navigationFontColor: css`--nav`,
  linkFontColor: css`--link`,
  cardBackgroundColor: css`--card`,
  borderColor: css`--border`,
  primaryButtonBackgroundColor: css`--btn`,
  primaryButtonFontColor: css`--btn-fg`,
};

/** Returns the variables of one scheme. Invalid colors keep the default. */
function renderVariables(scheme: Scheme, palette: Palette = {}): Css {
  return (Object.keys(VARIABLES) as (keyof Palette)[]).reduce((all, name) => {
    const colour = Css.colour(palette[name]);
    return colour === undefined ? all : css`${all};${VARIABLES[name]}:${colour}`;
  }, DEFAULT_VARIABLES[scheme]);
}

/** Renders the variables that the style sheet uses. */
export function renderTheme({ defaultTheme = 'AUTO', themeColors }: Theme): Css {
  const light = renderVariables('light', themeColors?.light);
  const dark = renderVariables('dark', themeColors?.dark);
  if (defaultTheme === 'LIGHT') return css`:root{${light}}`;
  if (defaultTheme === 'DARK') return css`:root{${dark}}`;
  return css`:root{${light}}@media(prefers-color-scheme:dark){:root{${dark}}}`;
}
