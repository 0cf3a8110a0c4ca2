/** `sonde checks badge`: prints the links of the badges of a check. */

import { badgeCommand } from '../../src/cli/resources/badges.ts';
import { getCheckBadges } from '../../src/contract/index.ts';

export const command = badgeCommand(
  'checks',
  getCheckBadges,
  'check',
  '4b5a6c7d-8e9f-4a0b-9c1d-2e3f4a5b6c7d',
);
