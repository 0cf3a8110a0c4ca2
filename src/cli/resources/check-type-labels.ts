/** What people call the types of checks. */

const LABELS: Readonly<Record<string, string>> = {
  BROWSER: 'browser',
  MULTI_STEP: 'multi-step',
  PLAYWRIGHT: 'Playwright',
  HEARTBEAT: 'heartbeat',
  AGENTIC: 'agentic',
};

/** `multi-step check`; a type that this version does not know, as the API names it. */
export const checkTypeLabel = (type: string): string =>
  `${Object.hasOwn(LABELS, type) ? LABELS[type] : type} check`;
