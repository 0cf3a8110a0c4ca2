/** The engine of the service: what runs checks. Its parts are in sessions, schedule, error-groups and the worker. */
export type * from './sessions/interface.ts';
