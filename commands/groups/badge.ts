/** `sonde groups badge`: prints the links of the badges of a group. */

import { badgeCommand } from '../../src/cli/resources/badges.ts';
import { getGroupBadges } from '../../src/contract/index.ts';

export const command = badgeCommand('groups', getGroupBadges, 'group', '7');
