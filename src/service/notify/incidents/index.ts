/** Exports incidents that checks open and resolve, and their notifications. */
export type { Notice } from '../subscribers/notice.ts';
export { notifySubscribers } from '../subscribers/notify-subscribers.ts';
export {
  type OpenIncident,
  openIncident,
  type ResolveIncident,
  resolveIncident,
  resolveIncidentOfDeleted,
  type TriggerIncident,
} from './check-incident.ts';
