/** The resolvers this machine is set up with; read once by whoever assembles a RunContext. */
import { getServers } from 'node:dns';

/** `address`, `address:port` or `[address]:port`, the system's first one first; what RunContext.resolvers takes. */
export function systemResolvers(): string[] {
  return getServers();
}
