/** Schemas of badges. */
import { open, optional, string } from '../schema.ts';

export const badges = open(
  {
    status: optional(string('URL of the SVG with the last verdict')),
    uptime: optional(string('URL of the SVG with the availability of the last 30 days')),
    responseTime: optional(string('URL of the SVG with the 95th percentile of the response times')),
  },
  { title: 'Badges' },
);
