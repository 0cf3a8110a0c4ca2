/** Maintenance windows as the rest of the service sees them. */
export type { Covered } from './covering.ts';
export { type IncidentOf, isPaused, isSilenced, suppressesIncidents } from './effects.ts';
export { keepMaintenance, type MaintenanceKeeper, type NotNow, type Tell } from './keeping.ts';
export type { News, NewsKind } from './news.ts';
export { maintenanceOn, type Page, type PageMaintenance, type ShownWindow } from './pages.ts';
export { type Windows, windowsFrom, windowsOf } from './windows.ts';
