import type { Page } from 'playwright-core';

/** Holds back requests of a page, as a slow server or connection does. @returns a function that releases them */
export async function holdBack(page: Page, address: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(address, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}
