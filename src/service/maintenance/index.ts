/** Maintenance windows as the rest of the service sees them. */
export type { Covered } from './coverage.ts';
export {
  type IncidentOf,
  isPaused,
  isSilenced,
  type Pause,
  pausesBetween,
  suppressesIncidents,
} from './effects.ts';
export { maintenanceOn, type Page, type PageMaintenance, type ShownWindow } from './page-maintenance.ts';
export { keepMaintenance, type MaintenanceKeeper, type NotNow } from './scheduler.ts';
export { type Windows, windowsFrom, windowsOf } from './windows.ts';
