/** Lists the tables of settings, for help and docs. */
import { AGENT_SETTINGS } from './agent-settings.ts';
import { NOTIFICATION_SETTINGS, SERVICE_SETTINGS } from './service-settings.ts';
import type { SettingTable } from './setting.ts';
import { MODEL_SETTINGS, TRACING_SETTINGS } from './shared-settings.ts';

export const SETTING_TABLES: readonly SettingTable[] = [
  SERVICE_SETTINGS,
  NOTIFICATION_SETTINGS,
  AGENT_SETTINGS,
  MODEL_SETTINGS,
  TRACING_SETTINGS,
];
