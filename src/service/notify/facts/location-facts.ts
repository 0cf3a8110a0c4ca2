/** Formats an alert about a private location without agents. */
import { formatLongDuration } from '../../../base/format-duration.ts';
import { oneLine } from '../../../base/sanitize.ts';

export interface LocationFacts {
  readonly name: string;
  readonly slug: string;
  /** Whether the location ends the outage because it was deleted. */
  readonly isDeleted?: boolean;
}

const MAX_NAME_LENGTH = 100;

/** Formats `Private location without an agent: Cellar (cellar)`. */
export function formatLocationTitle({ name, slug, isDeleted }: LocationFacts, isRecovery: boolean): string {
  const state = isDeleted ? 'deleted' : isRecovery ? 'has an agent again' : 'without an agent';
  return `Private location ${state}: ${oneLine(name, MAX_NAME_LENGTH)} (${slug})`;
}

/** Returns what is wrong and what to do. `since`, `at`: ms since the epoch. */
export const formatLocationError = ({ slug }: LocationFacts, since: number, at: number): string =>
  `No agent of the private location ${slug} has contacted the service for ${formatLongDuration(at - since)}. ` +
  'Its checks do not run there and send no alerts. Start an agent with a key of the location.';
