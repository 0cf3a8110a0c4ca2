/** Schemas of error groups. Specification: Error group. */
import {
  allOptional,
  anyObject,
  array,
  boolean,
  closed,
  date,
  nullable,
  open,
  optional,
  string,
  type Type,
} from '../schema.ts';

export const errorGroup = open(
  {
    id: string('ID of the error group'),
    checkId: string('ID of the check that failed'),
    errorHash: string('Hash of the normalized message'),
    rawErrorMessage: nullable(string('Original error message of a result')),
    cleanedErrorMessage: string('Normalized error message, without parts that vary between runs'),
    firstSeen: date('Time of the first occurrence'),
    lastSeen: date('Time of the last occurrence'),
    archivedUntilNextEvent: boolean('Whether the group is archived until the error recurs'),
    archiveForEver: optional(boolean('Whether the group is archived permanently', { 'x-gaps': ['*'] })),
    rootCauseAnalyses: optional(array(anyObject('Root cause analysis'), 'Root cause analyses')),
  },
  { title: 'ErrorGroup' },
);
export type ErrorGroup = Type.Static<typeof errorGroup>;

/** Body of endpoint 11. */
export const errorGroupChange = closed(
  allOptional({
    archiveForEver: boolean('Whether to archive the group permanently; false: unarchive'),
    archivedUntilNextEvent: boolean('Whether to archive the group until the error recurs; false: unarchive'),
  }),
  { title: 'ErrorGroupChange' },
);
