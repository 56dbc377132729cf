import type { Page } from 'playwright-core';

/** Holds requests of a page back, as a slow server or line does. @returns lets them go on */
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
