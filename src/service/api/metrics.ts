/** What the service counts of itself, as Prometheus reads it. One registry a service, so that two in a process stay apart. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface Metrics {
  readonly registry: Registry;
  /** An answered request: the route's pattern, never the address with its ids and tokens. */
  readonly request: (labels: { method: string; route: string; status: number }, seconds: number) => void;
  /** Registers a value that is read when it is asked for. */
  readonly gauge: (name: string, help: string, read: () => number | Promise<number>) => void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const requests = new Counter({
    name: 'sonde_http_requests_total',
    help: 'Requests answered, by method, route and status',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'sonde_http_request_seconds',
    help: 'Time from a request to its answer, in seconds',
    labelNames: ['method', 'route'] as const,
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  return {
    registry,
    request({ method, route, status }, elapsed) {
      requests.inc({ method, route, status: String(status) });
      seconds.observe({ method, route }, elapsed);
    },
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read());
        },
      });
    },
  };
}
