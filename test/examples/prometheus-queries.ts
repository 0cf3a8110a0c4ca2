/** Reads the PromQL expressions of the examples for Prometheus and Grafana. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const ALERTS = 'examples/prometheus-alerts.yml';
export const DASHBOARD = 'examples/grafana-dashboard.json';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}
export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

export const readRules = () =>
  (parse(readFileSync(ALERTS, 'utf8')) as Rules).groups.flatMap(({ rules }) => rules);
export const readDashboard = () => JSON.parse(readFileSync(DASHBOARD, 'utf8')) as Dashboard;

/** Returns the expressions of the panels, with values instead of the variables of Grafana. */
export const panelQueries = (): string[] =>
  readDashboard().panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr
        .replaceAll('$__rate_interval', '5m')
        .replaceAll('$__range', '1d')
        .replaceAll(/\$(check|location)\b/g, '.*'),
    ),
  );

/** Returns the series that queries select, with the labels in their selectors and groupings. */
export function selectedSeries(query: string): { readonly names: string[]; readonly labels: string[] } {
  const unquoted = query.replaceAll(/"[^"]*"/g, '""');
  const selected = [...unquoted.matchAll(/[{,]\s*([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(
    ([, label = '']) => label,
  );
  const grouped = [...unquoted.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(/,\s*/),
  );
  return {
    names: [...unquoted.matchAll(/\bsonde_[a-z_]+\b/g)].map(([name]) => name),
    labels: [...selected, ...grouped],
  };
}
