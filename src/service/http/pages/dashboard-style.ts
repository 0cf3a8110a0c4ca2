/** Defines the style of dashboards, from phones to wall screens. */
import { css } from '../../notify/rendering/markup.ts';

export const DASHBOARD_STYLE = css`
.w960 .wrap{max-width:60rem}
.full .wrap{max-width:none;padding-left:clamp(1rem,2.5vw,4rem);padding-right:clamp(1rem,2.5vw,4rem)}
.bar{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.5rem 2rem}
.bar ul,.pager{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
.bar a{text-decoration:none}.bar a:hover{text-decoration:underline}
.bar [aria-current]{color:var(--title);font-weight:600}
.board td{vertical-align:middle}
.board td:first-child{width:22%}
.board .chart-cell{width:26%;min-width:9rem}
.board .spark .bars{height:1.5rem;margin:.375rem 0}
.tags{display:flex;flex-wrap:wrap;gap:.25rem .375rem;margin-top:.25rem}
.tags li{font-size:.75rem;line-height:1.5;color:var(--muted);border:1px solid var(--border);border-radius:.375rem;padding:0 .375rem;min-width:0}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,30rem),1fr));align-items:start;gap:1.25rem}
.cards>li{display:flex;flex-direction:column;gap:1.125rem;min-width:0}
.charts{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem}
.numbers{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.75rem 1.75rem;max-width:32rem}
.numbers dt{color:var(--muted);font-size:.8125rem}
.numbers dd{color:var(--title);font-weight:500;font-variant-numeric:tabular-nums}
@media(min-width:64rem){.detail .charts{grid-template-columns:repeat(2,minmax(0,1fr))}}
@media(max-width:60rem){.board .mid{display:none}}
@media(max-width:40rem){.board .less{display:none}.board tr>:nth-child(3){padding-right:0}.board td:first-child{width:auto;min-width:6rem}}
`;
