/** Schemas of a check of any type, for lists and for endpoints that accept every type. */
import { CHECK_TYPE_NAMES } from '../../check-types.ts';
import {
  allOptional,
  dateTime,
  nullable,
  number,
  oneOf,
  open,
  openOneOf,
  optional,
  string,
  Type,
} from '../../schema.ts';
import { answerFields, checkName, commonFields } from './common.ts';

/** A check of any type in a list. */
export const anyCheck = open(
  {
    id: string('ID of the check'),
    name: checkName,
    checkType: openOneOf(CHECK_TYPE_NAMES, 'Type of the check'),
    ...allOptional(commonFields),
    frequency: optional(number('Minutes between runs', { 'x-unit': 'minutes' })),
    status: optional(
      nullable(
        openOneOf(['passing', 'failing', 'degraded'], 'Outcome of the last session; null: no session yet'),
      ),
    ),
    nextRunAt: optional(nullable(dateTime('Time of the next run; null: not scheduled'))),
    codeBundlePath: optional(string('Of Playwright checks: codeBundleId by the name of the published API')),
    created_at: optional(answerFields.created_at),
    updated_at: optional(answerFields.updated_at),
  },
  { title: 'Check' },
);
/** Body that creates or changes a check of any type; the schema of its type validates it. */
export const anyCheckBody = Type.Object(
  {
    checkType: optional(oneOf(CHECK_TYPE_NAMES, 'Type of the check')),
    name: optional(checkName),
  },
  { title: 'CheckRequest', description: 'The request body for the check type, with checkType' },
);
