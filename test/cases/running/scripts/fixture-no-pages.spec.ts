import { authTest, expect } from './fixtures';
const pages: string[] = [];
for (const page of pages) authTest(page, async () => { expect(1).toBe(2); });
