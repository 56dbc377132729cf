/**
 * A `ref` for the selected element of a row that scrolls sideways. It scrolls only the row, not the page, to show the
 * element.
 */
export function intoView(element: HTMLElement | null): void {
  const row = element?.closest('[data-scrolls]');
  if (element === null || row == null) return;
  const [one, all] = [element.getBoundingClientRect(), row.getBoundingClientRect()];
  const margin = 24;
  if (one.right > all.right) row.scrollLeft += one.right - all.right + margin;
  else if (one.left < all.left) row.scrollLeft -= all.left - one.left + margin;
}
