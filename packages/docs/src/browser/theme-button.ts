import { announce } from './dom.ts';
import { applyTheme, storedTheme, storeTheme, type Theme } from './stored-theme.ts';

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const words: Readonly<Record<Theme, string>> = { system: 'like your system', light: 'light', dark: 'dark' };

/** The button that cycles through the themes. */
export function themeButton(): void {
  const button = document.querySelector<HTMLButtonElement>('#theme');
  if (button === null) return;
  let current = storedTheme();
  const show = () => button.setAttribute('aria-label', `Colours: ${words[current]}. Change`);
  show();
  button.hidden = false;
  button.addEventListener('click', () => {
    current = next[current];
    storeTheme(current);
    applyTheme(current);
    show();
    announce(`Colours: ${words[current]}`);
  });
}
