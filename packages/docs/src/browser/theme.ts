import { applyTheme, storedTheme } from './stored-theme.ts';

// Runs before anything is painted: a page that turns dark afterwards would flash.
applyTheme(storedTheme());
