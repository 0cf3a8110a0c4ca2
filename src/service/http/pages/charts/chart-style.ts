/** Defines the style of charts. Lines and bars stretch with the page; `non-scaling-stroke` keeps their thickness. */
import { css } from '../../../notify/rendering/markup.ts';

export const CHART_STYLE = css`
.chart{min-width:0}
.chart table{font-size:.8125rem}.chart th,.chart td{padding-right:.625rem}.chart td:first-child{min-width:5rem}.chart table time{white-space:normal}
@media(max-width:40rem){.chart table,.chart th{font-size:.75rem}.chart th,.chart td{padding-right:.375rem}.chart th.num,.chart td.num{white-space:normal}.chart td:first-child{min-width:4rem}}
.chart figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1.25rem;margin:0 0 .75rem}
.chart figcaption strong{color:var(--title);font-weight:600}
.legend{display:flex;flex-wrap:wrap;gap:.125rem 1rem}
.tone{display:inline-block;width:.75rem;height:.75rem;border-radius:2px;margin-right:.375rem;vertical-align:-.0625rem;background:currentColor}
.legend li{color:var(--muted)}
.plot{display:grid;grid-template-columns:auto minmax(0,1fr);gap:0 .625rem;padding-top:.5rem}
.plot .y{display:flex;flex-direction:column;justify-content:space-between;line-height:0;text-align:right;height:9rem}
.plot .y,.plot .x{color:var(--muted);font-size:.8125rem;white-space:nowrap;font-variant-numeric:tabular-nums}
.plot svg{width:100%;height:9rem;display:block;overflow:visible}
.plot .x{grid-column:2;display:flex;margin-top:.5rem}
.plot .x span{flex:1;text-align:center}.plot .x span:first-child{text-align:left}.plot .x span:last-child{text-align:right}
.spark svg,.phases svg{width:100%;height:100%;display:block}
.spark svg{overflow:visible}.spark{height:2.25rem;padding:2px 0}.phases{height:1.5rem;border-radius:.25rem;overflow:hidden;background:var(--none-fill)}
.grid{stroke:var(--border);stroke-width:1;fill:none;vector-effect:non-scaling-stroke}
.line{stroke:currentColor;stroke-width:2;fill:none;stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}
.dot{stroke-width:8}.dot.c1{stroke-width:14}
.fill{fill:currentColor}
.bad{fill:var(--outage-fill);opacity:.35}.bad.tone{background:var(--outage-fill)}
.c0{color:var(--c0)}.c1{color:var(--c1)}.c2{color:var(--c2)}.c3{color:var(--c3)}.c4{color:var(--c4)}.c5{color:var(--c5)}
.bars{width:100%;height:2rem;display:block}
td .bars{height:1rem;max-width:20rem;margin:.375rem 0 .25rem}
.bars path{stroke:var(--none-fill);stroke-width:100;stroke-dasharray:8 2;fill:none}
.bars .o{stroke:var(--ok-fill)}.bars .d{stroke:var(--degraded-fill)}.bars .x{stroke:var(--outage-fill)}
.tone.n{background:var(--none-fill)}.tone.o{background:var(--ok-fill)}.tone.d{background:var(--degraded-fill)}.tone.x{background:var(--outage-fill)}.scale+.legend{margin-top:.5rem}
.durations{max-width:24rem}
.data table{margin-top:.75rem;font-size:.875rem}
.data th[scope=row]{font-weight:400;color:var(--fg);font-size:.875rem;white-space:nowrap}
.data td,.data th{padding-top:.25rem;padding-bottom:.25rem}
`;
