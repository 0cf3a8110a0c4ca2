/** Decides whether the service runs scripts when the sandbox cannot isolate files or networks. */
import { isLoopbackHost } from '../base/ip-addresses.ts';
import type { IsolationLevel } from '../sandbox/index.ts';

export interface ScriptPolicy {
  readonly level: IsolationLevel;
  readonly accounts: number;
  /** Host that the service listens on. */
  readonly host: string;
  /** `--trust-scripts`. */
  readonly trustScripts: boolean;
  /** Private networks are denied, but the sandbox cannot enforce it for scripts. */
  readonly canReachDenied: boolean;
}

/** Returns why scripts are disabled and how to enable them, without a full stop; undefined if they run. */
export function findScriptProblem(policy: ScriptPolicy): string | undefined {
  const { level, accounts, host, trustScripts, canReachDenied } = policy;
  if (canReachDenied)
    return `scripts are disabled: this service denies checks access to private networks, and the isolation level "${level}" cannot enforce that for scripts. Run the service as root outside a container or as a user with user namespaces, or start it with --allow-private-networks`;
  if (level !== 'process' || trustScripts) return undefined;
  const reason =
    accounts > 1
      ? `${accounts} accounts share this service`
      : !isLoopbackHost(host)
        ? `other machines can reach this service on ${host}`
        : undefined;
  return (
    reason &&
    `scripts are disabled: with the isolation level "process" a script can read the files of the service, and ${reason}. Run the service as root or on Linux with user namespaces, or start it with --trust-scripts`
  );
}
