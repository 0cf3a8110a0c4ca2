/** Lists the migrations in order. */
import { resources } from './001-resources.ts';
import { engine } from './002-engine.ts';
import { results } from './003-results.ts';
import { messages } from './004-messages.ts';
import { pages } from './005-pages.ts';
import { maintenance } from './006-maintenance.ts';
import { artifacts } from './008-artifacts.ts';
import { checkTypes } from './010-check-types.ts';
import { secretDetection } from './011-secret-detection.ts';
import { suitesOfTests } from './012-suites-of-tests.ts';
import { leanIndexes } from './013-lean-indexes.ts';
import { ticksInOrder } from './014-ticks-in-order.ts';
import { subscribersKeys } from './015-subscribers-keys.ts';
import { maintenancePast } from './016-maintenance-past.ts';
import { unrecordedTests } from './017-unrecorded-tests.ts';
import { subscriptionRequests } from './018-subscription-requests.ts';
import { tags } from './019-tags.ts';
import { outboxTurns } from './020-outbox-turns.ts';
import { reads } from './021-reads.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [
  resources,
  engine,
  results,
  messages,
  pages,
  maintenance,
  artifacts,
  checkTypes,
  secretDetection,
  suitesOfTests,
  leanIndexes,
  ticksInOrder,
  subscribersKeys,
  maintenancePast,
  unrecordedTests,
  subscriptionRequests,
  tags,
  outboxTurns,
  reads,
];
