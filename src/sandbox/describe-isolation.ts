/** Describes the isolation of scripts on this machine for results and logs. */
import type { SandboxDescription } from './types.ts';

export interface Isolation {
  readonly level: SandboxDescription['level'];
  /** Why stronger levels are not available; undefined for the full strongest level. */
  readonly reason?: string;
}

export function describeIsolation({ level, caution, unavailable }: SandboxDescription): Isolation {
  const reasons = unavailable.map((one) => `${one.level}: ${one.reason}`);
  if (caution !== undefined) reasons.push(caution);
  return { level, ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }) };
}
