/** How far scripts are kept apart on this machine, and why not further: in the form that results and logs carry. */
import type { SandboxDescription } from './types.ts';

export interface Isolation {
  readonly level: SandboxDescription['level'];
  /** Why the machine gives no more, a level each; left out where it gives the strongest whole. */
  readonly reason?: string;
}

export function describeIsolation({ level, caution, unavailable }: SandboxDescription): Isolation {
  const reasons = unavailable.map((one) => `${one.level}: ${one.reason}`);
  if (caution !== undefined) reasons.push(caution);
  return { level, ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }) };
}
