/** Schema of a result of a test session with its details. */
import { dateTime, nullable, open, string, type Type, uuid } from '../schema.ts';
import { checkResult } from './check-result.ts';
import { testSession } from './session.ts';

const {
  checkId: _,
  resultType: __,
  startedAt: ___,
  stoppedAt: ____,
  ...resultFields
} = checkResult.properties;
/** An entry in the results of a test session. */
const entry = (testSession.properties.results as Type.TArray<Type.TObject>).items;

export const testSessionResult = open(
  {
    ...entry.properties,
    ...resultFields,
    privateLocationId: nullable(uuid('ID of the private location; null: a public one')),
    filePath: nullable(string('Path of a file; null: none')),
    scheduleError: nullable(string('Error of the start; null: none')),
    updated_at: nullable(dateTime('Time of a change; null: never')),
  },
  { title: 'TestSessionResultDetails' },
);
