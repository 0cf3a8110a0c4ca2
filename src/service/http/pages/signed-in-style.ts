/** Defines the style of pages for people who are signed in: lists, filters and buttons in rows. */
import { css } from '../../notify/rendering/markup.ts';

export const SIGNED_IN_STYLE = css`
.wide .wrap{max-width:90rem}
.brand{font-weight:600;font-size:1.125rem}.brand a{color:var(--header-fg);text-decoration:none}.brand a:hover{text-decoration:underline}
.top nav{display:flex;align-items:baseline;gap:1.25rem}
input[type=text],input[type=search],select{width:100%;font:inherit;color:var(--fg);background:var(--bg);border:1px solid var(--muted);border-radius:.5rem;height:2.625rem;padding:0 .75rem}
button.small{padding:.125rem .75rem;font-size:.875rem;white-space:nowrap}
button.link{color:var(--nav);background:none;border:0;padding:0;font-weight:400;font-size:.9375rem;text-decoration:underline;text-underline-offset:.3em;text-decoration-thickness:1px;white-space:nowrap}
.banner h1{color:inherit;font-size:1.25rem}
.filter{display:flex;flex-wrap:wrap;align-items:end;gap:.75rem 1rem}.filter>div{flex:0 1 14rem;min-width:8rem}.filter>button{height:2.625rem;padding-top:0;padding-bottom:0}.filter>a{line-height:2.625rem}
.pager{display:flex;justify-content:space-between;gap:1rem}.pager>*{flex:1}.pager>:nth-child(2){text-align:center}.pager>:last-child{text-align:right}
td.end{text-align:right;width:1%}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(24rem,100%),1fr));gap:2.5rem}
.columns section>h2{margin-bottom:1rem}
.stack-l{display:flex;flex-direction:column;gap:2.5rem;min-width:0}
.entries.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(16rem,100%),1fr));gap:1rem 1.5rem}.entries.grid>li{padding:0;border:0}
.entries>li{padding:.75rem 0;border-top:1px solid var(--border)}
.entries>li:first-child{padding-top:0;border-top:0}.entries>li:last-child{padding-bottom:0}
.empty p+p{margin-top:.5rem}
time+.utc{color:var(--muted);font-size:.875em;font-weight:400;white-space:nowrap;font-variant-numeric:tabular-nums}
.zone summary{color:inherit;margin:0;font-size:inherit}
.zone form{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;margin-top:.5rem}
.zone label{margin:0}.zone input[type=text]{width:14rem;height:2rem}
@media(max-width:60rem){td time{white-space:normal}}
@media(max-width:40rem){.columns,.stack-l{gap:2rem}.filter>div{flex:1 1 100%}}
`;
