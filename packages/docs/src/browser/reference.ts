import { makeAccessible } from './redoc-accessibility.ts';
import { redocTheme } from './redoc-theme.ts';
import { isDark } from './stored-theme.ts';

/** The part of Redoc's global object that this page uses. */
declare const Redoc: {
  init(
    address: string,
    options: Readonly<Record<string, unknown>>,
    place: HTMLElement,
    done: (error?: unknown) => void,
  ): void;
};

/** Renders the reference in place of the plain list, or renders it again in other colours. */
function draw(box: HTMLElement): void {
  const place = document.createElement('div');
  const colours = isDark() ? 'dark' : 'light';
  // For tests and for the observer below: the colours that are being rendered and the ones that are done.
  box.dataset.drawing = colours;
  delete box.dataset.drawn;
  const options = {
    theme: redocTheme(colours === 'dark'),
    // The page has its own search, over guides and operations.
    disableSearch: true,
    hideDownloadButton: true,
    nativeScrollbars: true,
    expandResponses: '200,201',
    requiredPropsFirst: true,
    scrollYOffset: '.bar',
  };
  makeAccessible(place);
  Redoc.init('/openapi.json', options, place, (error) => {
    const isLate = box.dataset.drawing !== colours;
    if (isLate || (error !== undefined && error !== null)) return;
    box.dataset.drawn = colours;
  });
  // The plain list stays until Redoc has rendered something.
  const shown = new MutationObserver(() => {
    shown.disconnect();
    if (box.dataset.drawing !== colours) return;
    box.classList.remove('plain-reference');
    box.replaceChildren(place);
  });
  shown.observe(place, { childList: true });
}

const box = document.querySelector<HTMLElement>('#reference');
if (box !== null) {
  draw(box);
  const again = () => {
    if (box.dataset.drawing !== (isDark() ? 'dark' : 'light')) draw(box);
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  new MutationObserver(again).observe(document.documentElement, { attributeFilter: ['data-theme'] });
}
