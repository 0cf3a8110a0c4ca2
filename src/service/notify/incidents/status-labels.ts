/** Labels the statuses of incidents. */
export const STATUS_LABELS: Readonly<Record<string, string>> = {
  INVESTIGATING: 'Investigating',
  IDENTIFIED: 'Identified',
  MONITORING: 'Monitoring',
  RESOLVED: 'Resolved',
};
