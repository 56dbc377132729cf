import { copyButtons, languageTabs, ownAddress, scrollStops } from './code.ts';
import { search } from './search.ts';
import { themeButton } from './theme-button.ts';
import { triggerFilter } from './trigger-filter.ts';

ownAddress();
languageTabs();
copyButtons();
scrollStops();
triggerFilter();
themeButton();
search();
