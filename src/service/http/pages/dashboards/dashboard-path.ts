/** Returns the path of a dashboard, by its slug or its ID. */
export const dashboardPath = (name: string): string => `/dashboards/${encodeURIComponent(name)}`;
