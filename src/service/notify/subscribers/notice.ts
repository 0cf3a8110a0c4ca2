/** Defines notices to subscribers. */

/** An incident update or a maintenance event. */
export interface Notice {
  readonly accountId: string;
  /** Idempotency key (`incident/<id of the update>`): a notice with the same key is sent once. */
  readonly key: string;
  readonly about: 'incident' | 'maintenance';
  /** ID of the incident or maintenance window. */
  readonly id: string;
  /** Name of the incident or the window. */
  readonly title: string;
  /** State for people: `Investigating`, `Starts in 60 minutes`. */
  readonly state: string;
  readonly text: string;
  /** Time of the event, ms since the epoch. */
  readonly at: number;
  /** Affected services; `all`: every service of a page; `none`: shown on every page, affects no service. */
  readonly services: readonly string[] | 'all' | 'none';
  /** Only these pages. Missing or empty: every page with an affected service. */
  readonly pages?: readonly string[];
}
