import { test, expect } from '@playwright/test';
test.use({video:'retain-on-failure'});test('a',async({page})=>{ await page.goto('http://127.0.0.1:${port.site}/'); });
