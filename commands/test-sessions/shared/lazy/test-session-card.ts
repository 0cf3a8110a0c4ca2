/** Renders a test session as a card. */

import { formatCommandLine } from '../../../../src/cli/framework/format-command-line.ts';
import type { Deps, Invocation } from '../../../../src/cli/framework/index.ts';
import type { TestSession } from '../../../../src/contract/resources/session.ts';
import { type SessionBody, testSessions } from '../../../../src/gate/wait/verdict.ts';
import { textOf } from '../../../../src/gate/words/text.ts';
import { type Card, commands, type Fact, facts } from '../../../../src/terminal/card/card.ts';
import {
  errorsTree,
  loadSessionDetails,
  resultsTable,
  sessionLinks,
  verdictSection,
} from '../../../sessions/shared/lazy/session-card.ts';

/** Limit of links to the errors of checks. */
const MAX_CHECKS = 3;

/** Returns the card. Fetches details that the session does not contain. */
export async function testSessionCard(
  deps: Deps,
  { globals }: Pick<Invocation, 'globals'>,
  session: TestSession,
): Promise<Card> {
  const id = session.testSessionId;
  const details = await loadSessionDetails(deps, testSessions, id, session as SessionBody);
  const line = (...words: readonly string[]): string => formatCommandLine({ globals }, ...words);
  const bad = details.rows.filter((row) => row.isBad && row.resultId !== undefined);
  const checks = new Map(bad.flatMap(({ checkId, name }) => (checkId ? [[checkId, name ?? checkId]] : [])));
  return {
    title: {
      text: textOf(session.name) ?? 'Test session',
      state: session.status,
      tone: details.isRunning ? 'busy' : undefined,
      aside: 'test session',
    },
    sections: [
      verdictSection(details, session as SessionBody),
      facts([
        { label: 'Started', value: session.startedAt, kind: 'time' },
        { label: details.isRunning ? 'Running for' : 'Took', value: session.timeElapsed, kind: 'duration' },
        ...metadataFacts(session.metadata ?? {}),
        { label: 'Session', value: id, kind: 'id' },
      ]),
      resultsTable(details, true),
      errorsTree(details),
      commands([
        ...(details.isRunning
          ? [{ does: 'Wait for the verdict', line: line('test-sessions', 'wait', id) }]
          : []),
        ...[...checks.keys()].slice(0, MAX_CHECKS).map((checkId) => ({
          does: checks.size === 1 ? 'List its errors' : `Errors of ${checks.get(checkId)}`,
          line: line('error-groups', 'list', checkId),
        })),
      ]),
      sessionLinks(details, textOf(session.testSessionLink)),
    ],
  };
}

/** Returns the metadata that is set. */
function metadataFacts(metadata: NonNullable<TestSession['metadata']>): readonly Fact[] {
  const { environment, repoUrl, branchName, commitId, commitOwner, commitMessage } = metadata;
  return [
    { label: 'Environment', value: textOf(environment) },
    { label: 'Repository', value: textOf(repoUrl), kind: 'id' },
    { label: 'Branch', value: textOf(branchName) },
    { label: 'Commit', value: textOf(commitId) },
    { label: 'Commit author', value: textOf(commitOwner) },
    { label: 'Message', value: textOf(commitMessage) },
  ];
}
