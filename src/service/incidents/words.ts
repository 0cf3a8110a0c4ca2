/** How incidents are told to people. */

/** Where an incident stands. */
export const STATUS_WORDS: Readonly<Record<string, string>> = {
  INVESTIGATING: 'Investigating',
  IDENTIFIED: 'Identified',
  MONITORING: 'Monitoring',
  RESOLVED: 'Resolved',
};

/** How bad it is. */
export const SEVERITY_WORDS: Readonly<Record<string, string>> = {
  CRITICAL: 'Critical',
  MAJOR: 'Major',
  MEDIUM: 'Medium',
  MINOR: 'Minor',
};
