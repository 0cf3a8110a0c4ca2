/** Pins the packages of Playwright in the default runtime, as package-lock.json has them. */
export const PLAYWRIGHT = [
  {
    name: '@playwright/test',
    version: '1.65.1',
    integrity:
      'sha512-y+NCIRm2LvY4slUVWvGh1nujJ8RF/hEisIsq2mtUPgdQC4L701bq5hZGMhrpeXjACvwvO9tj5dJqhvM6TP9lbw==',
  },
  {
    name: 'playwright',
    version: '1.65.1',
    integrity:
      'sha512-vJ1FuoOrNwOKHUIVEvSt3jT1L+wjjDpwhwIstKtfvTh8XIG4FG4bIFuvNdMxi81LGfAhUgUZleVFaOLY4RIUUw==',
  },
  {
    name: 'playwright-core',
    version: '1.65.1',
    integrity:
      'sha512-hqPpz7blSMPxWVdoeE1yiBSzXsKiVOd2k+kjCvmUywD2GPO2Dd9HfcWnq9NN0GHbNZDFgZ9JfBFr+X5/BLo0qw==',
  },
] as const;
