/** Units of the numbers of each source of assertions. */
export const UNITS: Readonly<Record<string, string>> = {
  LATENCY: ' ms',
  PACKET_LOSS: '%',
  RESPONSE_TIME: ' ms',
};
