/** Renders a check session as a card. */

import { formatCommandLine } from '../../../../src/cli/framework/format-command-line.ts';
import type { Deps, Invocation } from '../../../../src/cli/framework/index.ts';
import { checkTypeLabel } from '../../../../src/contract/check-type-facts.ts';
import type { CheckSession } from '../../../../src/contract/resources/session.ts';
import { textOf } from '../../../../src/gate/format/session.ts';
import { checkSessions } from '../../../../src/gate/wait/verdict.ts';
import { type Card, commands, facts } from '../../../../src/terminal/card/card.ts';
import { loadSessionDetails, resultsTable, sessionLinks, verdictSection } from './session-card.ts';

/** Returns the card. Fetches details that the session does not contain. */
export async function checkSessionCard(
  deps: Deps,
  { globals }: Pick<Invocation, 'globals'>,
  session: CheckSession,
): Promise<Card> {
  const id = session.checkSessionId;
  const details = await loadSessionDetails(deps, checkSessions, id, session);
  const line = (...words: readonly string[]): string => formatCommandLine({ globals }, ...words);
  const type = textOf(session.checkType);
  const isBad = !details.isRunning && details.rows.some((row) => row.isBad);
  return {
    title: {
      text: textOf(session.name) ?? 'Check session',
      state: session.status,
      tone: details.isRunning ? 'busy' : undefined,
      aside: type && checkTypeLabel(type),
    },
    sections: [
      verdictSection(details, session),
      facts([
        { label: 'Started', value: session.startedAt, kind: 'time' },
        { label: details.isRunning ? 'Running for' : 'Took', value: session.timeElapsed, kind: 'duration' },
        { label: 'Started by', value: session.runSource },
        { label: 'Check', value: session.checkId, kind: 'id' },
        { label: 'Session', value: id, kind: 'id' },
      ]),
      resultsTable(details, false),
      commands([
        ...(details.isRunning
          ? [
              { does: 'Wait for the verdict', line: line('sessions', 'wait', id) },
              { does: 'Cancel the session', line: line('sessions', 'cancel', id) },
            ]
          : []),
        ...(isBad
          ? [
              session.status === 'DEGRADED'
                ? { does: 'List its results', line: line('checks', 'results', session.checkId) }
                : { does: 'List its errors', line: line('error-groups', 'list', session.checkId) },
              { does: 'Run the check again', line: line('checks', 'run', session.checkId) },
            ]
          : []),
      ]),
      sessionLinks(details, textOf(session.checkSessionLink)),
    ],
  };
}
