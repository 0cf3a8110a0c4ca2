/** What a session shows besides its status when it has ended well: the fields that the specification requires. */
export const PROOF = {
  checkId: '0b5b2c1e-6a3f-4f6c-9d3e-2f1a7c9e8d99',
  stoppedAt: '2026-11-21T08:00:12.000Z',
  runLocations: ['eu-west-1'],
  results: [
    {
      runLocation: 'eu-west-1',
      hasErrors: false,
      hasFailures: false,
      isDegraded: false,
      resultType: 'FINAL',
    },
  ],
} as const;
