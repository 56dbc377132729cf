import { dataOf, find } from './dom.ts';
import { pollUntil } from './wait.ts';

/** The event that the frame dispatches on the top window when it navigates that window itself. */
const frameLeft = 'till-frame-left';

/**
 * Shows the bank's page in a frame. If the bank redirects to an origin that the content security policy does not allow
 * in a frame, the whole window goes there instead.
 */
export function openBankFrame(): void {
  const place = find('bank', HTMLElement);
  if (place === undefined) return;
  const address = dataOf(place, 'address');
  const frame = document.createElement('iframe');
  frame.title = dataOf(place, 'title');
  frame.allow = 'payment *; publickey-credentials-get *';
  frame.src = address;
  document.addEventListener('securitypolicyviolation', (event) => {
    if (event.effectiveDirective === 'frame-src') location.assign(address);
  });
  place.replaceChildren(frame);
  let hasLeft = false;
  window.addEventListener(frameLeft, () => {
    hasLeft = true;
  });
  pollUntil(
    dataOf(place, 'state'),
    (state) => state !== 'waiting',
    () => {
      // The page inside the frame reports the outcome of the payment. Navigating elsewhere would abort that navigation.
      if (!hasLeft) location.replace(dataOf(place, 'after'));
    },
  );
}

/** On the page that the bank redirects the frame to: navigates the top window from inside the frame. */
export function leaveFrame(): void {
  const link = find('leave-frame', HTMLAnchorElement);
  if (link !== undefined && window.top !== null && window.top !== window.self) {
    window.top.location.replace(link.href);
    window.top.dispatchEvent(new Event(frameLeft));
  }
}
