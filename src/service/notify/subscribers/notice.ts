/** What subscribers are told. */

/** Something that happened, or that is to come. */
export interface Notice {
  readonly accountId: string;
  /** One for each thing that is said (`incident/<id of the update>`): what is told twice reaches nobody twice. */
  readonly key: string;
  readonly about: 'incident' | 'maintenance';
  /** Of the incident or the maintenance window. */
  readonly id: string;
  /** Name of the incident or the window. */
  readonly title: string;
  /** Where it stands, as people are told: `Investigating`, `Starts in 60 minutes`. */
  readonly state: string;
  readonly text: string;
  /** When it was said, ms since the epoch. */
  readonly at: number;
  /** Services it concerns; `all`: whatever a page carries; `none`: it is shown everywhere, and concerns none of them. */
  readonly services: readonly string[] | 'all' | 'none';
  /** These pages and no other; left out or empty: every page that carries one of the services. */
  readonly pages?: readonly string[];
}
