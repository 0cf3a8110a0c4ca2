/** Exports every endpoint of the service. Build time only. */

export * from './account-resources.ts';
export * from './agents.ts';
export * from './alert-channels.ts';
export * from './check-groups.ts';
export * from './check-types.ts';
export * from './checks.ts';
export * from './maintenance-windows.ts';
export * from './specification.ts';
export * from './status-pages.ts';
