/** Error group. Specification: Error group. */
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
    id: string('Id of the error group'),
    checkId: string('Check that failed'),
    errorHash: string('Hash of the cleaned message'),
    rawErrorMessage: nullable(string('The message as a result recorded it')),
    cleanedErrorMessage: string('The message without what changes from run to run'),
    firstSeen: date('When it was first seen'),
    lastSeen: date('When it was last seen'),
    archivedUntilNextEvent: boolean('Whether it is archived until it happens again'),
    archiveForEver: optional(boolean('Whether it stays archived whatever comes', { 'x-gaps': ['*'] })),
    rootCauseAnalyses: optional(array(anyObject('An analysis'), 'Analyses of the cause')),
  },
  { title: 'ErrorGroup' },
);
export type ErrorGroup = Type.Static<typeof errorGroup>;

/** Body of endpoint 11. */
export const errorGroupChange = closed(
  allOptional({
    archiveForEver: boolean('Archive it whatever comes; false takes it back'),
    archivedUntilNextEvent: boolean('Archive it until it happens again'),
  }),
  { title: 'ErrorGroupChange' },
);
