import { applyTheme, storedTheme } from './stored-theme.ts';

// Runs before the first paint, because a page that turned dark afterwards would flash.
applyTheme(storedTheme());
