import { leaveFrame, openBankFrame } from './bank-frame.ts';
import { startCardForm } from './card-form.ts';
import { localiseTimes, watchDeadline } from './deadline.ts';
import { find } from './dom.ts';
import { startProcessorFields } from './processor-fields.ts';
import { waitForAnswer } from './wait.ts';

/** The script of the hosted checkout pages. Each function returns at once on pages without its elements. */
leaveFrame();
localiseTimes();
watchDeadline();
startCardForm();
waitForAnswer();
openBankFrame();
void startProcessorFields();
find('print', HTMLButtonElement)?.addEventListener('click', () => window.print());
// The answer to a form: reloaded or gone back to, the page is asked for, where the browser would send the form once more.
history.replaceState(history.state, '', location.href);
// A page from the back/forward cache may show a form whose payment has changed since.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
