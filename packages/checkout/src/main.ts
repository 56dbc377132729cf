import { leaveFrame, openBankFrame } from './bank-frame.ts';
import { startCardForm } from './card-form.ts';
import { localiseTimes, watchDeadline } from './deadline.ts';
import { find } from './dom.ts';
import { startProcessorFields } from './processor-fields.ts';
import { waitForAnswer } from './wait.ts';

/** The one script of the hosted checkout page. Each part does nothing where the page has no use for it. */
leaveFrame();
localiseTimes();
watchDeadline();
startCardForm();
waitForAnswer();
openBankFrame();
void startProcessorFields();
find('print', HTMLButtonElement)?.addEventListener('click', () => window.print());
// A page that the browser kept may show a form whose payment has moved on.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
