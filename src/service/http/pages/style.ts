/** Defines the style sheet of all pages, and the color variables that the owner of a status page may change. */
import { Css, css } from '../../notify/rendering/markup.ts';
import type { StatusPageBody } from '../../store/index.ts';
import { CHART_STYLE } from './charts/chart-style.ts';
import { DASHBOARD_STYLE } from './dashboard-style.ts';
import { SIGNED_IN_STYLE } from './signed-in-style.ts';

const BASE = css`
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere;display:flex;flex-direction:column;min-height:100vh}
.wrap{width:100%;max-width:50rem;margin:0 auto;padding:0 1.25rem}
a{color:var(--link);text-underline-offset:.3em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--link);outline-offset:3px;border-radius:4px}
h1,h2,h3,h4,p,ul,ol,dl,dd,figure{margin:0;padding:0}
ul,ol{list-style:none}
h1,h2,h3,h4{color:var(--title);line-height:1.3;font-weight:600;text-wrap:balance}
h1{font-size:1.25rem;letter-spacing:-.01em}
h2{font-size:1.125rem;letter-spacing:-.01em}
h3,h4{font-size:1rem}
time,.num{font-variant-numeric:tabular-nums}
.muted{color:var(--muted)}
.whole{white-space:nowrap}
.small{font-size:.875rem}
.lines{white-space:pre-line}
.skip{position:absolute;left:-999px;top:0;background:var(--card);padding:.5rem 1rem;z-index:1}
.skip:focus{left:1rem}
.sr{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.icon{width:1.125em;height:1.125em;flex:none;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
`;

const FRAME = css`
.top{background:var(--header-bg);color:var(--header-fg);border-bottom:1px solid var(--border)}
.top .wrap{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.25rem 1.5rem;padding-top:1.125rem;padding-bottom:1.125rem}
.top h1{color:var(--header-fg);min-width:0}
.top h1 a{color:inherit;text-decoration:none}
.top h1 a:hover{text-decoration:underline}
.top img{display:block;height:2.5rem;width:12rem;max-width:100%;object-fit:scale-down;object-position:left}
.top nav a{color:var(--nav);white-space:nowrap;font-size:.9375rem}
main{flex:1;padding-top:2.5rem!important;padding-bottom:4rem!important;display:flex;flex-direction:column;gap:2.5rem}
main>section>h2{margin-bottom:1rem}
.bottom{border-top:1px solid var(--border);color:var(--muted);font-size:.875rem}
.bottom .wrap{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;padding-top:1.25rem;padding-bottom:2rem}
.bottom a{color:inherit}
.bottom .full{flex-basis:100%}
.bottom .end{margin-left:auto}
.narrow{width:100%;max-width:32rem;margin:0 auto}
.card{background:var(--card);border:1px solid var(--border);border-radius:.75rem;padding:1.375rem 1.5rem}
.stack{display:flex;flex-direction:column;gap:1rem}
.stack-s{display:flex;flex-direction:column;gap:.375rem}
`;

const STATES = css`
.state{font-size:.9375rem;font-weight:500;white-space:nowrap}
.state .icon{margin-right:.4em;vertical-align:-.2em}
.s-operational{color:var(--ok)}.s-degraded{color:var(--degraded)}.s-partial{color:var(--partial)}.s-outage{color:var(--outage)}.s-maintenance{color:var(--maintenance)}.s-none,.s-pending{color:var(--muted)}
.banner{display:flex;align-items:center;gap:.875rem;padding:1.375rem 1.5rem;border-radius:.75rem;border:1px solid currentColor}
.banner.s-operational{background:var(--ok-bg)}.banner.s-degraded{background:var(--degraded-bg)}.banner.s-partial{background:var(--partial-bg)}.banner.s-outage{background:var(--outage-bg)}.banner.s-maintenance{background:var(--maintenance-bg)}.banner:is(.s-none,.s-pending){background:var(--card);border-color:var(--border)}
.banner h2,.banner p{color:inherit;font-size:1.25rem;font-weight:600;line-height:1.3}
.banner .icon{width:1.75rem;height:1.75rem}
.banner .about{display:inline-block}.banner .why{font-size:.9375rem;font-weight:400;line-height:1.5;margin-top:.375rem}
.lead{display:flex;flex-direction:column;gap:1.25rem}
`;

const STATUS = css`
.services>li{padding:1.25rem 0;border-top:1px solid var(--border)}
.services>li:first-child{padding-top:0;border-top:0}
.services>li:last-child{padding-bottom:0}
.card h3+.services{margin-top:1.25rem}
.row{display:flex;align-items:baseline;justify-content:space-between;gap:.25rem 1.25rem}
.row .name{min-width:0;font-weight:500;color:var(--title)}
.services .bars{margin-top:.75rem}
.scale{display:flex;justify-content:space-between;gap:1rem;margin-top:.375rem;color:var(--muted);font-size:.8125rem}.scale span{flex:none}.scale .num{flex:0 1 auto;text-align:center}
.incident{border-left:4px solid var(--border);padding-left:calc(1.5rem - 3px)}
.incident.s-degraded{border-left-color:var(--degraded-fill)}.incident.s-partial{border-left-color:var(--partial-fill)}.incident.s-outage{border-left-color:var(--outage-fill)}.incident.s-maintenance{border-left-color:var(--maintenance-fill)}
.incident,.incident p{color:var(--fg)}.incident .muted{color:var(--muted)}
.incident header+p{margin-top:.75rem}
.incident header{display:flex;flex-direction:column;gap:.25rem}
.row+.small{margin-top:.25rem;max-width:44rem}
.card>h3+.small{margin-top:.25rem}.card>.small+.services{margin-top:1.25rem}
.group>summary{margin:0;width:auto;color:inherit;font-size:inherit;list-style:none}
.group>summary::-webkit-details-marker{display:none}
.group>summary .row{position:relative;padding-left:1.375rem}
.group>summary h3{min-width:0}
.group>summary .row::before{content:"";position:absolute;left:.15rem;top:.4em;width:.45em;height:.45em;border:solid var(--muted);border-width:0 2px 2px 0;transform:rotate(-45deg)}
.group[open]>summary .row::before{top:.3em;transform:rotate(45deg)}
.group>summary .row+.small{padding-left:1.375rem}
.group>summary .bars{margin-top:.75rem}
.group>.services{margin-top:1.25rem;padding-top:1.25rem;border-top:1px solid var(--border)}
.updates{margin-top:1.125rem;display:flex;flex-direction:column;gap:1rem}
.updates li{display:grid;gap:.125rem}
.updates strong{color:var(--title);font-weight:600}
details>summary{cursor:pointer;color:var(--link);font-size:.9375rem;margin-top:.875rem;width:fit-content}
.past>li{padding:1.25rem 0;border-top:1px solid var(--border)}
.past>li:first-child{padding-top:0;border-top:0}.past>li:last-child{padding-bottom:0}
.empty{color:var(--muted);text-align:center;padding:2.25rem 1.5rem}
@media(max-width:40rem){.bottom .end{margin-left:0}.card{padding:1.125rem 1.125rem}.incident{padding-left:calc(1.125rem - 3px)}.scale{font-size:.75rem;gap:.5rem}main{padding-top:1.5rem!important;gap:2rem}.wrap{padding-left:1rem;padding-right:1rem}.row.wraps{flex-direction:column;gap:.25rem}.services .row,.group .row{flex-wrap:wrap}}
`;

const FORMS = css`
label{display:block;font-weight:500;color:var(--title);margin-bottom:.375rem}
input[type=email],input[type=url],input[type=password]{width:100%;font:inherit;color:var(--fg);background:var(--bg);border:1px solid var(--muted);border-radius:.5rem;padding:.625rem .75rem}
input[aria-invalid]{border-color:var(--outage)}
button,.button{display:inline-block;font:inherit;font-weight:500;color:var(--btn-fg);background:var(--btn);border:1px solid transparent;border-radius:.5rem;padding:.5625rem 1.125rem;cursor:pointer;text-decoration:none}
button:hover,.button:hover{opacity:.88}
button.quiet,.button.quiet{color:var(--fg);background:none;border-color:var(--muted)}
form .stack{align-items:flex-start}form .stack>div{width:100%}
.problem{color:var(--outage);font-weight:500}
`;

const RUNS = css`
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:1.125rem 1rem}
.facts .long{grid-column:span 2}.facts .full{grid-column:1/-1}
.facts dt,.checks dt{color:var(--muted);font-size:.8125rem}
.facts dd{color:var(--title);font-size:.9375rem;font-weight:500}
.checks>li{display:grid;gap:.375rem;padding:1rem 0;border-top:1px solid var(--border)}
.checks>li:first-child{padding-top:0;border-top:0}.checks>li:last-child{padding-bottom:0}
.checks .name{color:var(--title);font-weight:500}
.checks dl{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:.375rem 1.5rem}
.more{display:none}
.scroll{overflow-x:auto;position:relative}
table{border-collapse:collapse;width:100%;font-size:.9375rem;overflow-wrap:normal}
td:first-child{min-width:7rem;overflow-wrap:anywhere}
table code{overflow-wrap:anywhere}
table time{white-space:nowrap}
th{text-align:left;font-weight:500;color:var(--muted);font-size:.8125rem}
th,td{padding:.625rem 1.25rem .625rem 0;border-bottom:1px solid var(--border);vertical-align:top}
tr.detail>*{padding-top:0}tr:has(+.detail)>*{border-bottom:0;padding-bottom:.25rem}thead tr>*{padding-top:0}tbody tr:last-child>*{border-bottom:0;padding-bottom:0}th:last-child,td:last-child{padding-right:0}
td.num,th.num{text-align:right;white-space:nowrap}th.wraps{white-space:normal;overflow-wrap:anywhere}
code,pre{font:.875rem/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
pre{margin:0;background:var(--code);border:1px solid var(--border);border-radius:.5rem;padding:.875rem 1rem;overflow-x:auto;tab-size:4;white-space:pre-wrap}
figure img{width:100%;aspect-ratio:16/9;object-fit:cover;object-position:top;border:1px solid var(--border);border-radius:.5rem;display:block}
figcaption{color:var(--muted);font-size:.875rem;margin-top:.375rem}
.pictures{display:grid;gap:1.25rem}
.pictures a{display:block}
.console{min-width:30rem}
.console li{display:grid;grid-template-columns:4rem 7.5rem minmax(0,1fr);gap:.75rem;padding:.5rem 0;border-bottom:1px solid var(--border);font-size:.875rem;overflow-wrap:normal}
.console li:first-child{padding-top:0}.console li:last-child{padding-bottom:0;border-bottom:0}
.console .when{color:var(--muted);font-variant-numeric:tabular-nums}
.console .who{color:var(--muted)}
.console code{white-space:pre-wrap;overflow-wrap:anywhere}
.console .is-error code,.console .is-error .who{color:var(--outage)}.console .is-warning code,.console .is-warning .who{color:var(--degraded)}
@media(max-width:40rem){.facts{grid-template-columns:repeat(2,minmax(0,1fr));gap:1rem}.facts .long{grid-column:1/-1}.checks dl{grid-template-columns:minmax(0,1fr)}.less{display:none}.more{display:block}th,td{padding-right:.75rem}.console{min-width:0}.console li{grid-template-columns:auto 1fr;gap:.125rem .75rem}.console code{grid-column:1/-1}}
.crumb{font-size:.9375rem}
.actions{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem 1.5rem}
.head{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:1rem}
`;

export const STYLE = css`${BASE}${FRAME}${STATES}${STATUS}${FORMS}${RUNS}${CHART_STYLE}${DASHBOARD_STYLE}${SIGNED_IN_STYLE}`;

type Palette = NonNullable<NonNullable<StatusPageBody['themeColors']>['light']>;
type Scheme = 'light' | 'dark';

/** The theme of a page. `AUTO` follows the reader's system. */
export interface Theme {
  readonly defaultTheme?: string | undefined;
  readonly themeColors?: StatusPageBody['themeColors'] | undefined;
}

/** The default variables of each scheme: first those that owners may change, then those of states. */
const DEFAULT_VARIABLES: Readonly<Record<Scheme, Css>> = {
  light: css`color-scheme:light;--bg:#f7f7f5;--header-bg:#ffffff;--header-fg:#17181a;--title:#17181a;--fg:#2b2d31;--muted:#5c6068;--nav:#3d4047;--link:#1f5bb5;--card:#ffffff;--border:#e4e4e0;--btn:#17181a;--btn-fg:#ffffff;--ok:#17703f;--ok-fill:#2f9e63;--ok-bg:#eaf6ef;--degraded:#855000;--degraded-fill:#e0a100;--degraded-bg:#fdf4dc;--partial:#a3470c;--partial-fill:#dd6b20;--partial-bg:#fdf0e6;--outage:#b1241b;--outage-fill:#cf3a30;--outage-bg:#fcecea;--maintenance:#1d56ab;--maintenance-fill:#3f7ddb;--maintenance-bg:#eaf1fc;--none-fill:#dcdcd8;--code:#f2f2ef;--c0:#2f6fd0;--c1:#b06a00;--c2:#2b8a63;--c3:#8a4fc0;--c4:#c2417c;--c5:#5c6b7a`,
  dark: css`color-scheme:dark;--bg:#121315;--header-bg:#191b1e;--header-fg:#f3f3f1;--title:#f3f3f1;--fg:#d8d9dc;--muted:#a0a4ac;--nav:#c9ccd1;--link:#8db8f5;--card:#191b1e;--border:#2c2f34;--btn:#f3f3f1;--btn-fg:#17181a;--ok:#63cf97;--ok-fill:#3dac72;--ok-bg:#14271d;--degraded:#efc158;--degraded-fill:#d9a526;--degraded-bg:#2b2310;--partial:#ffab70;--partial-fill:#e07b3a;--partial-bg:#33200f;--outage:#ff9a91;--outage-fill:#e5544a;--outage-bg:#331917;--maintenance:#94bbf7;--maintenance-fill:#5b93e6;--maintenance-bg:#15223a;--none-fill:#34373c;--code:#202327;--c0:#6ea8f7;--c1:#e0a45a;--c2:#5cc79b;--c3:#bd93ec;--c4:#f08ab6;--c5:#a5b2c0`,
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

export function renderTheme({ defaultTheme = 'AUTO', themeColors }: Theme): Css {
  const light = renderVariables('light', themeColors?.light);
  const dark = renderVariables('dark', themeColors?.dark);
  if (defaultTheme === 'LIGHT') return css`:root{${light}}`;
  if (defaultTheme === 'DARK') return css`:root{${dark}}`;
  return css`:root{${light}}@media(prefers-color-scheme:dark){:root{${dark}}}`;
}
