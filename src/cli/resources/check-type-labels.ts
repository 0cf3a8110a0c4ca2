/** Labels the check types. */

const LABELS: Readonly<Record<string, string>> = {
  BROWSER: 'browser',
  MULTI_STEP: 'multi-step',
  PLAYWRIGHT: 'Playwright',
  HEARTBEAT: 'heartbeat',
  AGENTIC: 'agentic',
};

/** Returns `multi-step check`; for a type that this version does not know, the API's name. */
export const checkTypeLabel = (type: string): string =>
  `${Object.hasOwn(LABELS, type) ? LABELS[type] : type} check`;
