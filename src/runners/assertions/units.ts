/** What follows the numbers of a source of assertions. */
export const UNITS: Readonly<Record<string, string>> = {
  LATENCY: ' ms',
  PACKET_LOSS: '%',
  RESPONSE_TIME: ' ms',
};
