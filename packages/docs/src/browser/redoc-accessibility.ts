/** Redoc skips heading levels, which screen readers would report as gaps. */
function fixHeadings(place: HTMLElement): void {
  for (const heading of place.querySelectorAll('h3:not([aria-level]), h5:not([aria-level])')) {
    heading.setAttribute('aria-level', '3');
  }
}

/**
 * Gives a menu entry the accessible name of its visible text. If an entry has entries below it, its own line becomes
 * the menu item, because the entry's name would otherwise consist of all of them.
 */
function fixMenu(place: HTMLElement): void {
  for (const entry of place.querySelectorAll<HTMLElement>('li[role="menuitem"]')) {
    const line = entry.querySelector<HTMLElement>(':scope > label > span:last-of-type');
    const below = entry.querySelector(':scope > ul');
    if (line === null || entry.dataset.repaired !== undefined) continue;
    entry.dataset.repaired = '';
    line.removeAttribute('tabindex');
    if (below === null && !/^tag\/[^/]+$/.test(entry.dataset.itemId ?? '')) {
      entry.removeAttribute('aria-label');
      entry.removeAttribute('aria-expanded');
      continue;
    }
    entry.setAttribute('role', 'none');
    entry.removeAttribute('aria-label');
    entry.removeAttribute('tabindex');
    below?.setAttribute('role', 'none');
    line.setAttribute('role', 'menuitem');
    line.tabIndex = 0;
  }
  // Redoc sets the state on the entry again whenever it changes.
  for (const group of place.querySelectorAll('li[role="none"][aria-expanded]')) {
    const line = group.querySelector(':scope > label > span');
    line?.setAttribute('aria-expanded', group.getAttribute('aria-expanded') ?? 'false');
    group.removeAttribute('aria-expanded');
    group.querySelector(':scope > ul')?.setAttribute('role', 'none');
  }
  for (const single of place.querySelectorAll('li[data-repaired]:not([role="none"])[aria-expanded]')) {
    single.removeAttribute('aria-expanded');
  }
}

/** Makes the content that Redoc renders accessible to keyboards and screen readers, now and after each update. */
export function makeAccessible(place: HTMLElement): void {
  new MutationObserver(() => {
    fixHeadings(place);
    fixMenu(place);
  }).observe(place, { childList: true, subtree: true, attributeFilter: ['aria-expanded'] });
}
