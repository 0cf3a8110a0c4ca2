/** How incidents are told to people. */

/** Where an incident stands. */
export const STATUS_LABELS: Readonly<Record<string, string>> = {
  INVESTIGATING: 'Investigating',
  IDENTIFIED: 'Identified',
  MONITORING: 'Monitoring',
  RESOLVED: 'Resolved',
};
