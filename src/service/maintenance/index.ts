/** Exports maintenance windows to the rest of the service. */
export type { CoverageTarget } from './coverage.ts';
export {
  findPauses,
  type IncidentTarget,
  isPaused,
  isSilenced,
  type Pause,
  suppressesIncidents,
} from './effects.ts';
export { getPageMaintenance, type Page, type PageMaintenance, type PageWindow } from './page-maintenance.ts';
export { createMaintenanceScheduler, type MaintenanceScheduler, type NextStart } from './scheduler.ts';
export { createWindows, loadWindows, type Windows } from './windows.ts';
