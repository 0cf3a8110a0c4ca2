import { test, expect } from '@playwright/test';
test('fails', async () => { expect(1).toBe(2); });
