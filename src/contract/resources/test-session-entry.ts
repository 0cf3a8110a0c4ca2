/** Schema of a test session in a list: its fields, and those by which published clients show it. */
import { allOptional, array, dateTime, nullable, open, optional, string, uuid } from '../schema.ts';
import { testSession } from './session.ts';

const sequences = (state: string) =>
  array(uuid('ID of a run, as in sequenceId of its results'), `Runs that ${state}`);
const metadata = (text: string) => nullable(string(text));

export const testSessionEntry = open(
  {
    ...testSession.properties,
    id: uuid('ID of the session, as in testSessionId'),
    accountId: uuid('ID of the account'),
    projectId: nullable(uuid('ID of a project; null: none')),
    provider: string('Source of the session; API on this service'),
    running: sequences('have not ended'),
    passed: sequences('passed'),
    failed: sequences('failed'),
    cancelled: sequences('were cancelled'),
    region: string('Location of the session'),
    privateLocationId: nullable(uuid('ID of its private location; null: a public one')),
    invoker: nullable(
      open({ name: string('Name') }, { description: 'Person who started the session; null: unknown' }),
    ),
    ...allOptional({
      repoUrl: metadata('URL of the repository'),
      commitId: metadata('Commit under test'),
      commitOwner: metadata('Author of the commit'),
      commitMessage: metadata('Commit message'),
      branchName: metadata('Branch of the commit'),
      environment: metadata('Environment under test'),
    }),
    created_at: dateTime('Creation time'),
    updated_at: optional(nullable(dateTime('Time of the end; null: not ended'))),
  },
  { title: 'TestSessionEntry' },
);
