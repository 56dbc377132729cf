import { dataOf, find } from './dom.ts';
import { pollUntil } from './wait.ts';

/** Sent to the whole window once its frame sends it elsewhere. */
const frameLeft = 'till-frame-left';

/**
 * Shows the bank's page in a frame. Where the bank redirects to an origin that the content security policy does not
 * allow in a frame, the whole window goes there instead.
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
      // The page that the frame leads to says what came of it; to go elsewhere would end that navigation.
      if (!hasLeft) location.replace(dataOf(place, 'after'));
    },
  );
}

/** On the page that the bank's frame returns to: navigates the whole window from there. */
export function leaveFrame(): void {
  const link = find('leave-frame', HTMLAnchorElement);
  if (link !== undefined && window.top !== null && window.top !== window.self) {
    window.top.location.replace(link.href);
    window.top.dispatchEvent(new Event(frameLeft));
  }
}
