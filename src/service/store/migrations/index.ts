/** Lists the migrations in order. Add each new one in a new file, because a released migration never changes. */
import { resources } from './001-resources.ts';
import { engine } from './002-engine.ts';
import { MIGRATIONS_003_TO_010 } from './003-to-010.ts';
import { MIGRATIONS_011_TO_021 } from './011-to-021.ts';
import { clientCertificates } from './023-client-certificates.ts';
import { projects } from './024-projects.ts';
import { checkLocations } from './025-check-locations.ts';
import { outages } from './026-outages.ts';
import { statisticsAndDashboards } from './027-statistics-and-dashboards.ts';
import { signIns } from './028-sign-ins.ts';
import { receipts } from './029-receipts.ts';
import { heartbeatJobs } from './030-heartbeat-jobs.ts';
import { incidentCourse } from './031-incident-course.ts';
import { suiteRuns } from './032-suite-runs.ts';
import { notices } from './033-notices.ts';
import { locationOutages } from './034-location-outages.ts';
import { artifactPlaces } from './035-artifact-places.ts';
import { uniqueStates } from './036-unique-states.ts';
import { verifiedDomains } from './037-verified-domains.ts';
import { lossesOfRuns } from './038-losses-of-runs.ts';
import { agentVersions } from './039-agent-versions.ts';
import { locationQueues } from './040-location-queues.ts';
import { testSessionErrors } from './041-test-session-errors.ts';
import { runsOfAlerts } from './042-runs-of-alerts.ts';
import { publicBadges } from './043-public-badges.ts';
import { automationRules } from './045-automation-rules.ts';
import { dashboardIncidents } from './046-dashboard-incidents.ts';
import { maintenanceExceptions } from './047-maintenance-exceptions.ts';
import { deploymentTriggers } from './048-deployment-triggers.ts';
import type { Migration } from './migrate.ts';

export const MIGRATIONS: readonly Migration[] = [
  resources,
  engine,
  ...MIGRATIONS_003_TO_010,
  ...MIGRATIONS_011_TO_021,
  clientCertificates,
  projects,
  checkLocations,
  outages,
  statisticsAndDashboards,
  signIns,
  receipts,
  heartbeatJobs,
  incidentCourse,
  suiteRuns,
  notices,
  locationOutages,
  artifactPlaces,
  uniqueStates,
  verifiedDomains,
  lossesOfRuns,
  agentVersions,
  locationQueues,
  testSessionErrors,
  runsOfAlerts,
  publicBadges,
  automationRules,
  dashboardIncidents,
  maintenanceExceptions,
  deploymentTriggers,
];
