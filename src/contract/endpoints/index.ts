/** The table: every endpoint of the specification and every neighbour that the service has. Build time only. */
export * from './specification.ts';
