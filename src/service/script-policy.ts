/** Whose scripts run where something that is promised of them cannot be kept: a cell that keeps files apart, or networks. */
import { isLoopbackHost } from '../base/loopback.ts';
import type { IsolationLevel } from '../sandbox/index.ts';

export interface ScriptPolicy {
  readonly level: IsolationLevel;
  readonly accounts: number;
  /** Where the service listens. */
  readonly host: string;
  /** `--trust-scripts`. */
  readonly trustScripts: boolean;
  /** Private networks are denied, and nothing keeps a script from them. */
  readonly reachesWhatIsDenied: boolean;
}

/** Why scripts are not run, with the way out, as a sentence without a full stop; undefined where they are. */
export function whyNoScripts(policy: ScriptPolicy): string | undefined {
  const { level, accounts, host, trustScripts, reachesWhatIsDenied } = policy;
  if (reachesWhatIsDenied)
    return `scripts are disabled: this service denies checks access to private networks, and the isolation level "${level}" cannot enforce that for scripts. Run the service as root outside a container or as a user with user namespaces, or start it with --allow-private-networks`;
  if (level !== 'process' || trustScripts) return undefined;
  const why =
    accounts > 1
      ? `${accounts} accounts share this service`
      : !isLoopbackHost(host)
        ? `other machines can reach this service on ${host}`
        : undefined;
  return (
    why &&
    `scripts are disabled: with the isolation level "process" a script can read the files of the service, and ${why}. Run the service as root or on Linux with user namespaces, or start it with --trust-scripts`
  );
}
