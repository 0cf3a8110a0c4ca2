import { test as setup, expect } from '@playwright/test';
setup('authenticate', async ({ page }) => { await page.goto('http://127.0.0.1:${port.site}/'); await expect(page).toHaveTitle('Home') });
