/** Reads the state of the service and renders it as Prometheus metrics, with the series of the checks that a reader may see. */
import type { Engine } from '../../engine/engine.ts';
import type { StorageState } from '../../store/budgets.ts';
import type { Metrics } from './metrics.ts';

export interface MetricsReportOptions {
  readonly metrics: Metrics;
  readonly engine: Pick<Engine, 'status'>;
  readonly isReady: () => boolean;
  readonly outboxCounts: () => Promise<Readonly<Record<string, number>>>;
  readonly storageState: () => StorageState;
  /** Returns whether the network of this machine works; undefined if no canaries are configured. */
  readonly isUplinkUp: () => boolean | undefined;
  /** Renders the series of the checks of an account, or of all, in parts; undefined if they have no series. */
  readonly renderChecks: (accountId: string | undefined) => Promise<readonly Buffer[] | undefined>;
}

/** The checks with series: those of one account, all, or none. */
export type MetricsScope = { readonly accountId: string } | 'all' | 'none';

export interface MetricsReport {
  readonly contentType: string;
  readonly render: (scope: MetricsScope) => Promise<Buffer>;
}

export const createMetricsReport = ({ metrics, engine, ...read }: MetricsReportOptions): MetricsReport => ({
  contentType: metrics.contentType,
  async render(scope) {
    const accountId = typeof scope === 'string' ? undefined : scope.accountId;
    return metrics.render({
      engine: await engine.status(),
      isReady: read.isReady(),
      outbox: await read.outboxCounts(),
      storage: read.storageState(),
      isUplinkUp: read.isUplinkUp(),
      checks: scope === 'none' ? undefined : await read.renderChecks(accountId),
    });
  },
});
