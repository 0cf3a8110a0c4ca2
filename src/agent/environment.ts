/** What the runs of an agent find around them: the proxy of its location, how names are looked up, who looks at failures. */
import type { Clock } from '../base/clock.ts';
import { createCapture } from '../runners/capture/capture.ts';
import { proxiesFrom } from '../runners/http/proxy.ts';
import type { RunEnvironment } from '../worker/worker.ts';
import type { Location } from './agent.ts';

interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly lookup: RunEnvironment['lookup'];
}

/** The location's own proxy, as it is now, goes before that of this machine; what NO_PROXY names is reached without either. */
export function surroundingsOf({
  env,
  clock,
  lookup,
}: Machine): (proxyUrl: () => Location['proxyUrl']) => RunEnvironment {
  return (proxyUrl) => ({
    proxyFor(target) {
      const own = proxyUrl();
      return proxiesFrom(own ? { ...env, HTTP_PROXY: own, HTTPS_PROXY: own } : env)(target);
    },
    capture: createCapture({ clock }),
    ...(lookup === undefined ? {} : { lookup }),
  });
}
