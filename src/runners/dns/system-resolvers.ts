/** Returns the resolvers of this machine. */
import { getServers } from 'node:dns';

/** Returns `address`, `address:port` or `[address]:port`, in the system's order, for RunContext.resolvers. */
export function systemResolvers(): string[] {
  return getServers();
}
