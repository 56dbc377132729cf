import { leaveFrame, openBankFrame } from './bank-frame.ts';
import { startCardForm } from './card-form.ts';
import { localiseTimes, watchDeadline } from './deadline.ts';
import { find } from './dom.ts';
import { startProcessorFields } from './processor-fields.ts';
import { waitForAnswer } from './wait.ts';

/** The script of all hosted checkout pages. Each function returns at once on a page that lacks its elements. */
leaveFrame();
localiseTimes();
watchDeadline();
startCardForm();
waitForAnswer();
openBankFrame();
void startProcessorFields();
find('print', HTMLButtonElement)?.addEventListener('click', () => window.print());
// If this page is the response to a form, a reload would submit the form again. Replacing the history entry makes it a
// GET.
history.replaceState(history.state, '', location.href);
// A page from the back/forward cache may show a form although the payment has changed since.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
